/**
 * Figures that the engine's thread shows to the operators' thread without being asked, so that they are known while it
 * hangs.
 */
import type { Quoter } from '../../engine/host/quoter.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { ASSETS, LIVE, LOCKED, MARKETS_MAX } from '../../engine/model/domain.js';
import { LOSS_SCOPES, lossLimitCents, lostCents } from '../../engine/model/loss-limits.js';
import type { Clock, PriceTick, SpaceLevel } from '../../engine/model/ports.js';
import type { EngineReads, RoundView } from '../../engine/model/views.js';
import { worstResultCents } from '../../engine/quotes/exposure.js';
import type { AssetsAt } from '../../feeds/silent-assets.js';
import { Gauges, gaugesMemory } from './gauges.js';
import { type LeaderLog, LOG_GAUGES, setLogGauges } from './replication.js';

/** For the journal and the threads that follow it. */
export const BACKGROUND_THREADS = ['journal', 'shadow', 'reader'] as const;
type BackgroundThread = (typeof BACKGROUND_THREADS)[number];
const activeMsOf = <T extends BackgroundThread>(thread: T) => `${thread}ActiveMs` as const;
/** The house's result of today in the scope of a loss limit, in cents. */
export const dayResultOf = (scope: number) => `dayResult${scope}` as const;
/** Seconds since the asset's last price. */
export const ageOf = (asset: number) => `feedAge${asset}` as const;
/** Seconds by which the asset's prices are late. */
export const latenessOf = (asset: number) => `feedLateness${asset}` as const;

export const ENGINE_GAUGES = [
  /** Monotonic milliseconds, the same in all threads. */
  'turnEndedMs',
  /** 1 or 0. */
  'isStopping',
  'isClockSound',
  'isClockUnconfirmed',
  'isBacklogged',
  'isTrading',
  'isTakingOrders',
  /** Index into `SPACE_LEVELS`. */
  'spaceLevel',
  'isJournalLost',
  /** Assets of which ticks are expected now, and how many of them have had none for a while. */
  'assetsExpected',
  'assetsSilent',
  ...ASSETS.map((_, asset) => ageOf(asset)),
  ...ASSETS.map((_, asset) => latenessOf(asset)),
  /** Markets whose prices are too late for them, and those that are suspended. */
  'marketsLate',
  'marketsSuspended',
  /** Assets of which a price is held back as absurd, and those that are not priced by their preferred feed. */
  'assetsHeld',
  'assetsSwitched',
  'durableSeq',
  'backlogCommands',
  'shadowLagCommands',
  'archiveLagCommands',
  'isShadowImpaired',
  'journalFaults',
  /** Milliseconds since 1970; 0 for none. */
  'snapshotAtMs',
  /** The newest snapshot's, or the data directory's beginning without one; NaN while nothing has happened since. */
  'unsavedSinceMs',
  /** The last backup's, or the data directory's beginning without one; NaN where none is needed. */
  'backupAtMs',
  /** The first end of a port's certificate; NaN without TLS. */
  'certificateEndsMs',
  'freeBytes',
  'recoveryNeedsBytes',
  'accounts',
  'keys',
  'betsInMemory',
  'openBets',
  'restingOrders',
  'openRounds',
  'unsettledRounds',
  'houseCents',
  'accountsCents',
  'openStakesCents',
  'openSeedsCents',
  'reservedStakesCents',
  'exposureCents',
  'marketsWithoutCapital',
  'lossLimitShare',
  ...LOSS_SCOPES.map((_, scope) => dayResultOf(scope)),
  /** Quoted assets whose volatility is at a bound of its estimate, and whose changes repeat or take back each other. */
  'assetsAtBound',
  'assetsRepeating',
  ...BACKGROUND_THREADS.map(activeMsOf),
  ...LOG_GAUGES,
] as const;
export type EngineGauges = Gauges<(typeof ENGINE_GAUGES)[number]>;

/** Changes of a sound feed hardly know of each other. */
export const REPEATED_ALARMING = 0.3;

export const SPACE_LEVELS: readonly SpaceLevel[] = ['ok', 'soft', 'reserve', 'hard'];

export const engineGaugesMemory = (): SharedArrayBuffer => gaugesMemory(ENGINE_GAUGES);
export const engineGaugesOf = (memory: SharedArrayBuffer): EngineGauges => new Gauges(ENGINE_GAUGES, memory);

