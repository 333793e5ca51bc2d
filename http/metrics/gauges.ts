/**
 * Figures that the engine's thread shows to the operators' thread without being asked, so that they are known while it
 * hangs. They are numbers in shared memory: one thread writes them, any thread reads them. A number is always read
 * whole; two of them may be of different moments. NaN stands for none, and for one that was never set.
 */
import { must } from '../../engine/base/assert.js';
import { ASSETS } from '../../engine/model/domain.js';
import { LOSS_SCOPES } from '../../engine/model/loss-limits.js';
import type { SpaceLevel } from '../../engine/model/ports.js';

/** For the journal and the threads that follow it. */
export const BACKGROUND_THREADS = ['journal', 'shadow', 'reader'] as const;
export const SPACE_LEVELS: readonly SpaceLevel[] = ['ok', 'soft', 'reserve', 'hard'];
/** Changes of a sound feed hardly know of each other. */
export const REPEATED_ALARMING = 0.3;

type Metric = readonly [name: string, help: string];

/** Each figure is a metric. A name that begins with `is` is 1 or 0; cents are shown in dollars, milliseconds in seconds. */
export const GAUGES = {
  isTrading: ['tote_trading_enabled', '1 while trading is switched on'],
  isTakingOrders: [
    'tote_taking_orders',
    '1 while trading is on, and neither clock, disk nor journal forbids orders',
  ],
  isStopping: ['tote_stopping', '1 from the moment at which the server was told to stop'],
  isClockSound: ['tote_clock_sound', '1 while the wall clock is trusted'],
  isClockUnconfirmed: ['tote_clock_unconfirmed', '1 while somebody has to confirm the wall clock'],
  isBacklogged: ['tote_journal_backlogged', '1 while orders are refused: too much waits to become durable'],
  isJournalLost: ['tote_journal_lost', "1 if the journal's files were deleted or replaced: nothing is taken"],
  journalFaults: ['tote_journal_faults', 'Damaged parts of the journal that were found since the start'],
  backlogCommands: ['tote_journal_backlog_commands', 'Accepted commands that are not durable yet'],
  durableSeq: ['tote_journal_sequence', 'Number of the last durable command'],
  shadowLagCommands: ['tote_shadow_lag_commands', 'Durable commands that the shadow has not applied yet'],
  archiveLagCommands: ['tote_archive_lag_commands', 'Durable commands that the archive does not have yet'],
  isShadowImpaired: ['tote_shadow_impaired', '1 while something prevents snapshots or the archive'],
  freeBytes: ['tote_disk_free_bytes', 'Free space on the disk of the data directory'],
  recoveryNeedsBytes: ['tote_recovery_needed_bytes', 'Free space for a recovery after an unclean stop now'],
  snapshotAtMs: ['tote_snapshot_timestamp_seconds', 'When the newest snapshot was written; absent before'],
  unsavedSinceMs: [
    'tote_unsaved_timestamp_seconds',
    "The same, or the data directory's beginning without one; absent while nothing has happened since",
  ],
  backupAtMs: [
    'tote_backup_timestamp_seconds',
    "The last backup, or the data directory's beginning without one; absent where prices or clock are not real",
  ],
  certificateEndsMs: [
    'tote_certificate_ends_timestamp_seconds',
    'When the first certificate of a port ends; absent without TLS',
  ],
  assetsExpected: ['tote_feed_assets_expected', 'Assets with an open market: prices are expected'],
  assetsSilent: ['tote_feed_assets_silent', 'Those of them without a price for 10 s'],
  assetsHeld: ['tote_assets_held', 'Assets of which a price is held back as absurd'],
  assetsSwitched: ['tote_assets_switched', 'Assets that are not priced by their preferred feed'],
  assetsAtBound: [
    'tote_assets_at_volatility_bound',
    'Quoted assets whose estimate of volatility is at a bound',
  ],
  assetsRepeating: [
    'tote_assets_repeating',
    `Quoted assets whose changes repeat, or take back, more than ${REPEATED_ALARMING} of the change before`,
  ],
  marketsLate: ['tote_markets_late', 'Markets whose live prices arrive too late for them'],
  marketsSuspended: ['tote_markets_suspended', 'Markets that are suspended'],
  marketsWithoutCapital: [
    'tote_markets_without_capital',
    'Markets whose seeds the house cannot pay: no round opens',
  ],
  lossLimitShare: [
    'tote_loss_limit_share',
    'Greatest share of a loss limit that the house has lost today (UTC): 1 suspends markets',
  ],
  accounts: ['tote_accounts', 'Accounts'],
  keys: ['tote_keys', 'API keys'],
  betsInMemory: ['tote_bets_in_memory', 'Bets in memory, open and settled'],
  openBets: ['tote_open_bets', 'Bets in rounds that are not resolved'],
  restingOrders: ['tote_resting_orders', 'Limit orders that rest'],
  openRounds: ['tote_open_rounds', 'Rounds that are LIVE or LOCKED'],
  unsettledRounds: [
    'tote_unsettled_rounds',
    'Rounds that have ended and wait for a price, or are being settled',
  ],
  houseCents: ['tote_house_balance_dollars', 'Balance of the house, without the seeds of open rounds'],
  accountsCents: ['tote_accounts_balance_dollars', 'Sum of the balances of all accounts'],
  openStakesCents: ['tote_open_stakes_dollars', 'Stakes of open bets'],
  openSeedsCents: ['tote_open_seeds_dollars', 'The rest of the pools: seeds of the house'],
  reservedStakesCents: [
    'tote_reserved_stakes_dollars',
    'Stakes of resting limit orders, which are in no pool',
  ],
  exposureCents: ['tote_exposure_dollars', 'Loss of the house if in every open round its worse side wins'],
} as const satisfies Readonly<Record<string, Metric>>;

