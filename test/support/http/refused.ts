/** The result of `work`, or the refusal that it throws. */
import { Refused } from '../../../http/kit/refused.js';

export function orRefused<T>(work: () => T): T | Refused {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refused) return error;
    throw error;
  }
}
