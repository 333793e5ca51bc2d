/** Endpoints that control trading: the switch, markets, rounds, prices and the clock; and, in a sandbox, prices and time. */
import typia, { type tags } from 'typia';
import { ASSETS, type Asset, marketId, marketOf, parseRoundId, roundId } from '../../engine/model/domain.js';
import { refuse } from '../kit/refused.js';
import {
  type Call,
  type Declared,
  IF_SEEN,
  type Reason,
  type Reasoned,
  type Services,
  timeIn,
} from './endpoint.js';
import type { PriceHistoryResource } from './figures/price-history.js';
import type { PushedTick } from './queries/commands.js';
import { type ClockTime, clockTime } from './server.js';

/** Clients are told the reason in the 503 of their orders. */
interface TradingBody extends Reasoned {
  readonly enabled: boolean;
  readonly seen?: TradingState;
}
interface TradingState {
  readonly enabled: boolean;
  /** Clients read it in the 503 of their orders. */
  readonly reason: string;
}
interface MarketBody extends Reasoned {
  readonly suspended: boolean;
  readonly seen?: Pick<MarketState, 'suspendedSequence'>;
}
interface MarketState {
  readonly id: string;
  readonly suspended: boolean;
  /** The number of the last command that suspended it; 0 while it is active. `GET /status` lists it. */
  readonly suspendedSequence: number;
}
interface VoidRoundBody {
  readonly reason: Reason & tags.MinLength<1>;
}
interface VoidedRound {
  readonly id: string;
  readonly voided: boolean;
  readonly reason: string;
}
interface ConfirmPriceBody {
  readonly price: number;
  readonly reason: Reason & tags.MinLength<1>;
}
interface ConfirmedPrice {
  readonly crypto: Asset;
  readonly price: number;
  readonly reason: string;
}
interface Tick {
  readonly crypto: Asset;
  readonly price: number;
  /** The engine's present time if absent. */
  readonly timestamp?: string & tags.Format<'date-time'>;
}
interface PricesResult {
  readonly taken: number;
  /** By its place in the request. */
  readonly refused: readonly { readonly index: number; readonly crypto: Asset; readonly reason: string }[];
}
/** 31 days. Longer moves take several calls, so progress can be observed. */
type AdvanceMs = number & tags.Type<'uint64'> & tags.Maximum<2_678_400_000>;
interface ClockBody extends Reasoned {
  readonly advanceMs: AdvanceMs;
}

const validateConfirm = typia.createValidateEquals<ConfirmPriceBody>();
const validateTrading = typia.createValidateEquals<TradingBody>();
const validateMarket = typia.createValidateEquals<MarketBody>();
const validateVoid = typia.createValidateEquals<VoidRoundBody>();
const validatePrices = typia.createValidateEquals<readonly Tick[] & tags.MinItems<1> & tags.MaxItems<1000>>();
const validateClock = typia.createValidateEquals<ClockBody>();

