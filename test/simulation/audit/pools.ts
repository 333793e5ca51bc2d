/**
 * A round's pools by separate arithmetic: stakes, the house's seeds where its newest quote has them, what is owed on either
 * side, and what the bets earn the house on average.
 */
import { UP } from '../../../engine/model/domain.js';
import type { HouseRules } from '../../../engine/model/rules.js';
import {
  referenceOddsE4,
  referencePayoutCents,
  referencePercentE2,
} from '../../support/reference/arithmetic.js';
import { edgeOf, upSeedOf } from '../../support/reference/quotes.js';

/** What a bet of a stake gets at a fair share. */
export interface ReferenceOffer {
  readonly oddsE4: number;
  readonly entryPercentE2: number;
  readonly payoutCents: number;
  /** Whether the round would still owe no more than it holds, and sell nothing below its fair share. */
  readonly isCovered: boolean;
}

export class RoundPools {
  #stakesUpCents = 0;
  #stakesDownCents = 0;
  #owedUpCents = 0;
  #owedDownCents = 0;
  #edgeCents = 0n;

  constructor(
    private readonly house: HouseRules,
    private readonly feeBps: number,
  ) {}

  get isQuoted(): boolean {
    return this.house.policy === 'fair';
  }
  get totalCents(): number {
    return this.#stakesUpCents + this.#stakesDownCents + 2 * this.house.seedCents;
  }

  /** A side's published percent at this fair share, which is -1 where the seeds are fixed. */
  percentE2(side: number, fairShareE6: number): number {
    const upCents = this.#upCents(fairShareE6);
    return referencePercentE2(side, upCents, this.totalCents - upCents);
  }

  offer(side: number, stakeCents: number, fairShareE6: number): ReferenceOffer {
    const isUp = side === UP;
    const upBeforeCents = this.#upCents(fairShareE6);
    const totalCents = this.totalCents + stakeCents;
    const upCents = upBeforeCents + (isUp ? stakeCents : 0);
    const oddsE4 = referenceOddsE4(totalCents, isUp ? upCents : totalCents - upCents);
    const payoutCents = referencePayoutCents(stakeCents, oddsE4, this.feeBps);
    const owedCents = isUp ? this.#owedUpCents : this.#owedDownCents;
    const edgeCents = this.isQuoted ? edgeOf(side, stakeCents, payoutCents, fairShareE6) : 0n;
    return {
      oddsE4,
      entryPercentE2: referencePercentE2(side, upCents, totalCents - upCents),
      payoutCents,
      isCovered: owedCents + payoutCents <= totalCents && this.#edgeCents + edgeCents >= 0n,
    };
  }

  join(side: number, stakeCents: number, payoutCents: number, fairShareE6: number): void {
    if (side === UP) {
      this.#stakesUpCents += stakeCents;
      this.#owedUpCents += payoutCents;
    } else {
      this.#stakesDownCents += stakeCents;
      this.#owedDownCents += payoutCents;
    }
    if (this.isQuoted) this.#edgeCents += edgeOf(side, stakeCents, payoutCents, fairShareE6);
  }

  #upCents(fairShareE6: number): number {
    const { house, feeBps } = this;
    if (!this.isQuoted) return this.#stakesUpCents + house.seedCents;
    const quoted = {
      fairShareE6,
      owedUp: BigInt(this.#owedUpCents),
      owedDown: BigInt(this.#owedDownCents),
      edge: this.#edgeCents,
      feeBps,
      house,
    };
    return this.#stakesUpCents + upSeedOf(quoted, this.#stakesUpCents, this.totalCents);
  }
}
