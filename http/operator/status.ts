/**
 * `GET /status`: how the server is, on one page. Unlike every other answer it does not wait for the journal:
 * an operator asks for it when the journal is what hangs.
 */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { ASSETS, assetOf, LIVE, LOCKED, MARKETS_MAX, marketId } from '../../engine/domain.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { dollarsOfCents } from '../../engine/money.js';
import type { Clock } from '../../engine/ports.js';
import type { EngineReads } from '../../engine/views.js';
import { answer, type Route } from './call.js';

/** The asset's last accepted tick since the start, or null. */
type LatestTick = (asset: number) => { readonly price: number; readonly timeMs: number } | null;

export interface StatusSources {
  readonly sequencer: Sequencer;
  readonly clock: Clock;
  readonly clockMode: 'system' | 'manual';
  readonly feedName: string;
  readonly latestTick: LatestTick;
  readonly durability: 'fsync' | 'os';
  readonly version: string;
  readonly uwsVersion: string;
}

const NANOSECONDS_PER_MS = 1e6;
const LOOP_RESOLUTION_MS = 10;

export function statusRoutes(sources: StatusSources): readonly Route[] {
  const startedMs = sources.clock.monotonicMs();
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loopDelay.enable();
  return [
    {
      method: 'GET',
      path: '/status',
      handle: () => answer(200, status(sources, sources.clock.monotonicMs() - startedMs, loopDelay), 0),
    },
  ];
}

function status(sources: StatusSources, uptimeMs: number, loopDelay: IntervalHistogram): unknown {
  const { sequencer, clock, clockMode, durability, version } = sources;
  const { engine } = sequencer;
  const nowMs = clock.nowMs();
  const memory = process.memoryUsage();
  return {
    version,
    node: process.version,
    uWebSockets: sources.uwsVersion,
    rulesVersion: engine.rulesVersion,
    uptimeSeconds: Math.floor(uptimeMs / 1000),
    sequence: engine.seq,
    durableSequence: sequencer.durableSeq,
    backlog: sequencer.backlogCommands,
    engineTime: new Date(engine.timeMs).toISOString(),
    clock: { mode: clockMode, time: new Date(nowMs).toISOString(), condition: sequencer.clockCondition },
    journal: { durability, spaceLevel: sequencer.spaceLevel },
    trading: engine.trading,
    /** Why new orders are refused now, or null. */
    ordersRefused: engine.trading.enabled ? sequencer.gate : 'trading_disabled',
    feed: { name: sources.feedName, ticks: ticks(sources, nowMs) },
    rounds: rounds(engine, sources.latestTick, nowMs),
    house: { balance: dollarsOfCents(engine.totals().houseCents) },
    counts: { accounts: engine.accountCount, keys: engine.keyCount, bets: engine.betCount },
    memory: { rssBytes: memory.rss, heapUsedBytes: memory.heapUsed, arrayBuffersBytes: memory.arrayBuffers },
    eventLoopDelayMs: {
      mean: delayMs(loopDelay.mean),
      p99: delayMs(loopDelay.percentile(99)),
      max: delayMs(loopDelay.max),
    },
  };
}

/** Node measures from one look to the next, which are a resolution apart where nothing delays them. */
const delayMs = (measuredNs: number): number =>
  Math.max(0, Math.round((measuredNs / NANOSECONDS_PER_MS - LOOP_RESOLUTION_MS) * 1_000) / 1_000);

function ticks({ latestTick }: StatusSources, nowMs: number): Record<string, unknown> {
  const shown = ASSETS.map((crypto, asset) => {
    const tick = latestTick(asset);
    return [crypto, tick === null ? null : { price: tick.price, ageMs: nowMs - tick.timeMs }];
  });
  return Object.fromEntries(shown);
}

function rounds(engine: EngineReads, latestTick: LatestTick, nowMs: number): unknown {
  let open = 0;
  for (let market = 0; market < MARKETS_MAX; market++) {
    const status = engine.currentRound(market)?.status;
    if (status === LIVE || status === LOCKED) open++;
  }
  return {
    open,
    unsettled: engine.unsettledRounds().length,
    notOpenedForLackOfCapital: marketsWithoutCapital(engine, latestTick, nowMs).map(marketId),
  };
}

/** Markets that have a fresh price and would open a round now if the house could pay its seeds. */
export function marketsWithoutCapital(engine: EngineReads, latestTick: LatestTick, nowMs: number): number[] {
  const { houseCents } = engine.totals();
  return ASSETS.flatMap((_, asset) => engine.vacantMarkets(asset, nowMs)).filter((market) => {
    const rules = engine.marketRules(market);
    const tick = latestTick(assetOf(market));
    if (rules === null || tick === null || nowMs - tick.timeMs > rules.maxPriceAgeMs) return false;
    return 2 * rules.seedCents > houseCents;
  });
}
