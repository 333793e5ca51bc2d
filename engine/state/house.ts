/** The house account, its results of the day, and transfer references, which are unique for ever. */
import { assert } from '../base/assert.js';
import type { BalanceMoved } from '../model/events.js';
import { type DayResults, dayOf, LOSS_SCOPES } from '../model/loss-limits.js';

export interface TransferRecord {
  readonly seq: number;
  readonly event: BalanceMoved;
  /** The tier of the account that this first balance has opened; null for any other transfer. */
  readonly openedTier: number | null;
}

export const HOUSE = 0;
/** That of a first balance which has been given none: it may open any number of accounts. */
export const INITIAL_REFERENCE = 'initial';

export class House {
  #balanceCents = 0;
  depositsCents = 0;
  withdrawalsCents = 0;
  readonly #references = new Map<number, Map<string, TransferRecord>>();
  readonly #openings = new Map<string, TransferRecord>();

  get balanceCents(): number {
    return this.#balanceCents;
  }

  /** Out of the house if `amountCents` is negative. Returns the new balance. */
  move(amountCents: number): number {
    this.#balanceCents += amountCents;
    assert(this.#balanceCents >= 0, `balance of the house would be ${this.#balanceCents} cents`);
    return this.#balanceCents;
  }

  reference(account: number, reference: string): TransferRecord | null {
    return this.#references.get(account)?.get(reference) ?? null;
  }

  /** The first balance that has opened an account under this reference. */
  opening(reference: string): TransferRecord | null {
    return this.#openings.get(reference) ?? null;
  }

  remember(record: TransferRecord): void {
    const { account, reference } = record.event;
    let ofAccount = this.#references.get(account);
    if (ofAccount === undefined) {
      ofAccount = new Map();
      this.#references.set(account, ofAccount);
    }
    assert(!ofAccount.has(reference), `reference ${reference} is used twice`);
    ofAccount.set(reference, record);
    if (record.openedTier === null || reference === INITIAL_REFERENCE) return;
    assert(!this.#openings.has(reference), `reference ${reference} opens two accounts`);
    this.#openings.set(reference, record);
  }

  *records(): Generator<TransferRecord> {
    for (const ofAccount of this.#references.values()) yield* ofAccount.values();
  }
}

/** The house's results of the present day (UTC), by scope of a loss limit. */
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