/** Those of the replicated log, the same on leader and standby; NaN where the journal is on this machine alone. */
export const LOG_GAUGES = {
  epoch: ['tote_replication_epoch', 'How often a leader has begun, this one included'],
  logSequence: [
    'tote_replication_sequence',
    "Number of the stream's last message, as far as it is known here",
  ],
  logAwayMs: [
    'tote_replication_away_seconds',
    'For how long the NATS servers have given no answer; 0 while they do',
  ],
  leaseAgeMs: [
    'tote_replication_lease_age_seconds',
    'Time since this leader has renewed its lease; absent on a standby',
  ],
  standbys: [
    'tote_replication_standbys',
    'Standbys that the leader has heard of within 5 s; absent on a standby',
  ],
  standbyMessagesBehind: [
    'tote_replication_lag_messages',
    "Messages of the stream that a standby has not read yet; on the leader, the furthest standby's",
  ],
  standbyBehindMs: [
    'tote_replication_lag_seconds',
    "Time since a standby had read all of the stream; on the leader, the furthest standby's",
  ],
} as const satisfies Readonly<Record<string, Metric>>;

/** A figure for each value of a label: its place is the name with the value's index. */
export const LABELLED_GAUGES = {
  dayResultCents: [
    'tote_house_day_result_dollars',
    'Profit of the house from rounds settled today (UTC), by market, asset, and ALL',
    'scope',
    LOSS_SCOPES,
  ],
  feedAgeSeconds: ['tote_feed_age_seconds', 'Time since the last price of each asset', 'asset', ASSETS],
  feedLatenessSeconds: [
    'tote_feed_lateness_seconds',
    'How late nine of ten live prices of each asset arrive; absent while unknown',
    'asset',
    ASSETS,
  ],
} as const satisfies Readonly<Record<string, readonly [...Metric, label: string, values: readonly string[]]>>;

export type LogGaugeName = keyof typeof LOG_GAUGES;
export type MetricGaugeName = keyof typeof GAUGES | LogGaugeName;
export type GaugeName =
  | MetricGaugeName
  | `${keyof typeof LABELLED_GAUGES}${number}`
  /** Monotonic milliseconds, the same in all threads. */
  | 'turnEndedMs'
  /** Index into `SPACE_LEVELS`. */
  | 'spaceLevel'
  | 'isLeaseHeld'
  | `${(typeof BACKGROUND_THREADS)[number]}ActiveMs`;

const NAMES: readonly string[] = [
  ...Object.keys(GAUGES),
  ...Object.keys(LOG_GAUGES),
  ...Object.entries(LABELLED_GAUGES).flatMap(([name, [, , , values]]) =>
    values.map((_, at) => `${name}${at}`),
  ),
  ...['turnEndedMs', 'spaceLevel', 'isLeaseHeld'],
  ...BACKGROUND_THREADS.map((thread) => `${thread}ActiveMs`),
];
const PLACES = new Map(NAMES.map((name, at) => [name, at]));

export function gaugesMemory(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(NAMES.length * Float64Array.BYTES_PER_ELEMENT);
  new Float64Array(memory).fill(Number.NaN);
  return memory;
}

export class Gauges {
  readonly #numbers: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    this.#numbers = new Float64Array(memory);
  }

  get(name: GaugeName): number {
    return this.#numbers[placeOf(name)] as number;
  }

  set(values: Readonly<Partial<Record<GaugeName, number | boolean | null>>>): void {
    for (const [name, value] of Object.entries(values))
      this.#numbers[placeOf(name)] = value === null ? Number.NaN : Number(value);
  }

  /** In the unit of its metric. */
  shown(name: GaugeName): number {
    return inUnit(name, this.get(name));
  }
}

const placeOf = (name: string): number => must(PLACES.get(name), `a place for ${name}`);

export function inUnit(name: string, value: number): number {
  if (/Cents\d*$/.test(name)) return value / 100;
  return name.endsWith('Ms') ? value / 1_000 : value;
}

export const metricOf = (name: MetricGaugeName): string => ({ ...GAUGES, ...LOG_GAUGES })[name][0];
