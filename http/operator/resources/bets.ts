/** A bet as the operator API shows it. */
import { isoText } from '../../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../../engine/base/money.js';
import {
  accountId,
  BET_RESULTS,
  type BetResult,
  betId,
  marketId,
  NO_LIMIT,
  type PositionStatus,
  roundId,
  SIDES,
  type Side,
  textAt,
} from '../../../engine/model/domain.js';
import type { BetView } from '../../../engine/model/views.js';

const ODDS_E4 = 10_000;
const PERCENT_E2 = 100;

export interface BetResource {
  readonly id: string;
  readonly accountId: string;
  readonly marketId: string;
  readonly roundId: string;
  readonly prediction: Side;
  readonly amount: number;
  readonly oddsAtBet: number;
  /** null for a limit order that was not filled, and where the archive does not know it. */
  readonly entryPercent: number | null;
  readonly potentialPayout: number;
  readonly status: PositionStatus;
  readonly result: BetResult | null;
  readonly payout: number | null;
  readonly profit: number | null;
  readonly clientSeed: string | null;
  readonly clientOrderId: string | null;
  readonly isLimitOrder: boolean;
  /** The least odds that a limit order takes, and when it became a bet; null for any other bet. */
  readonly limitOdds: number | null;
  readonly filledAt: string | null;
  readonly placedAt: string;
  readonly settledAt: string | null;
}

export function betResource(account: number, bet: BetView): BetResource {
  const { market, roundNumber, stakeCents, entryPercentE2, paidCents, settledAtMs } = bet;
  return {
    id: betId(bet.bet),
    accountId: accountId(account),
    marketId: marketId(market),
    roundId: roundId(market, roundNumber),
    prediction: textAt(SIDES, bet.side),
    amount: dollarsOfCents(stakeCents),
    oddsAtBet: bet.oddsE4 / ODDS_E4,
    entryPercent: entryPercentE2 === null ? null : entryPercentE2 / PERCENT_E2,
    potentialPayout: dollarsOfCents(bet.payoutCents),
    status: bet.status,
    result: paidCents === null ? null : (textAt(BET_RESULTS, bet.result) as BetResult),
    payout: paidCents === null ? null : dollarsOfCents(paidCents),
    profit: paidCents === null ? null : dollarsOfCents(paidCents - stakeCents),
    clientSeed: bet.clientSeed,
    clientOrderId: bet.clientOrderId,
    isLimitOrder: bet.limitOddsE4 !== NO_LIMIT,
    limitOdds: bet.limitOddsE4 === NO_LIMIT ? null : bet.limitOddsE4 / ODDS_E4,
    filledAt: bet.filledAtMs === null ? null : isoText(bet.filledAtMs),
    placedAt: isoText(bet.placedAtMs),
    settledAt: settledAtMs === null ? null : isoText(settledAtMs),
  };
}
