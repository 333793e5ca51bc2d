/**
 * The facts of `GET /status`: the server's state on one page. Unlike every other answer it does not wait for the
 * journal, because an operator needs it most when the journal hangs.
 */
import { must } from '../../../engine/base/assert.js';
import { isoOrNull, isoText } from '../../../engine/base/iso-text.js';
import type { PriceTracker } from '../../../engine/host/price-tracker.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import { ASSETS, marketId, textAt } from '../../../engine/model/domain.js';
import type { Clock } from '../../../engine/model/ports.js';
import type { ShadowStatus } from '../../../engine/model/shadow-status.js';
import type { LiveFeed } from '../../../feeds/live/live-feed.js';
import { marketsWithoutCapital, openRounds, suspendedMarkets } from '../../metrics/engine-figures.js';
import { type LeaderStatus, refusedAs } from '../../metrics/replication.js';
import { type CommandOptions, unconfirmedMs } from './commands.js';
import type { Reply } from './reads.js';

export interface StartView {
  /** 0 if it started from no snapshot. */
  readonly snapshotSeq: number;
  readonly lastSeq: number;
  readonly tookMs: number;
}

export interface StatusSources {
  readonly clock: Clock;
  readonly feedName: string;
  readonly liveFeeds: readonly LiveFeed[];
  readonly durability: 'fsync' | 'os';
  readonly shadow: () => ShadowStatus;
  /** null where the journal is on this machine alone. */
  readonly replicatedLog: () => LeaderStatus | null;
  readonly start: StartView;
  readonly version: string;
}

export type Status = ReturnType<typeof status>;

/** The few facts beside the board that the console shows each second. */
export type Pulse = ReturnType<typeof pulseOf>;

/** Neither question waits for the journal. */
export class StatusReads {
  readonly #startedMs: number;

  /** `sources` is null in tests. */
  constructor(
    private readonly options: CommandOptions,
    private readonly sources: StatusSources | null,
  ) {
    this.#startedMs = sources?.clock.monotonicMs() ?? 0;
  }

  /** The status resource, which needs no rendering. */
  readonly status = (): Reply<Status> => {
    const sources = must(this.sources, 'a server with a process of its own has a status');
    const uptimeMs = sources.clock.monotonicMs() - this.#startedMs;
    return { result: status(this.options, sources, uptimeMs), after: 0 };
  };

  readonly pulse = (): Reply<Pulse> => ({
    result: pulseOf(this.options, this.sources?.replicatedLog() ?? null),
    after: 0,
  });
}

function status(options: CommandOptions, sources: StatusSources, uptimeMs: number) {
  const { sequencer, tracker, manualRun } = options;
  const { clock, durability, version } = sources;
  const { engine } = sequencer;
  const nowMs = clock.nowMs();
  const { backupAtMs, oldRows } = sources.shadow();
  const { snapshotSeq, lastSeq, tookMs } = sources.start;
  return {
    version,
    rulesVersion: engine.rulesVersion,
    uptimeSeconds: Math.floor(uptimeMs / 1000),
    sequence: engine.seq,
    durableSequence: sequencer.durableSeq,
    backlog: sequencer.backlogCommands,
    engineTime: isoText(engine.timeMs),
    setup: engine.setup,
    clock: {
      mode: manualRun === null ? 'system' : 'manual',
      time: isoText(nowMs),
      condition: sequencer.wallClock.condition,
      /** Ahead of the last time that was sound, negative if behind, while the condition is not sound. */
      offsetMs: sequencer.wallClock.offsetMs,
    },
    journal: {
      durability,
      spaceLevel: sequencer.spaceLevel,
      oldRows: {
        checked: oldRows.isDone,
        checkedSequence: oldRows.checkedSeq,
        untilSequence: oldRows.endSeq,
        faults: oldRows.faults,
      },
    },
    lastBackup: isoOrNull(backupAtMs),
    replication: sources.replicatedLog(),
    start: {
      snapshotSequence: snapshotSeq === 0 ? null : snapshotSeq,
      commandsReplayed: lastSeq - snapshotSeq,
      ms: Math.round(tookMs),
    },
    shadow: shadow(sources.shadow(), sequencer.durableSeq),
    trading: engine.trading,
    suspendedMarkets: suspendedMarkets(engine).map(({ market, seq }) => ({
      id: marketId(market),
      suspendedSequence: seq,
    })),
    ordersRefused: ordersRefused(sequencer, sources.replicatedLog()),
    feed: {
      name: sources.feedName,
      /** Feeds over a network, in order of preference. */
      sources: sources.liveFeeds.map((feed) => feed.view()),
      ticks: ticks(tracker, nowMs),
      held: heldPrices(tracker),
      /** Rounds wait for a price at these boundaries. */
      awaited: awaitedPrices(tracker),
    },
    rounds: {
      open: openRounds(engine).length,
      unsettled: engine.unsettledRounds().length,
      notOpenedForLackOfCapital: marketsWithoutCapital(engine, tracker, nowMs).map(marketId),
    },
  };
}

