/**
 * Operator routes for prices and for the manual clock (design, section 8). Both answer once all the lifecycle work
 * that they cause is durable, so a tester sees its effects in the next request.
 */
import typia, { type tags } from 'typia';
import { ASSETS, type Asset } from '../../engine/model/domain.js';
import { readBody } from '../kit/body.js';
import { Refused } from '../kit/refused.js';
import {
  type Asking,
  answer,
  asking,
  type Call,
  type Reasoned,
  type Result,
  type Route,
  readTimeMs,
} from './call.js';
import type { PushedTick, RefusedTick } from './desk/dealings.js';

/** What of prices and time operators move on this server. */
export interface SandboxParts {
  readonly isFeedPush: boolean;
  readonly isClockManual: boolean;
}

export interface Tick {
  readonly crypto: Asset;
  readonly price: number;
  /** The engine's present time if absent. */
  readonly timestamp?: string & tags.Format<'date-time'>;
}
type PricesBody = readonly Tick[] & tags.MinItems<1> & tags.MaxItems<1000>;

/** 31 days. Longer moves take several calls, so progress can be observed. */
type AdvanceMs = number & tags.Type<'uint32'> & tags.Maximum<2_678_400_000>;
export interface ClockBody extends Reasoned {
  readonly advanceMs: AdvanceMs;
}

const validatePrices = typia.createValidateEquals<PricesBody>();
const validateClock = typia.createValidateEquals<ClockBody>();

export function sandboxRoutes({ isFeedPush, isClockManual }: SandboxParts): readonly Route[] {
  return [
    { method: 'POST', path: '/prices', role: 'admin', handle: (call) => pushPrices(isFeedPush, call) },
    { method: 'POST', path: '/clock', role: 'admin', handle: (call) => moveClock(isClockManual, call) },
  ];
}

/**
 * A malformed body is refused as a whole. Otherwise each tick is checked on its own, in order, as from any feed, so
 * one absurd price does not withhold the others from their rounds. The answer lists the refused ticks.
 */
function pushPrices(isFeedPush: boolean, { request }: Call): Asking | Refused {
  const body = readBody(request, validatePrices);
  if (body instanceof Refused) return body;
  if (!isFeedPush)
    return new Refused('feed_not_push', 'prices come from another feed: start with TOTE_FEED=push');
  const ticks = readTicks(body);
  if (ticks instanceof Refused) return ticks;
  const cryptos = body.map(({ crypto }) => crypto);
  return asking('pushPrices', { ticks }, (refused) => showTicks(cryptos, refused));
}

function showTicks(cryptos: readonly Asset[], ticks: readonly RefusedTick[]): Result {
  const refused = ticks.map(({ index, detail }) => ({ index, crypto: cryptos[index], reason: detail }));
  if (refused.length < cryptos.length)
    return answer(200, { taken: cryptos.length - refused.length, refused });
  return new Refused('price_refused', refused.map(({ crypto, reason }) => `${crypto}: ${reason}`).join('; '));
}

/** Converts ticks to the engine's units: the asset's index, and milliseconds since 1970. */
function readTicks(body: PricesBody): PushedTick[] | Refused {
  const ticks: PushedTick[] = [];
  for (const [index, { crypto, price, timestamp }] of body.entries()) {
    const timeMs = timestamp === undefined ? null : readTimeMs(`[${index}].timestamp`, timestamp);
    if (timeMs instanceof Refused) return timeMs;
    ticks.push({ asset: ASSETS.indexOf(crypto), price, timeMs });
  }
  return ticks;
}

function moveClock(isClockManual: boolean, { request }: Call): Asking | Refused {
  const body = readBody(request, validateClock);
  if (body instanceof Refused) return body;
  const { advanceMs } = body;
  if (!isClockManual)
    return new Refused('clock_not_manual', "the clock is the system's: start with TOTE_CLOCK=manual");
  return asking('moveClock', { advanceMs }, (timeMs) =>
    answer(200, { time: new Date(timeMs).toISOString() }),
  );
}
