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
import type { HouseTotals, OpenRound, OpenRounds } from '../queries/reads.js';

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
interface DayResult {
  readonly scope: string;
  readonly result: number;
  /** Counts against the limit: losses since the scope was last resumed after reaching it. */
  readonly lost: number;
  readonly limit: number;
}

export function houseResource(totals: HouseTotals): HouseResource {
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

const dayResults = (facts: HouseTotals): DayResult[] =>
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
interface RoundExposure extends Exposure {
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
interface MarketExposure extends Exposure {
  readonly marketId: string;
  readonly rounds: number;
}
export interface HouseExposure extends Exposure {
  readonly time: string;
  /** Those with the most to lose first. */
  readonly markets: readonly MarketExposure[];
  readonly rounds: readonly RoundExposure[];
}

/** Rounds that wait for their opening price have no seeds, and are left out. */
export function houseExposure({ rounds, timeMs }: Pick<OpenRounds, 'rounds' | 'timeMs'>): HouseExposure {
  const open = rounds.filter((round) => round.openPrice !== null);
  const markets = Array.from(new Set(open.map(({ market }) => market)), (market): MarketExposure => {
    const own = open.filter((round) => round.market === market);
    return { marketId: marketId(market), rounds: own.length, ...exposureOf(own) };
  });
  return {
    time: isoText(timeMs),
    ...exposureOf(open),
    markets: markets.sort((one, other) => one.worst - other.worst),
    rounds: open.map(roundExposure).sort((one, other) => one.worst - other.worst),
  };
}

function exposureOf(rounds: readonly OpenRound[]): Exposure {
  const sum = (of: (round: OpenRound) => number): number =>
    rounds.reduce((total, round) => total + of(round), 0);
  const quoted = rounds.some(({ edgeCents }) => edgeCents !== null);
  return {
    seeds: dollarsOfCents(sum(({ seedCents }) => 2 * seedCents)),
    totalBets: sum(({ betCount }) => betCount),
    totalVolume: dollarsOfCents(sum(({ volumeCents }) => volumeCents)),
    worst: dollarsOfCents(sum(worstResultCents)),
    expected: quoted ? dollarsOfCents(sum(({ edgeCents }) => edgeCents ?? 0)) : null,
  };
}

function roundExposure(round: OpenRound): RoundExposure {
  return {
    id: roundId(round.market, round.roundNumber),
    marketId: marketId(round.market),
    status: textAt(ROUND_STATUSES, round.status),
    endTime: isoText(round.endTimeMs),
    ...exposureOf([round]),
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

export function earningsOf(all: readonly EarningsSums[]): Earnings {
  const sum = (name: keyof EarningsSums): number => all.reduce((total, one) => total + one[name], 0);
  const [volumeCents, paidCents] = [sum('volumeCents'), sum('paidCents')];
  return {
    rounds: sum('rounds'),
    voided: sum('voided'),
    totalBets: sum('bets'),
    totalVolume: dollarsOfCents(volumeCents),
    paid: dollarsOfCents(paidCents),
    fees: dollarsOfCents(sum('feesCents')),
    houseResult: dollarsOfCents(volumeCents - paidCents),
  };
}