export const TRADING_ENDPOINTS: readonly Declared[] = [
  {
    method: 'PUT',
    path: '/trading',
    role: 'admin',
    id: 'setTrading',
    summary: 'Stop or take orders',
    text: `Clients read the reason in the 503 of their orders. ${IF_SEEN}`,
    schemas: typia.json.schemas<[TradingState, TradingBody], '3.1'>(),
    codes: ['preview_outdated'],
    handle: async ({ engine }, call) => {
      const { enabled, reason = '', seen } = call.body(validateTrading);
      await engine.command({ kind: 'setTrading', enabled, reason }, call.by, seen);
      return { enabled, reason } satisfies TradingState;
    },
  },
  {
    method: 'PATCH',
    path: '/markets/{id}',
    role: 'admin',
    id: 'suspendMarket',
    summary: 'Suspend or resume a market',
    text: IF_SEEN,
    schemas: typia.json.schemas<[MarketState, MarketBody], '3.1'>(),
    codes: ['market_not_found', 'preview_outdated'],
    handle: async ({ engine }, call) => {
      const market = marketOf(call.id);
      const { suspended, seen } = call.body(validateMarket);
      const before = seen === undefined ? {} : { suspendedSeq: seen.suspendedSequence };
      const { seq } = await engine.command({ kind: 'suspendMarket', market, suspended }, call.by, before);
      const suspendedSequence = suspended ? seq : 0;
      return { id: marketId(market), suspended, suspendedSequence } satisfies MarketState;
    },
  },
  {
    method: 'POST',
    path: '/rounds/{id}/void',
    role: 'admin',
    id: 'voidRound',
    summary: 'Void a round: every stake goes back',
    schemas: typia.json.schemas<[VoidedRound, VoidRoundBody], '3.1'>(),
    codes: ['round_not_found', 'round_already_resolved'],
    handle: async ({ engine }, call) => {
      const round = parseRoundId(call.id);
      if (round === null) return refuse('round_not_found', 'no such round');
      const { market, roundNumber } = round;
      const { reason } = call.body(validateVoid);
      await engine.command({ kind: 'voidRound', market, roundNumber, reason }, call.by);
      return { id: roundId(market, roundNumber), voided: true, reason } satisfies VoidedRound;
    },
  },
  {
    method: 'POST',
    path: '/prices/{crypto}/confirm',
    role: 'admin',
    id: 'confirmPrice',
    summary: 'Believe a price that is held back as absurd',
    schemas: typia.json.schemas<[ConfirmedPrice, ConfirmPriceBody], '3.1'>(),
    codes: ['not_found', 'price_not_held'],
    handle: async ({ engine }, call) => {
      const asset = assetIn(call);
      // The price says which one: it may have changed since the operator saw it.
      const { price: seen, reason } = call.body(validateConfirm);
      const price = await engine.ask('confirmPrice', { asset, price: seen, reason, by: call.by });
      return { crypto: call.id as Asset, price, reason } satisfies ConfirmedPrice;
    },
  },
  {
    method: 'GET',
    path: '/prices/{crypto}/history',
    id: 'getPriceHistory',
    summary: 'Prices of the last hour',
    parameters: [],
    schemas: typia.json.schemas<[PriceHistoryResource], '3.1'>(),
    codes: ['not_found'],
    handle: ({ prices }, call) => {
      const asset = assetIn(call);
      return { crypto: call.id as Asset, ...prices(asset) } satisfies PriceHistoryResource;
    },
  },
];

/**
 * Both answer once all the lifecycle work that they cause is durable, so a tester sees its effects in the next request.
 */
export const SANDBOX_ENDPOINTS: readonly Declared[] = [
  {
    method: 'POST',
    path: '/prices',
    role: 'admin',
    id: 'pushPrices',
    summary: 'Push prices (`TOTE_FEED=push`)',
    schemas: typia.json.schemas<
      [PricesResult, readonly Tick[] & tags.MinItems<1> & tags.MaxItems<1000>],
      '3.1'
    >(),
    codes: ['feed_not_push', 'price_refused'],
    handle: pushPrices,
  },
  {
    method: 'POST',
    path: '/clock',
    role: 'admin',
    id: 'moveClock',
    summary: 'Move the clock forward (`TOTE_CLOCK=manual`)',
    schemas: typia.json.schemas<[ClockTime, ClockBody], '3.1'>(),
    codes: ['clock_not_manual'],
    handle: async ({ engine }, call) => {
      const { advanceMs } = call.body(validateClock);
      return clockTime(await engine.ask('moveClock', { advanceMs, by: call.by }));
    },
  },
];

function assetIn({ id }: Call): number {
  const asset = ASSETS.indexOf(id as Asset);
  return asset >= 0 ? asset : refuse('not_found', `no such asset; known are ${ASSETS.join(', ')}`);
}

/**
 * A malformed body is refused as a whole. Otherwise each tick is checked on its own, in order, as from any feed, so one
 * absurd price does not withhold the others from their rounds. The answer lists the refused ticks.
 */
async function pushPrices({ engine }: Services, call: Call): Promise<PricesResult> {
  const body = call.body(validatePrices);
  const ticks = body.map(
    ({ crypto, price, timestamp }, index): PushedTick => ({
      asset: ASSETS.indexOf(crypto),
      price,
      timeMs: timestamp === undefined ? null : timeIn(`[${index}].timestamp`, timestamp),
    }),
  );
  const refused = (await engine.ask('pushPrices', { ticks })).map(({ index, detail }) => ({
    index,
    crypto: (body[index] as Tick).crypto,
    reason: detail,
  }));
  const taken = body.length - refused.length;
  if (taken > 0) return { taken, refused };
  return refuse('price_refused', refused.map(({ crypto, reason }) => `${crypto}: ${reason}`).join('; '));
}
