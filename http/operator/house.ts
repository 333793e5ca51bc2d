/** Endpoints of the house's money. */
import typia from 'typia';
import { isoText } from '../../engine/base/iso-text.js';
import type { EarningsAnswer, EarningsSums, MarketEarnings } from '../../engine/model/archive-reads.js';
import { marketId } from '../../engine/model/domain.js';
import { parseChoice, parseTime } from '../kit/params.js';
import { refuseInvalid, unlessRefused } from '../kit/refused.js';
import { REFERENCE, showTransfer, type TransferBody, transferIn } from './accounts.js';
import { type Answer, answer, type Endpoint, PAST } from './endpoint.js';
import { HOUR_MS } from './figures/earnings.js';
import type { TransferResource } from './resources/accounts.js';
import {
  type Earnings,
  earningsResource,
  type HouseExposure,
  type HouseResource,
  houseExposure,
  houseResource,
} from './resources/house.js';
import { lastOf, marketIn } from './rounds.js';

/** Days are those of UTC. */
const LENGTHS_MS = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;
type Length = keyof typeof LENGTHS_MS;

const PARTS_DEFAULT: Readonly<Record<Length, number>> = { hour: 24, day: 7 };
const PARTS_MAX: Readonly<Record<Length, number>> = { hour: 168, day: 31 };
const NOTHING: EarningsSums = { rounds: 0, voided: 0, bets: 0, volumeCents: 0, paidCents: 0, feesCents: 0 };

interface HouseProfit {
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

type Hours = ReadonlyMap<number, EarningsAnswer>;

interface Span {
  readonly by: Length;
  readonly fromMs: number;
  readonly toMs: number;
}

export const PROFIT_ENDPOINT: Endpoint = {
  method: 'GET',
  path: '/house/profit',
  role: 'read',
  id: 'getProfit',
  tag: 'House',
  summary: 'Profit of rounds, by hour or by day, and by market',
  parameters: ['by', 'marketId', 'from', 'to'],
  schemas: typia.json.schemas<[HouseProfit], '3.1'>(),
  codes: PAST,
  handle: async ({ engine, archive, earnings }, { given }) => {
    const by = unlessRefused(parseChoice<Length>('by', given.get('by'), ['hour', 'day'])) ?? 'hour';
    const market = marketIn(given);
    const fromMs = unlessRefused(parseTime('from', given.get('from')));
    const toMs = unlessRefused(parseTime('to', given.get('to')));
    const slices = await engine.list('openRounds', {});
    const span = spanOf(by, fromMs, toMs, slices.at(-1)?.timeMs ?? 0);
    return shown(span, market, await earnings.read(archive, span, slices));
  },
};

/** Whole parts that hold all of the time asked for; without a time, a usual number of them up to now. */
function spanOf(by: Length, from: number | null, to: number | null, nowMs: number): Span {
  const lengthMs = LENGTHS_MS[by];
  const toMs = Math.ceil((to ?? nowMs + 1) / lengthMs) * lengthMs;
  const fromMs = from === null ? toMs - PARTS_DEFAULT[by] * lengthMs : Math.floor(from / lengthMs) * lengthMs;
  if (fromMs >= toMs) return refuseInvalid('from must be before to');
  if (toMs - fromMs > PARTS_MAX[by] * lengthMs)
    return refuseInvalid(`from and to must be at most ${PARTS_MAX[by]} ${by}s apart`);
  return { by, fromMs: Math.max(0, fromMs), toMs };
}

function shown({ by, fromMs, toMs }: Span, market: number | null, hours: Hours): Answer {
  const earned = (startMs: number, endMs: number): MarketEarnings[] =>
    Array.from(hours).flatMap(([hourMs, markets]) =>
      hourMs < startMs || hourMs >= endMs
        ? []
        : markets.filter((each) => market === null || each.market === market),
    );
  const lengthMs = LENGTHS_MS[by];
  const spans = Array.from({ length: (toMs - fromMs) / lengthMs }, (_, index) => {
    const startMs = fromMs + index * lengthMs;
    return { startMs, endMs: startMs + lengthMs, earned: earned(startMs, startMs + lengthMs) };
  });
  const profit: HouseProfit = {
    by,
    from: isoText(fromMs),
    to: isoText(toMs),
    total: resourceOf(spans.flatMap((span) => span.earned)),
    parts: spans.map(({ startMs, endMs, earned: inIt }) => ({
      start: isoText(startMs),
      end: isoText(endMs),
      ...resourceOf(inIt),
    })),
    markets: byMarket(spans.map((span) => span.earned)),
  };
  return answer(200, profit);
}

const resourceOf = (earned: readonly EarningsSums[]): Earnings =>
  earningsResource(earned.reduce(added, NOTHING));

function byMarket(parts: readonly (readonly MarketEarnings[])[]): EarningsOfMarket[] {
  const markets = new Set(parts.flatMap((earned) => earned.map(({ market }) => market)));
  return Array.from(markets, (market) => {
    const ofIt = parts.map((earned) => resourceOf(earned.filter((each) => each.market === market)));
    const sums = resourceOf(parts.flat().filter((each) => each.market === market));
    return { marketId: marketId(market), ...sums, results: ofIt.map(({ houseResult }) => houseResult) };
  })
    .filter(({ totalBets }) => totalBets > 0)
    .sort((one, other) => one.houseResult - other.houseResult);
}

const added = (one: EarningsSums, other: EarningsSums): EarningsSums => ({
  rounds: one.rounds + other.rounds,
  voided: one.voided + other.voided,
  bets: one.bets + other.bets,
  volumeCents: one.volumeCents + other.volumeCents,
  paidCents: one.paidCents + other.paidCents,
  feesCents: one.feesCents + other.feesCents,
});

export const HOUSE_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/house',
    role: 'read',
    id: 'getHouse',
    tag: 'House',
    summary: 'Its money, and all money',
    schemas: typia.json.schemas<[HouseResource], '3.1'>(),
    handle: async ({ engine }) => answer(200, houseResource(await engine.ask('house', {}))),
  },
  {
    method: 'POST',
    path: '/house/deposits',
    role: 'admin',
    id: 'depositHouse',
    tag: 'House',
    summary: 'Pay capital in',
    text: REFERENCE,
    schemas: typia.json.schemas<[TransferResource, TransferBody], '3.1'>(),
    status: 201,
    codes: ['reference_conflict'],
    handle: async ({ engine }, call) =>
      showTransfer(await engine.command({ kind: 'depositHouse', ...transferIn(call) }, call.by)),
  },
  {
    method: 'POST',
    path: '/house/withdrawals',
    role: 'admin',
    id: 'withdrawHouse',
    tag: 'House',
    summary: 'Pay capital out',
    text: REFERENCE,
    schemas: typia.json.schemas<[TransferResource, TransferBody], '3.1'>(),
    status: 201,
    codes: ['reference_conflict', 'insufficient_balance'],
    handle: async ({ engine }, call) =>
      showTransfer(await engine.command({ kind: 'withdrawHouse', ...transferIn(call) }, call.by)),
  },
  {
    method: 'GET',
    path: '/house/exposure',
    role: 'read',
    id: 'getExposure',
    tag: 'House',
    summary: 'Exposure in open rounds, by round and by market',
    parameters: [],
    schemas: typia.json.schemas<[HouseExposure], '3.1'>(),
    handle: async ({ engine }) => {
      const slices = await engine.list('openRounds', {});
      return answer(200, houseExposure([...lastOf(slices).values()], slices.at(-1)?.timeMs ?? 0));
    },
  },
  PROFIT_ENDPOINT,
];
