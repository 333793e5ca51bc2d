/** Metrics of wrong operator tokens, the same on leader and standby. */
import type { Guesses } from '../../../engine/model/operators.js';
import { counter, type Family } from './family.js';

/** Since the start of the server. */
export type GuessCounts = Pick<Guesses, 'wrong' | 'refused'>;

export const accessFamilies = ({ wrong, refused }: GuessCounts): Family[] => [
  counter(
    'tote_operator_tokens_refused_total',
    'Requests with a wrong operator token (wrong), and all from an address that had sent too many of them (unseen)',
    [
      [{ reason: 'wrong' }, wrong],
      [{ reason: 'unseen' }, refused],
    ],
  ),
];
