/**
 * How much a search tries: little in `npm test`, more in `npm run prove`, for hours in `npm run nightly`. The runner
 * sets `TEST_EFFORT`; a file that is run by itself tries little.
 */
export type Effort = 'test' | 'prove' | 'night';

const asked = process.env['TEST_EFFORT'];
const EFFORT: Effort = asked === 'prove' || asked === 'night' ? asked : 'test';

export const byEffort = (counts: Readonly<Record<Effort, number>>): number => counts[EFFORT];
