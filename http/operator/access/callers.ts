/**
 * The caller of a request, whom the operator API asks for before it does anything else. A token in the `Authorization`
 * header is one way to prove who calls (`TokenGuard`); any other way gives the same caller, and handlers cannot tell
 * them apart.
 */
import {
  type Denial,
  mayDo,
  type OperatorCaller,
  type OperatorRole,
  type Refusals,
} from '../../../engine/model/operators.js';
import type { Clock, HttpRequest } from '../../../engine/model/ports.js';
import { Refused } from '../../kit/refused.js';

export interface Callers {
  identify(request: HttpRequest): OperatorCaller | Refused;
}

/** null if the caller's role may do what needs the role `needed`. */
export function refuseRole({ name, role }: OperatorCaller, needed: OperatorRole): Refused | null {
  if (mayDo(role, needed)) return null;
  return new Refused('insufficient_role', `this needs the role ${needed}, and ${name} has the role ${role}`);
}

/** Refusals are reported together: each report is a line of the log, and a few rows of the archive. */
export const REPORT_EVERY_MS = 60_000;

export class Denials {
  /** By name, role and route: there are only so many. */
  readonly #found = new Map<string, Denial>();
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  note({ name, role }: OperatorCaller, route: string): void {
    const key = `${name} ${role} ${route}`;
    const times = (this.#found.get(key)?.times ?? 0) + 1;
    this.#found.set(key, { operator: name, role, route, times });
  }

  /** null if there were none or the last report is too recent. */
  take(): Pick<Refusals, 'denials'> | null {
    const nowMs = this.clock.monotonicMs();
    if (this.#found.size === 0 || nowMs - this.#reportedMs < REPORT_EVERY_MS) return null;
    const report = { denials: [...this.#found.values()] };
    this.#reportedMs = nowMs;
    this.#found.clear();
    return report;
  }
}
