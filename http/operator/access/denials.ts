/**
 * Requests that were refused because the caller's role was not enough, for the log. Equal ones are counted together, so that
 * a program that repeats one does not fill it.
 */
import type { OperatorCaller, OperatorRole } from '../../../engine/model/operators.js';
import type { Clock } from '../../../engine/model/ports.js';

/** Different ones in a report; further ones are only counted. */
export const DENIALS_MAX = 20;
const REPORT_EVERY_MS = 10_000;

export interface Denial {
  /** Name and role of the caller. */
  readonly operator: string;
  readonly role: OperatorRole;
  /** Method and path of the route, without what a client put into it. */
  readonly route: string;
  readonly times: number;
}

/** Since the last report. */
export interface DenialReport {
  readonly denials: readonly Denial[];
  /** Requests that are not among them. */
  readonly others: number;
}

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
  take(): DenialReport | null {
    const nowMs = this.clock.monotonicMs();
    if (this.#found.size === 0 || nowMs - this.#reportedMs < REPORT_EVERY_MS) return null;
    const report = { denials: [...this.#found.values()], others: this.#others };
    this.#reportedMs = nowMs;
    this.#found.clear();
    this.#others = 0;
    return report;
  }
}
