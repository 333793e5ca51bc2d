/** The house's results of the present day (UTC), by scope of a loss limit. */
import { type DayResults, dayOf, LOSS_SCOPES } from '../model/loss-limits.js';

export class DayLedger implements DayResults {
  dayMs = 0;
  readonly resultCents: number[] = LOSS_SCOPES.map(() => 0);
  readonly liftedCents: number[] = LOSS_SCOPES.map(() => 0);

  /** A later day begins anew. */
  turnTo(timeMs: number): void {
    if (dayOf(timeMs) <= this.dayMs) return;
    this.dayMs = dayOf(timeMs);
    this.resultCents.fill(0);
    this.liftedCents.fill(0);
  }

  at(timeMs: number): DayResults {
    return dayOf(timeMs) === this.dayMs ? this : new DayLedger();
  }
}
