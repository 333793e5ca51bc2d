/** Takes the figures of the engine's thread (`gauges.ts`): some in each turn, most once a second. */
import type { EngineReads } from '../../engine/engine.js';
import type { PriceTracker } from '../../engine/host/price-tracker.js';
import type { Quoter } from '../../engine/host/quoter.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { ASSETS, assetOf, LIVE, LOCKED, MARKET_IDS } from '../../engine/model/domain.js';
import { LOSS_SCOPES, lossLimitCents, lostCents } from '../../engine/model/loss-limits.js';
import type { Clock } from '../../engine/model/ports.js';
import type { PriceWatch } from '../../engine/model/prices.js';
import type { ShadowStatus } from '../../engine/model/shadow-status.js';
import type { RoundView } from '../../engine/model/views.js';
import { worstResultCents } from '../../engine/quotes/exposure.js';
import { type BACKGROUND_THREADS, Gauges, REPEATED_ALARMING, SPACE_LEVELS } from './gauges.js';
import { type LeaderStatus, logGauges } from './replication.js';

/** The event loop has been busy for so long since the thread began. */
interface Busy {
  readonly activeMs: number;
}

export interface EngineFiguresOptions extends PriceWatch {
  readonly engineGauges: SharedArrayBuffer;
  readonly clock: Clock;
  readonly sequencer: Sequencer;
  readonly tracker: PriceTracker;
  readonly quoter: Pick<Quoter, 'volatility' | 'estimate'>;
  readonly shadow: () => ShadowStatus;
  readonly threads: Readonly<Record<(typeof BACKGROUND_THREADS)[number], Busy>>;
  /** Money is at stake: prices are not simulated, nor is the clock. */
  readonly needsBackup: boolean;
  /** null where no port has TLS. */
  readonly certificateEndsMs: () => number | null;
  /** null where the journal is on this machine alone. */
  readonly replicatedLog: () => LeaderStatus | null;
  readonly isStopping: () => boolean;
}

export class EngineFigures {
  readonly #gauges: Gauges;

  constructor(private readonly options: EngineFiguresOptions) {
    this.#gauges = new Gauges(options.engineGauges);
  }