function shadow(view: ShadowStatus, durableSeq: number) {
  const { state, reason, appliedSeq, archiveSeq, snapshot, recoveryNeedsBytes, freeBytes } = view;
  const { heapUsedBytes, arrayBuffersBytes } = view;
  return {
    state,
    reason,
    appliedSequence: appliedSeq,
    lagCommands: Math.max(0, durableSeq - appliedSeq),
    archiveSequence: archiveSeq,
    lastSnapshot:
      snapshot === null
        ? null
        : {
            sequence: snapshot.seq,
            time: isoText(snapshot.atMs),
            bytes: snapshot.bytes,
            ms: snapshot.tookMs === null ? null : Math.round(snapshot.tookMs),
          },
    memory: { heapUsedBytes, arrayBuffersBytes },
    recoverySpace: { neededBytes: recoveryNeedsBytes, freeBytes },
  };
}

/** As the API shows them. A tick for a boundary is accepted until `until`. */
export function awaitedPrices(tracker: PriceTracker) {
  return tracker.awaited.map(({ asset, boundaryMs, untilMs }) => ({
    crypto: textAt(ASSETS, asset),
    boundary: isoText(boundaryMs),
    until: isoText(untilMs),
  }));
}

function ticks(tracker: PriceTracker, nowMs: number) {
  const shown = ASSETS.map((crypto, asset) => {
    const tick = tracker.latest(asset);
    if (tick === null) return [crypto, null] as const;
    return [crypto, { price: tick.price, ageMs: nowMs - tick.timeMs, source: tick.source }] as const;
  });
  return Object.fromEntries(shown);
}

function heldPrices(tracker: PriceTracker) {
  const shown = ASSETS.flatMap((crypto, asset) => {
    const held = tracker.held(asset);
    if (held === null) return [];
    const { last, sinceMs, agreeing } = held;
    const since = isoText(sinceMs);
    return [[crypto, { price: last.price, source: last.source, since, ticks: agreeing + 1 }] as const];
  });
  return Object.fromEntries(shown);
}

/** null while orders are taken. */
const ordersRefused = ({ engine, gate }: Sequencer, replication: LeaderStatus | null): string | null =>
  engine.trading.enabled ? refusedAs(gate, replication) : 'trading_disabled';

function pulseOf({ sequencer, manualRun }: CommandOptions, replication: LeaderStatus | null) {
  const { engine } = sequencer;
  const { trading } = engine;
  return {
    timeMs: sequencer.stampMs(),
    isClockManual: manualRun !== null,
    arePricesSimulated: engine.setup?.feed === 'simulated',
    /** The clock's time while somebody has to confirm it; else null. */
    unconfirmedMs: unconfirmedMs(sequencer),
    seq: engine.seq,
    durableSeq: sequencer.durableSeq,
    backlog: sequencer.backlogCommands,
    trading: { ...trading },
    ordersRefused: ordersRefused(sequencer, replication),
    totals: { ...engine.totals() },
    accounts: engine.accountCount,
    keys: engine.keyCount,
    bets: engine.betsPlaced,
    unsettled: engine.unsettledRounds().length,
    suspended: suspendedMarkets(engine),
    /** null where the journal is on this machine alone. */
    replication,
  };
}
