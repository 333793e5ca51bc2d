/**
 * Who sends a request, as the operator API asks before it does anything else. A token in the `Authorization` header is one
 * way to prove it (`TokenGuard`); any other gives the same caller, and handlers cannot tell them apart.
 */
import { mayDo, type OperatorCaller, type OperatorRole } from '../../../engine/model/operators.js';
import type { HttpRequest } from '../../../engine/model/ports.js';
import { Refused } from '../../kit/refused.js';

export interface Callers {
  /** The caller, or why the request is refused. */
  identify(request: HttpRequest): OperatorCaller | Refused;
}

/** Refuses a caller whose role may not do what needs the role `needed`; else null. */
export function refuseRole({ name, role }: OperatorCaller, needed: OperatorRole): Refused | null {
  if (mayDo(role, needed)) return null;
  return new Refused('insufficient_role', `this needs the role ${needed}, and ${name} has the role ${role}`);
}
