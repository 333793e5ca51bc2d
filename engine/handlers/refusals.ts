/** What the operator port has refused, on record. The engine's state does not depend on it. */
import { assert } from '../base/assert.js';
import { type RecordRefusals, refusedRequests } from '../model/operators.js';
import type { Effect } from '../state/state.js';

export function recordRefusals({ timeMs, denials, others, guesses }: RecordRefusals): Effect {
  const requests = refusedRequests({ denials, others, guesses });
  assert(requests > 0, 'something was refused');
  return [{ type: 'refusalsRecorded', timeMs, requests }];
}