/** Since the thread began. */
interface Busy {
  readonly activeMs: number;
}

export interface EngineFiguresOptions {
  readonly engineGauges: SharedArrayBuffer;
  readonly clock: Clock;
  readonly sequencer: Sequencer;
  readonly tracker: { latest(asset: number): PriceTick | null; held(asset: number): object | null };
  readonly quoter: Pick<Quoter, 'volatility' | 'estimate'>;
  readonly expectedAssets: AssetsAt;
  readonly silentAssets: AssetsAt;
  readonly latenessMs: (asset: number) => number | null;
  readonly lateMarkets: () => number;
  readonly switchedAssets: () => number;
  readonly shadow: () => {
    readonly appliedSeq: number;
    readonly archiveSeq: number;
    readonly reason: string | null;
    readonly oldRows: { readonly faults: readonly string[] };
    readonly snapshot: { readonly seq: number; readonly atMs: number } | null;
    readonly backupAtMs: number | null;
    readonly createdAtMs: number;
    readonly recoveryNeedsBytes: number;
    readonly freeBytes: number;
  };
  readonly threads: Readonly<Record<BackgroundThread, Busy>>;
  readonly marketsWithoutCapital: (nowMs: number) => number;
  /** Money is at stake: prices are not simulated, nor is the clock. */
  readonly needsBackup: boolean;
  /** null where no port has TLS. */
  readonly certificateEndsMs: () => number | null;
  /** null where the journal is on this machine alone. */
  readonly replicatedLog: () => LeaderLog | null;
  readonly isStopping: () => boolean;
}

export class EngineFigures {
  readonly #gauges: EngineGauges;

  constructor(private readonly options: EngineFiguresOptions) {
    this.#gauges = engineGaugesOf(options.engineGauges);
  }

  /** To be called every few milliseconds. */
  beat(): void {
    const { clock, sequencer, isStopping } = this.options;
    const gauges = this.#gauges;
    gauges.set('turnEndedMs', clock.monotonicMs());
    gauges.set('isStopping', Number((sequencer.ending && !sequencer.isLost) || isStopping()));
    const { condition } = sequencer.wallClock;
    gauges.set('isClockSound', Number(condition === 'sound'));
    gauges.set('isClockUnconfirmed', Number(condition === 'unconfirmed'));
    gauges.set('isBacklogged', Number(sequencer.gate === 'journal_backlog'));
    gauges.set('isJournalLost', Number(sequencer.isLost));
    gauges.set('spaceLevel', SPACE_LEVELS.indexOf(sequencer.spaceLevel));
    const { enabled } = sequencer.engine.trading;
    gauges.set('isTrading', Number(enabled));
    gauges.set('isTakingOrders', Number(enabled && sequencer.gate === null));
    setLogGauges(gauges, this.options.replicatedLog());
  }

  /** To be called about once a second. */
  sample(): void {
    const nowMs = this.options.sequencer.stampMs();
    this.#samplePrices(nowMs);
    this.#sampleJournal();
    this.#sampleState();
    this.#sampleLosses(nowMs);
    this.#gauges.set('marketsWithoutCapital', this.options.marketsWithoutCapital(nowMs));
    for (const thread of BACKGROUND_THREADS)
      this.#gauges.set(activeMsOf(thread), this.options.threads[thread].activeMs);
  }

