/** The house's results of the present day (UTC), by scope of a loss limit. */
import { type DayResults, dayOf, LOSS_SCOPES } from '../model/loss-limits.js';

export class DayLedger implements DayResults {
  dayMs = 0;
  readonly resultCents: number[] = LOSS_SCOPES.map(() => 0);
  readonly liftedCents: number[] = LOSS_SCOPES.map(() => 0);

  /** Begins anew if `timeMs` is on a later day. */
  turnTo(timeMs: number): void {
    if (dayOf(timeMs) <= this.dayMs) return;
    this.dayMs = dayOf(timeMs);
    this.resultCents.fill(0);
    this.liftedCents.fill(0);
  }

  /** The results of the day that `timeMs` is on. */
  at(timeMs: number): DayResults {
    return dayOf(timeMs) === this.dayMs ? this : new DayLedger();
  }
}
