/** The engine's host: sequencer, clock, prices, rounds, and the threads behind the journal. */
import type { RunningConfig } from '../config/setup.js';
import type { EngineReads } from '../engine/engine.js';
import { ClockGuard } from '../engine/host/clock-guard.js';
import { Lifecycle, SETTLE_BETS_MAX, STALL_MS } from '../engine/host/lifecycle.js';
import { ManualRun } from '../engine/host/manual-run.js';
import { RootPublisher } from '../engine/host/root-publisher.js';
import { Sequencer } from '../engine/host/sequencer.js';
import { SEQUENCER_DEFAULTS, type SequencerMeter } from '../engine/host/sequencer-options.js';
import { openPrices } from '../feeds/prices.js';
import { freeBytesOf } from '../persistence/data-dir/space.js';
import type { Store } from '../persistence/recovery/open-store.js';
import { RootFeed } from '../persistence/roots/feed.js';
import { ManualClock, systemClock, wholeMonotonicMs } from '../process/clock.js';
import type { Log } from '../process/log/log.js';
import type { Shutdown } from '../process/shutdown.js';
import type { Storage } from './keepers.js';
import { hasStakes, tellGap } from './start-clock.js';
import { rootRefusedLogger } from './store-lines.js';

/** A manual clock goes on where the journal ends; the log tells of a system clock that is far from there. */
export function openClock(config: RunningConfig, { engine, dir }: Store, log: Log): ManualClock | null {
  // A standby has followed since it recovered its journal.
  const { timeMs: lastTimeMs } = engine;
  if (config.clock === 'manual') return new ManualClock(lastTimeMs, config.clockStartMs);
  const isSimulated = config.feeds.includes('simulated');
  const nowMs = systemClock.nowMs();
  tellGap({ nowMs, lastTimeMs, hasStakes: hasStakes(engine), isSimulated, dataDir: dir.root }, log);
  return null;
}

export type Host = ReturnType<typeof buildHost>;
export function buildHost(
  config: RunningConfig,
  manualClock: ManualClock | null,
  { store, journal, archive }: Storage,
  shutdown: Shutdown,
  log: Log,
  meter: SequencerMeter,
) {
  const { engine, dir, masterSecret } = store;
  const clock = manualClock ?? systemClock;
  const sequencer = new Sequencer(engine, clock, journal, {
    ...SEQUENCER_DEFAULTS,
    afterWork: queueMicrotask,
    schedule: setImmediate,
    onFatal: (error) => shutdown.fatal(error),
    onDiskFull: () => shutdown.diskFull({ directory: dir.root, freeBytes: freeBytesOf(dir.journal) }),
    onJournalLost: (loss) => shutdown.journalLost(loss),
    meter,
    clockGuard: manualClock === null ? clockGuardOf(config, engine) : null,
  });
  const fromMs = engine.timeMs > 0 ? engine.timeMs : clock.nowMs();
  const prices = openPrices(config, engine, { masterSecret, fromMs, clock, log });
  const lifecycle = new Lifecycle(sequencer, prices.tracker, {
    feed: prices.feed,
    calendar: prices.hours.sessions.bind(prices.hours),
    fairShare: prices.orderShareE6,
    schedule: setImmediate,
    settleBetsMax: SETTLE_BETS_MAX,
    clock,
    stallMs: manualClock === null ? STALL_MS : Number.POSITIVE_INFINITY,
  });
  const runClock = manualClock?.set.bind(manualClock) ?? null;
  const threads = archive();
  const feed = new RootFeed(
    engine,
    threads.makeRoots((root) => roots.publish(root)),
  );
  const roots = new RootPublisher(sequencer, {
    tell: () => feed.tell(),
    onRefused: rootRefusedLogger(log),
  });
  const parts = { sequencer, lifecycle, roots, schedule: setImmediate };
  const manualRun = runClock === null ? null : new ManualRun(parts, runClock);
  const steadyNowMs = manualClock === null ? wholeMonotonicMs : () => manualClock.nowMs();
  const common = { clock, steadyNowMs, journal, sequencer, lifecycle, manualRun };
  return { ...common, ...prices, threads, shadow: threads.shadow, roots };
}

/** Simulated prices are nobody's money. */
const clockGuardOf = ({ feeds }: RunningConfig, engine: EngineReads): ClockGuard =>
  new ClockGuard(() => !feeds.includes('simulated') && hasStakes(engine));