  #samplePrices(nowMs: number): void {
    const { tracker, quoter, expectedAssets, silentAssets, latenessMs, lateMarkets, switchedAssets } =
      this.options;
    const gauges = this.#gauges;
    gauges.set('assetsExpected', expectedAssets(nowMs).length);
    gauges.set('assetsSilent', silentAssets(nowMs).length);
    gauges.set('marketsLate', lateMarkets());
    gauges.set('assetsSwitched', switchedAssets());
    let [atBound, repeating, held] = [0, 0, 0];
    for (const asset of ASSETS.keys()) {
      held += Number(tracker.held(asset) !== null);
      const { isAtBound, repeated } = quoter.volatility(asset);
      if (quoter.estimate(asset) !== null) {
        atBound += Number(isAtBound);
        repeating += Number(Math.abs(repeated) > REPEATED_ALARMING);
      }
      const tick = tracker.latest(asset);
      gauges.set(ageOf(asset), tick === null ? Number.NaN : Math.max(0, nowMs - tick.timeMs) / 1_000);
      gauges.set(latenessOf(asset), (latenessMs(asset) ?? Number.NaN) / 1_000);
    }
    gauges.set('assetsHeld', held);
    gauges.set('assetsAtBound', atBound);
    gauges.set('assetsRepeating', repeating);
  }

  #sampleLosses(nowMs: number): void {
    const { engine } = this.options.sequencer;
    const gauges = this.#gauges;
    const results = engine.dayResults(nowMs);
    const { rules } = engine;
    let share = 0;
    for (const scope of LOSS_SCOPES.keys()) {
      gauges.set(dayResultOf(scope), results.resultCents[scope] as number);
      if (rules !== null) share = Math.max(share, lostCents(results, scope) / lossLimitCents(rules, scope));
    }
    gauges.set('lossLimitShare', share);
  }

  #sampleJournal(): void {
    const { sequencer, shadow, needsBackup, certificateEndsMs } = this.options;
    const gauges = this.#gauges;
    const { durableSeq, backlogCommands } = sequencer;
    const { appliedSeq, archiveSeq, reason, recoveryNeedsBytes, freeBytes, ...kept } = shadow();
    const { oldRows, snapshot, backupAtMs, createdAtMs } = kept;
    gauges.set('durableSeq', durableSeq);
    gauges.set('backlogCommands', backlogCommands);
    gauges.set('shadowLagCommands', Math.max(0, durableSeq - appliedSeq));
    gauges.set('archiveLagCommands', Math.max(0, durableSeq - archiveSeq));
    gauges.set('isShadowImpaired', Number(reason !== null));
    gauges.set('journalFaults', oldRows.faults.length);
    gauges.set('snapshotAtMs', snapshot?.atMs ?? 0);
    const isSaved = durableSeq <= (snapshot?.seq ?? 0);
    gauges.set('unsavedSinceMs', isSaved ? Number.NaN : (snapshot?.atMs ?? createdAtMs));
    gauges.set('backupAtMs', needsBackup ? (backupAtMs ?? createdAtMs) : Number.NaN);
    gauges.set('certificateEndsMs', certificateEndsMs() ?? Number.NaN);
    gauges.set('freeBytes', freeBytes);
    gauges.set('recoveryNeedsBytes', recoveryNeedsBytes);
  }

  #sampleState(): void {
    const { engine } = this.options.sequencer;
    const gauges = this.#gauges;
    gauges.set('marketsSuspended', suspendedMarkets(engine).length);
    gauges.set('accounts', engine.accountCount);
    gauges.set('keys', engine.keyCount);
    gauges.set('betsInMemory', engine.betCount);
    const totals = engine.totals();
    gauges.set('houseCents', totals.houseCents);
    gauges.set('accountsCents', totals.accountsCents);
    gauges.set('openStakesCents', totals.openStakesCents);
    gauges.set('openSeedsCents', totals.openSeedsCents);
    gauges.set('reservedStakesCents', totals.reservedStakesCents);
    gauges.set('restingOrders', engine.restingOrders);
    const open = openRounds(engine);
    const unsettled = engine.unsettledRounds();
    const all = [...open, ...unsettled];
    gauges.set('openRounds', open.length);
    gauges.set('unsettledRounds', unsettled.length);
    gauges.set(
      'openBets',
      all.reduce((sum, { betCount }) => sum + betCount, 0),
    );
    gauges.set(
      'exposureCents',
      all.reduce((sum, round) => sum + exposureCents(round), 0),
    );
  }
}

export function suspendedMarkets(engine: EngineReads): number[] {
  const suspended: number[] = [];
  for (let market = 0; market < MARKETS_MAX; market++) if (engine.isSuspended(market)) suspended.push(market);
  return suspended;
}

function openRounds(engine: EngineReads): RoundView[] {
  const rounds: RoundView[] = [];
  for (let market = 0; market < MARKETS_MAX; market++) {
    const round = engine.currentRound(market);
    if (round?.status === LIVE || round?.status === LOCKED) rounds.push(round);
  }
  return rounds;
}

/** The house's loss in the round if the worse side for it wins. */
const exposureCents = (round: RoundView): number => Math.max(0, -worstResultCents(round));
