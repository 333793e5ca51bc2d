/**
 * The hashes of bets in lists. Bots ask for the same bets again and again, and a hash costs several times as much as
 * the rest of a bet's text. It never changes, so the last ones are kept, by the low bits of the bet's number.
 */
import type { RoundSeeds } from '../../engine/fairness.js';
import type { BetView } from '../../engine/model/views.js';

/** A power of two. Full, they take some 6 MB. */
export const HASHES_KEPT = 1 << 16;

export class ListedHashes {
  /** 0 for none. */
  readonly #bets = new Float64Array(HASHES_KEPT);
  readonly #hashes = new Array<string>(HASHES_KEPT).fill('');

  constructor(private readonly seeds: RoundSeeds) {}

  of(view: BetView, entryPercentE2: number): string {
    const slot = view.bet & (HASHES_KEPT - 1);
    if (this.#bets[slot] !== view.bet) {
      this.#hashes[slot] = this.#hash(view, entryPercentE2);
      this.#bets[slot] = view.bet;
    }
    return this.#hashes[slot] as string;
  }

  /** Field by field: an object made with spread syntax costs more than the hash. */
  #hash(view: BetView, entryPercentE2: number): string {
    return this.seeds.betHash({
      timeMs: view.placedAtMs,
      bet: view.bet,
      market: view.market,
      roundNumber: view.roundNumber,
      side: view.side,
      stakeCents: view.stakeCents,
      oddsE4: view.oddsE4,
      entryPercentE2,
      payoutCents: view.payoutCents,
      clientSeed: view.clientSeed,
    });
  }
}