  /** To be called every few milliseconds. */
  beat(): void {
    const { clock, sequencer, isStopping, replicatedLog } = this.options;
    const { condition } = sequencer.wallClock;
    const { enabled } = sequencer.engine.trading;
    this.#gauges.set({
      turnEndedMs: clock.monotonicMs(),
      isStopping: (sequencer.ending && !sequencer.isLost) || isStopping(),
      isClockSound: condition === 'sound',
      isClockUnconfirmed: condition === 'unconfirmed',
      isBacklogged: sequencer.gate === 'journal_backlog',
      isJournalLost: sequencer.isLost,
      spaceLevel: SPACE_LEVELS.indexOf(sequencer.spaceLevel),
      isTrading: enabled,
      isTakingOrders: enabled && sequencer.gate === null,
      ...logGauges(replicatedLog()),
    });
  }

  /** To be called about once a second. */
  sample(): void {
    const { sequencer, tracker, threads } = this.options;
    const nowMs = sequencer.stampMs();
    this.#samplePrices(nowMs);
    this.#sampleJournal();
    this.#sampleState();
    this.#sampleLosses(nowMs);
    this.#gauges.set({
      marketsWithoutCapital: marketsWithoutCapital(sequencer.engine, tracker, nowMs).length,
      journalActiveMs: threads.journal.activeMs,
      shadowActiveMs: threads.shadow.activeMs,
      readerActiveMs: threads.reader.activeMs,
    });
  }

  #samplePrices(nowMs: number): void {
    const { tracker, quoter, expectedAssets, silentAssets, latenessMs, lateMarkets, switchedAssets } =
      this.options;
    let [assetsAtBound, assetsRepeating, assetsHeld] = [0, 0, 0];
    for (const asset of ASSETS.keys()) {
      assetsHeld += Number(tracker.held(asset) !== null);
      const { isAtBound, repeated } = quoter.volatility(asset);
      if (quoter.estimate(asset) !== null) {
        assetsAtBound += Number(isAtBound);
        assetsRepeating += Number(Math.abs(repeated) > REPEATED_ALARMING);
      }
      const tick = tracker.latest(asset);
      const lateMs = latenessMs(asset);
      this.#gauges.set({
        [`feedAgeSeconds${asset}`]: tick === null ? null : Math.max(0, nowMs - tick.timeMs) / 1_000,
        [`feedLatenessSeconds${asset}`]: lateMs === null ? null : lateMs / 1_000,
      });
    }
    // A server that has lost its journal takes no prices, and must not be restarted because of them.
    const { isLost } = this.options.sequencer;
    this.#gauges.set({
      ...{ assetsHeld, assetsAtBound, assetsRepeating },
      assetsExpected: isLost ? 0 : expectedAssets(nowMs).length,
      assetsSilent: isLost ? 0 : silentAssets(nowMs).length,
      marketsLate: lateMarkets(),
      assetsSwitched: switchedAssets(),
    });
  }

  #sampleLosses(nowMs: number): void {
    const { engine } = this.options.sequencer;
    const results = engine.dayResults(nowMs);
    const { rules } = engine;
    let lossLimitShare = 0;
    for (const scope of LOSS_SCOPES.keys()) {
      this.#gauges.set({ [`dayResultCents${scope}`]: results.resultCents[scope] as number });
      if (rules !== null)
        lossLimitShare = Math.max(lossLimitShare, lostCents(results, scope) / lossLimitCents(rules, scope));
    }
    this.#gauges.set({ lossLimitShare });
  }

  #sampleJournal(): void {
    const { sequencer, shadow, needsBackup, certificateEndsMs } = this.options;
    const { durableSeq, backlogCommands } = sequencer;
    const { appliedSeq, archiveSeq, reason, recoveryNeedsBytes, freeBytes, ...kept } = shadow();
    const { oldRows, snapshot, backupAtMs, createdAtMs } = kept;
    const isSaved = durableSeq <= (snapshot?.seq ?? 0);
    this.#gauges.set({
      ...{ durableSeq, backlogCommands, recoveryNeedsBytes, freeBytes },
      shadowLagCommands: Math.max(0, durableSeq - appliedSeq),
      archiveLagCommands: Math.max(0, durableSeq - archiveSeq),
      isShadowImpaired: reason !== null,
      journalFaults: oldRows.faults.length,
      snapshotAtMs: snapshot?.atMs ?? null,
      unsavedSinceMs: isSaved ? null : (snapshot?.atMs ?? createdAtMs),
      backupAtMs: needsBackup ? (backupAtMs ?? createdAtMs) : null,
      certificateEndsMs: certificateEndsMs(),
    });
  }

  #sampleState(): void {
    const { engine } = this.options.sequencer;
    const { houseCents, accountsCents, openStakesCents, openSeedsCents, reservedStakesCents } =
      engine.totals();
    const open = openRounds(engine);
    const unsettled = engine.unsettledRounds();
    const all = [...open, ...unsettled];
    this.#gauges.set({
      ...{ houseCents, accountsCents, openStakesCents, openSeedsCents, reservedStakesCents },
      marketsSuspended: suspendedMarkets(engine).length,
      accounts: engine.accountCount,
      keys: engine.keyCount,
      betsInMemory: engine.betsRetained,
      restingOrders: engine.restingOrders,
      openRounds: open.length,
      unsettledRounds: unsettled.length,
      openBets: all.reduce((sum, { betCount }) => sum + betCount, 0),
      exposureCents: all.reduce((loss, round) => loss - worstResultCents(round), 0),
    });
  }
}

/** Those that are active otherwise, with the numbers of the commands that suspended them. */
export const suspendedMarkets = (engine: EngineReads) =>
  MARKET_IDS.map((_, market) => ({ market, seq: engine.suspendedSeq(market) })).filter(
    ({ market, seq }) => seq > 0 && engine.marketRules(market) !== null,
  );

/** Markets that have a fresh price and would open a round now if the house could pay its seeds. */
export function marketsWithoutCapital(engine: EngineReads, tracker: PriceTracker, nowMs: number): number[] {
  const { houseCents } = engine.totals();
  return ASSETS.flatMap((_, asset) => engine.vacantMarkets(asset, nowMs)).filter((market) => {
    const rules = engine.marketRules(market);
    const tick = tracker.latest(assetOf(market));
    if (rules === null || tick === null || nowMs - tick.timeMs > rules.maxPriceAgeMs) return false;
    return 2 * rules.house.seedCents > houseCents;
  });
}

export const openRounds = (engine: EngineReads): RoundView[] =>
  MARKET_IDS.flatMap((_, market) => engine.currentRound(market) ?? []).filter(
    ({ status }) => status === LIVE || status === LOCKED,
  );
