/**
 * The soak's own ledger, derived only from acknowledged answers and published results: the bets of each round, and
 * the final balance of each account. Amounts are in cents.
 */
import { must } from '../../engine/base/assert.js';
import { TIME_FRAME_MS, TIME_FRAMES } from '../../engine/model/domain.js';

export type Side = 'UP' | 'DOWN';
/** `VOID` refunds. */
export type Outcome = 'UP' | 'DOWN' | 'DRAW' | 'VOID';

export interface PlacedBet {
  readonly id: string;
  readonly marketId: string;
  readonly prediction: Side;
  readonly amount: number;
  readonly potentialPayout: number;
  readonly placedAt: string;
}

export const cents = (dollars: number): number => Math.round(dollars * 100);

/** The round whose window a time lies in (design, section 4). */
export function roundIdAt(marketId: string, timeMs: number): string {
  const frame = TIME_FRAMES.findIndex((name) => marketId.endsWith(`_${name}`));
  return `${marketId}_${Math.floor(timeMs / must(TIME_FRAME_MS[frame], `time frame of ${marketId}`))}`;
}

/** Stakes and promised payouts of one account on each side of one round. */
type Stakes = Record<Side, { stakeCents: number; payoutCents: number }>;

class RoundBook {
  bets = 0;
  stakeCents = 0;
  readonly byAccount = new Map<number, Stakes>();
}

/** Decided rounds remembered, to check positions against. */
const OUTCOMES_MAX = 20_000;

export class Ledger {
  readonly #balanceCents: number[] = [];
  readonly #rounds = new Map<string, RoundBook>();
  readonly #outcomes = new Map<string, Outcome>();
  bets = 0;

  open(accounts: number, balanceCents: number): void {
    for (let account = 0; account < accounts; account++) this.#balanceCents.push(balanceCents);
  }

  placed(account: number, bet: PlacedBet): void {
    const roundId = roundIdAt(bet.marketId, Date.parse(bet.placedAt));
    const book = this.#rounds.get(roundId) ?? new RoundBook();
    this.#rounds.set(roundId, book);
    const stakes = book.byAccount.get(account) ?? {
      UP: { stakeCents: 0, payoutCents: 0 },
      DOWN: { stakeCents: 0, payoutCents: 0 },
    };
    book.byAccount.set(account, stakes);
    const amountCents = cents(bet.amount);
    stakes[bet.prediction].stakeCents += amountCents;
    stakes[bet.prediction].payoutCents += cents(bet.potentialPayout);
    book.bets++;
    book.stakeCents += amountCents;
    this.#move(account, -amountCents);
    this.bets++;
  }

  /** Pays out the round. Returns the number of its bets and their sum. */
  decided(roundId: string, outcome: Outcome): { readonly bets: number; readonly stakeCents: number } {
    this.#outcomes.set(roundId, outcome);
    if (this.#outcomes.size > OUTCOMES_MAX) {
      for (const oldest of this.#outcomes.keys()) {
        this.#outcomes.delete(oldest);
        break;
      }
    }
    const book = this.#rounds.get(roundId);
    if (book === undefined) return { bets: 0, stakeCents: 0 };
    this.#rounds.delete(roundId);
    for (const [account, stakes] of book.byAccount) {
      if (outcome === 'UP' || outcome === 'DOWN') this.#move(account, stakes[outcome].payoutCents);
      else this.#move(account, stakes.UP.stakeCents + stakes.DOWN.stakeCents);
    }
    return { bets: book.bets, stakeCents: book.stakeCents };
  }

  outcome(roundId: string): Outcome | null {
    return this.#outcomes.get(roundId) ?? null;
  }
  /** Rounds with unsettled bets. */
  get waiting(): readonly string[] {
    return [...this.#rounds.keys()];
  }
  balanceCents(account: number): number {
    return must(this.#balanceCents[account], `balance of account ${account}`);
  }

  #move(account: number, amountCents: number): void {
    this.#balanceCents[account] = this.balanceCents(account) + amountCents;
  }
}
