/** Endpoints of the house's money. */
import typia from 'typia';
import { isoText } from '../../engine/base/iso-text.js';
import type { MarketEarnings } from '../../engine/model/archive-reads.js';
import { marketId } from '../../engine/model/domain.js';
import { refuseInvalid } from '../kit/refused.js';
import { transferEndpoint } from './accounts.js';
import { ARCHIVE_CODES, type Declared } from './endpoint.js';
import { HOUR_MS } from './figures/earnings.js';
import {
  type Earnings,
  earningsOf,
  type HouseExposure,
  type HouseResource,
  houseExposure,
  houseResource,
} from './resources/house.js';

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
  if (fromMs >= toMs) return refuseInvalid('from must be before to');
  if (toMs - fromMs > PARTS_MAX[by] * lengthMs)
    return refuseInvalid(`from and to must be at most ${PARTS_MAX[by]} ${by}s apart`);
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
