/** Endpoints of the house's money. */
import typia from 'typia';
import { isoText } from '../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../engine/base/money.js';
import type { EarningsSums, MarketEarnings } from '../../engine/model/archive-reads.js';
import {
  marketId,
  RESULT_DOWN,
  RESULT_UP,
  ROUND_STATUSES,
  type RoundStatus,
  roundId,
  textAt,
} from '../../engine/model/domain.js';
import { LOSS_SCOPES, lossLimitCents, lostCents } from '../../engine/model/loss-limits.js';
import { houseResultCents, worstResultCents } from '../../engine/quotes/exposure.js';
import { refuseInvalid } from '../kit/refused.js';
import { transferEndpoint } from './accounts.js';
import { ARCHIVE_CODES, type Declared } from './endpoint.js';
import { HOUR_MS } from './figures/earnings.js';
import type { HouseTotals, OpenRound, OpenRounds } from './queries/reads.js';

/** Days are those of UTC. */
const LENGTHS_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;
type Length = keyof typeof LENGTHS_MS;

const PARTS_DEFAULT: Readonly<Record<Length, number>> = { hour: 24, day: 7 };
const PARTS_MAX: Readonly<Record<Length, number>> = { hour: 168, day: 31 };

export interface HouseProfit {
  readonly by: 'hour' | 'day';
  readonly from: string;
  readonly to: string;
  readonly total: Earnings;
  readonly parts: readonly EarningsOfPart[];
  /** Those with bets, of all the time; those that have lost the most first. */
  readonly markets: readonly EarningsOfMarket[];
}
interface EarningsOfPart extends Earnings {
  readonly start: string;
  readonly end: string;
}
interface EarningsOfMarket extends Earnings {
  readonly marketId: string;
  /** Its house result in each of the parts. */
  readonly results: readonly number[];
}

interface Part {
  readonly startMs: number;
  readonly endMs: number;
  readonly earned: readonly MarketEarnings[];
}

export const HOUSE_ENDPOINTS: readonly Declared[] = [
  {
    method: 'GET',
    path: '/house',
    id: 'getHouse',
    summary: 'Its money, and all money',
    schemas: typia.json.schemas<[HouseResource], '3.1'>(),
    handle: async ({ engine }) => houseResource(await engine.ask('house', {})),
  },
  transferEndpoint('/house/deposits', 'Pay capital in', (money) => ({ kind: 'depositHouse', ...money })),
  transferEndpoint('/house/withdrawals', 'Pay capital out', (money) => ({ kind: 'withdrawHouse', ...money })),
  {
    method: 'GET',
    path: '/house/exposure',
    id: 'getExposure',
    summary: 'Exposure in open rounds, by round and by market',
    parameters: [],
    schemas: typia.json.schemas<[HouseExposure], '3.1'>(),
    handle: async ({ engine }) => houseExposure(await engine.ask('openRounds', {})),
  },
  {
    method: 'GET',
    path: '/house/profit',
    id: 'getProfit',
    summary: 'Profit of rounds, by hour or by day, and by market',
    parameters: ['by', 'marketId', 'from', 'to'],
    schemas: typia.json.schemas<[HouseProfit], '3.1'>(),
    codes: ARCHIVE_CODES,
    handle: async ({ engine, archive, earnings }, call) => {
      const by = call.choice<Length>('by', ['hour', 'day']) ?? 'hour';
      const market = call.market();
      const [fromMs, toMs] = [call.time('from'), call.time('to')];
      const open = await engine.ask('openRounds', {});
      const starts = startsOf(by, fromMs, toMs, open.timeMs);
      const endMs = (starts.at(-1) ?? 0) + LENGTHS_MS[by];
      const hours = await earnings.read(archive, starts[0] ?? 0, endMs, open);
      return profit(
        by,
        starts.map((startMs) => {
          const partEndMs = startMs + LENGTHS_MS[by];
          const inIt = [...hours].filter(([hourMs]) => hourMs >= startMs && hourMs < partEndMs);
          const earned = inIt.flatMap(([, markets]) => markets);
          const wanted = earned.filter((each) => market === null || each.market === market);
          return { startMs, endMs: partEndMs, earned: wanted };
        }),
      );
    },
  },
];

/** Whole parts that hold all of the time asked for; without a time, a usual number of them up to now. */
function startsOf(by: Length, from: number | null, to: number | null, nowMs: number): number[] {
  const lengthMs = LENGTHS_MS[by];
  const toMs = Math.ceil((to ?? nowMs + 1) / lengthMs) * lengthMs;
  const fromMs = from === null ? toMs - PARTS_DEFAULT[by] * lengthMs : Math.floor(from / lengthMs) * lengthMs;
  const end = to === null ? 'now' : 'to';
  if (fromMs >= toMs) return refuseInvalid(`from must be before ${end}`);
  if (toMs - fromMs > PARTS_MAX[by] * lengthMs)
    return refuseInvalid(`from must be at most ${PARTS_MAX[by]} ${by}s before ${end}`);
  const firstMs = Math.max(0, fromMs);
  return Array.from({ length: (toMs - firstMs) / lengthMs }, (_, index) => firstMs + index * lengthMs);
}

function profit(by: Length, parts: readonly Part[]): HouseProfit {
  const all = parts.flatMap(({ earned }) => earned);
  const markets = Array.from(new Set(all.map(({ market }) => market)), (market): EarningsOfMarket => {
    const sumOf = (earned: readonly MarketEarnings[]): Earnings =>
      earningsOf(earned.filter((each) => each.market === market));
    const results = parts.map(({ earned }) => sumOf(earned).houseResult);
    return { marketId: marketId(market), ...sumOf(all), results };
  });
  return {
    by,
    from: isoText(parts[0]?.startMs ?? 0),
    to: isoText(parts.at(-1)?.endMs ?? 0),
    total: earningsOf(all),
    parts: parts.map(({ startMs, endMs, earned }) => ({
      start: isoText(startMs),
      end: isoText(endMs),
      ...earningsOf(earned),
    })),
    markets: markets
      .filter(({ totalBets }) => totalBets > 0)
      .sort((one, other) => one.houseResult - other.houseResult),
  };
}

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

function houseResource(totals: HouseTotals): HouseResource {
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
function houseExposure({ rounds, timeMs }: Pick<OpenRounds, 'rounds' | 'timeMs'>): HouseExposure {
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

function earningsOf(all: readonly EarningsSums[]): Earnings {
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
