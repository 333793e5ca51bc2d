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

/** Different refusals in a report; further ones are only counted. */
export const DENIALS_MAX = 20;
/** Refusals are reported together: each report is a line of the log, and a few rows of the archive. */
export const REPORT_EVERY_MS = 60_000;

export class Denials {
  readonly #found = new Map<string, Denial>();
  #others = 0;
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly clock: Pick<Clock, 'monotonicMs'>) {}

  note({ name, role }: OperatorCaller, route: string): void {
    const key = `${name} ${role} ${route}`;
    const known = this.#found.get(key);
    if (known !== undefined) this.#found.set(key, { ...known, times: known.times + 1 });
    else if (this.#found.size < DENIALS_MAX) this.#found.set(key, { operator: name, role, route, times: 1 });
    else this.#others += 1;
  }

  /** null if there were none or the last report is too recent. */
  take(): Pick<Refusals, 'denials' | 'others'> | null {
    const nowMs = this.clock.monotonicMs();
    if (this.#found.size === 0 || nowMs - this.#reportedMs < REPORT_EVERY_MS) return null;
    const report = { denials: [...this.#found.values()], others: this.#others };
    this.#reportedMs = nowMs;
    this.#found.clear();
    this.#others = 0;
    return report;
  }
}
