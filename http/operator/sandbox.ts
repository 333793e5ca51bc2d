/**
 * Operator routes for prices and for the manual clock (design, section 8). Both answer once all the lifecycle work
 * that they cause is durable, so a tester sees its effects in the next request.
 */
import typia, { type tags } from 'typia';
import type { ManualRun } from '../../engine/host/manual-run.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { ASSETS, type Asset, textAt } from '../../engine/model/domain.js';
import type { PriceTick } from '../../engine/model/ports.js';
import { readBody } from '../kit/body.js';
import { Refused } from '../kit/refused.js';
import type { PushFeed } from '../prices/push-feed.js';
import { answer, type Call, type Result, type Route, readTimeMs } from './call.js';

export interface SandboxOptions {
  readonly sequencer: Sequencer;
  /** null if prices come from another feed. */
  readonly pushFeed: PushFeed | null;
  /** null if the clock is the system's. */
  readonly manualRun: ManualRun | null;
}

interface Tick {
  readonly crypto: Asset;
  readonly price: number;
  /** The engine's present time if absent. */
  readonly timestamp?: string & tags.Format<'date-time'>;
}
type EngineTick = Pick<PriceTick, 'asset' | 'price' | 'timeMs'>;
type PricesBody = readonly Tick[] & tags.MinItems<1> & tags.MaxItems<1000>;

/** 31 days. Longer moves take several calls, so progress can be observed. */
type AdvanceMs = number & tags.Type<'uint32'> & tags.Maximum<2_678_400_000>;
interface ClockBody {
  readonly advanceMs: AdvanceMs;
}

const validatePrices = typia.createValidateEquals<PricesBody>();
const validateClock = typia.createValidateEquals<ClockBody>();

export function sandboxRoutes(options: SandboxOptions): readonly Route[] {
  return [
    { method: 'POST', path: '/prices', handle: (call) => pushPrices(options, call) },
    { method: 'POST', path: '/clock', handle: (call) => moveClock(options, call) },
  ];
}

/**
 * A malformed body is refused as a whole. Otherwise each tick is checked on its own, in order, as from any feed, so
 * one absurd price does not withhold the others from their rounds. The answer lists the refused ticks.
 */
function pushPrices({ sequencer, pushFeed }: SandboxOptions, call: Call): Result {
  const body = readBody(call.request, validatePrices);
  if (body instanceof Refused) return body;
  if (pushFeed === null)
    return new Refused('feed_not_push', 'prices come from another feed: start with TOTE_FEED=push');
  const ticks = readTicks(body, sequencer.stampMs());
  if (ticks instanceof Refused) return ticks;
  const refused = ticks.flatMap(({ asset, price, timeMs }, index) => {
    const verdict = pushFeed.offer(asset, price, timeMs);
    return verdict.taken ? [] : [{ index, crypto: textAt(ASSETS, asset), reason: verdict.detail }];
  });
  if (refused.length === ticks.length) {
    return new Refused(
      'price_refused',
      refused.map(({ crypto, reason }) => `${crypto}: ${reason}`).join('; '),
    );
  }
  return answer(200, { taken: ticks.length - refused.length, refused }, 'all');
}

/** Converts ticks to the engine's units: the asset's index, and milliseconds since 1970. */
function readTicks(body: PricesBody, nowMs: number): EngineTick[] | Refused {
  const ticks: EngineTick[] = [];
  for (const [index, { crypto, price, timestamp }] of body.entries()) {
    const timeMs = timestamp === undefined ? nowMs : readTimeMs(`[${index}].timestamp`, timestamp);
    if (timeMs instanceof Refused) return timeMs;
    ticks.push({ asset: ASSETS.indexOf(crypto), price, timeMs });
  }
  return ticks;
}

async function moveClock({ manualRun }: SandboxOptions, call: Call): Promise<Result> {
  const body = readBody(call.request, validateClock);
  if (body instanceof Refused) return body;
  const { advanceMs } = body;
  if (manualRun === null) {
    return new Refused('clock_not_manual', "the clock is the system's: start with TOTE_CLOCK=manual");
  }
  const timeMs = await manualRun.advance(advanceMs);
  return answer(200, { time: new Date(timeMs).toISOString() }, 'all');
}
