/**
 * Answers of a server with the default rules, shown as examples in the API document. A test holds them against the
 * schemas.
 */
import { readFileSync } from 'node:fs';

const file = readFileSync(new URL('./generated/examples.json', import.meta.url), 'utf8');

/**
 * `successes` are `data`, or for pages the whole body but `success`; `failures` are `error`, by the name of the
 * response. They have the file's own type, so that a name which it lacks is no example.
 */
export const { successes: EXAMPLES, failures: EXAMPLE_FAILURES } = JSON.parse(
  file,
) as typeof import('./generated/examples.json');
