/** The house's money as the operator API shows it: what it has, what may become of it, and what it has earned. */

import { isoText } from '../../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../../engine/base/money.js';
import type { EarningsSums } from '../../../engine/model/archive-reads.js';
import {
  marketId,
  RESULT_DOWN,
  RESULT_UP,
  ROUND_STATUSES,
  type RoundStatus,
  roundId,
  textAt,
} from '../../../engine/model/domain.js';
import { LOSS_SCOPES, lossLimitCents, lostCents } from '../../../engine/model/loss-limits.js';
import { houseResultCents, worstResultCents } from '../../../engine/quotes/exposure.js';
import type { HouseFacts, OpenRound } from '../queries/query.js';

/** `balance + accounts + openStakes + openSeeds + reservedStakes = deposits - withdrawals`, at all times. */
export interface HouseResource {
  /** It can pay seeds from this, and payouts. */
  readonly balance: number;
  readonly accounts: number;
  readonly openStakes: number;
  readonly openSeeds: number;
  /** Stakes of limit orders that rest. */
  readonly reservedStakes: number;
  readonly deposits: number;
  readonly withdrawals: number;
  /** Markets and assets that rounds settled today (UTC) have won or lost something in, and ALL, the last. */
  readonly today: readonly DayResult[];
}

/** The day of a scope of loss limits: a market, an asset, or ALL. */
export interface DayResult {
  readonly scope: string;
  readonly result: number;
  /** Counts against the limit: losses since the scope was last resumed after reaching it. */
  readonly lost: number;
  readonly limit: number;
}

export function houseResource(totals: HouseFacts): HouseResource {
  return {
    balance: dollarsOfCents(totals.houseCents),
    accounts: dollarsOfCents(totals.accountsCents),
    openStakes: dollarsOfCents(totals.openStakesCents),
    openSeeds: dollarsOfCents(totals.openSeedsCents),
    reservedStakes: dollarsOfCents(totals.reservedStakesCents),
    deposits: dollarsOfCents(totals.depositsCents),
    withdrawals: dollarsOfCents(totals.withdrawalsCents),
    today: dayResults(totals),
  };
}

const dayResults = (facts: HouseFacts): DayResult[] =>
  LOSS_SCOPES.flatMap((scope, at) => {
    const resultCents = facts.resultCents[at] ?? 0;
    if (resultCents === 0 && scope !== 'ALL') return [];
    const [lost, limit] = [Math.max(0, lostCents(facts, at)), lossLimitCents(facts, at)];
    return {
      scope,
      result: dollarsOfCents(resultCents),
      lost: dollarsOfCents(lost),
      limit: dollarsOfCents(limit),
    };
  });

/** The outcomes that open rounds can have. Losses are below 0, and never more than the seeds. */
export interface Exposure {
  /** Put in by the house. */
  readonly seeds: number;
  readonly totalBets: number;
  readonly totalVolume: number;
  /** The house's result in the worst case. */
  readonly worst: number;
  /** Its result on average, if the fair shares are the probabilities; null where the seeds are fixed. */
  readonly expected: number | null;
}
export interface RoundExposure extends Exposure {
  readonly id: string;
  readonly marketId: string;
  readonly status: RoundStatus;
  readonly endTime: string;
  /** Paid to the bets on a side if it wins. */
  readonly owedUp: number;
  readonly owedDown: number;
  /** The house's result then. */
  readonly resultIfUp: number;
  readonly resultIfDown: number;
}
export interface MarketExposure extends Exposure {
  readonly marketId: string;
  readonly rounds: number;
}
export interface HouseExposure extends Exposure {
  readonly time: string;
  /** Those with the most to lose first. */
  readonly markets: readonly MarketExposure[];
  readonly rounds: readonly RoundExposure[];
}

interface Cents {
  readonly seedsCents: number;
  readonly betCount: number;
  readonly volumeCents: number;
  readonly worstCents: number;
  readonly edgeCents: number | null;
}

const NOTHING: Cents = { seedsCents: 0, betCount: 0, volumeCents: 0, worstCents: 0, edgeCents: null };

/** Rounds that wait for their opening price have no seeds, and are left out. */
export function houseExposure(rounds: readonly OpenRound[], timeMs: number): HouseExposure {
  const open = rounds.filter((round) => round.openPrice !== null);
  const byMarket = new Map<number, { readonly cents: Cents; readonly rounds: number }>();
  for (const round of open) {
    const { cents, rounds: count } = byMarket.get(round.market) ?? { cents: NOTHING, rounds: 0 };
    byMarket.set(round.market, { cents: added(cents, centsOf(round)), rounds: count + 1 });
  }
  const markets = Array.from(byMarket, ([market, { cents, rounds: count }]) => ({
    marketId: marketId(market),
    rounds: count,
    ...exposureOf(cents),
  }));
  return {
    time: isoText(timeMs),
    ...exposureOf(open.map(centsOf).reduce(added, NOTHING)),
    markets: markets.sort((one, other) => one.worst - other.worst),
    rounds: open.map(roundExposure).sort((one, other) => one.worst - other.worst),
  };
}

function centsOf(round: OpenRound): Cents {
  const { seedCents, betCount, volumeCents, edgeCents } = round;
  return {
    seedsCents: 2 * seedCents,
    betCount,
    volumeCents,
    worstCents: worstResultCents(round),
    edgeCents,
  };
}

function added(one: Cents, other: Cents): Cents {
  const edges = [one.edgeCents, other.edgeCents].filter((cents) => cents !== null);
  return {
    seedsCents: one.seedsCents + other.seedsCents,
    betCount: one.betCount + other.betCount,
    volumeCents: one.volumeCents + other.volumeCents,
    worstCents: one.worstCents + other.worstCents,
    edgeCents: edges.length === 0 ? null : edges.reduce((sum, cents) => sum + cents, 0),
  };
}

const exposureOf = ({ seedsCents, betCount, volumeCents, worstCents, edgeCents }: Cents): Exposure => ({
  seeds: dollarsOfCents(seedsCents),
  totalBets: betCount,
  totalVolume: dollarsOfCents(volumeCents),
  worst: dollarsOfCents(worstCents),
  expected: edgeCents === null ? null : dollarsOfCents(edgeCents),
});

function roundExposure(round: OpenRound): RoundExposure {
  return {
    id: roundId(round.market, round.roundNumber),
    marketId: marketId(round.market),
    status: textAt(ROUND_STATUSES, round.status),
    endTime: isoText(round.endTimeMs),
    ...exposureOf(centsOf(round)),
    owedUp: dollarsOfCents(round.payoutUpCents),
    owedDown: dollarsOfCents(round.payoutDownCents),
    resultIfUp: dollarsOfCents(houseResultCents(round, RESULT_UP)),
    resultIfDown: dollarsOfCents(houseResultCents(round, RESULT_DOWN)),
  };
}

/** Results of the rounds that ended in a time. */
export interface Earnings {
  readonly rounds: number;
  readonly voided: number;
  readonly totalBets: number;
  readonly totalVolume: number;
  readonly paid: number;
  readonly fees: number;
  /** The stakes less what was paid, fees included. */
  readonly houseResult: number;
}

export const earningsResource = (sums: EarningsSums): Earnings => ({
  rounds: sums.rounds,
  voided: sums.voided,
  totalBets: sums.bets,
  totalVolume: dollarsOfCents(sums.volumeCents),
  paid: dollarsOfCents(sums.paidCents),
  fees: dollarsOfCents(sums.feesCents),
  houseResult: dollarsOfCents(sums.volumeCents - sums.paidCents),
});
