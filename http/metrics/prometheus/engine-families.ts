/**
 * Metrics of the engine's thread: commands, batches, the journal and what follows it, prices, and the state of the
 * exchange.
 */
import { COMMAND_KINDS } from '../../../engine/model/command-codec.js';
import { ASSETS } from '../../../engine/model/domain.js';
import { LOSS_SCOPES } from '../../../engine/model/loss-limits.js';
import { ageOf, dayResultOf, latenessOf, SPACE_LEVELS } from '../engine-figures.js';
import { ENGINE_PLACES, OUTCOMES } from '../engine-meter.js';
import type { Reading } from '../readings.js';
import { counter, type Family, gauge, histogram, type Labelled } from './family.js';

const CENTS_PER_DOLLAR = 100;

type GaugeName = Parameters<Reading['gauges']['get']>[0];
const PLAIN: readonly (readonly [name: string, help: string, gauge: GaugeName])[] = [
  ['tote_trading_enabled', '1 while trading is switched on', 'isTrading'],
  [
    'tote_taking_orders',
    '1 while orders are taken: trading is on, and neither clock, disk nor journal forbids it',
    'isTakingOrders',
  ],
  ['tote_stopping', '1 from the moment at which the server was told to stop', 'isStopping'],
  ['tote_clock_sound', '1 while the wall clock is trusted', 'isClockSound'],
  ['tote_clock_unconfirmed', '1 while somebody has to confirm the wall clock', 'isClockUnconfirmed'],
  [
    'tote_journal_backlogged',
    '1 while orders are refused because too much waits to become durable',
    'isBacklogged',
  ],
  [
    'tote_journal_lost',
    "1 if the journal's files were deleted or replaced: nothing is taken",
    'isJournalLost',
  ],
  ['tote_journal_faults', 'Damaged parts of the journal that were found since the start', 'journalFaults'],
  ['tote_journal_backlog_commands', 'Accepted commands that are not durable yet', 'backlogCommands'],
  ['tote_journal_sequence', 'Number of the last durable command', 'durableSeq'],
  ['tote_shadow_lag_commands', 'Durable commands that the shadow has not applied yet', 'shadowLagCommands'],
  ['tote_archive_lag_commands', 'Durable commands that the archive does not have yet', 'archiveLagCommands'],
  ['tote_shadow_impaired', '1 while something prevents snapshots or the archive', 'isShadowImpaired'],
  ['tote_disk_free_bytes', 'Free space on the disk of the data directory', 'freeBytes'],
  [
    'tote_recovery_needed_bytes',
    'Free space that a recovery after an unclean stop would need now',
    'recoveryNeedsBytes',
  ],
  [
    'tote_feed_assets_expected',
    'Assets of which prices are expected now: their market is open',
    'assetsExpected',
  ],
  ['tote_feed_assets_silent', 'Those of them without a price for 10 s', 'assetsSilent'],
  ['tote_markets_late', 'Markets whose live prices arrive too late for them', 'marketsLate'],
  ['tote_markets_suspended', 'Markets that are suspended', 'marketsSuspended'],
  ['tote_assets_held', 'Assets of which a price is held back as absurd', 'assetsHeld'],
  ['tote_assets_switched', 'Assets that are not priced by their preferred feed', 'assetsSwitched'],
  [
    'tote_markets_without_capital',
    'Markets that open no round because the house cannot pay its seeds',
    'marketsWithoutCapital',
  ],
  [
    'tote_loss_limit_share',
    'Greatest share of a loss limit that the house has lost today (UTC): 1 suspends markets',
    'lossLimitShare',
  ],
  [
    'tote_assets_at_volatility_bound',
    'Quoted assets whose volatility is at a bound of its estimate',
    'assetsAtBound',
  ],
  [
    'tote_assets_repeating',
    'Quoted assets whose changes of price repeat, or take back, more than 0.3 of the change before',
    'assetsRepeating',
  ],
  ['tote_accounts', 'Accounts', 'accounts'],
  ['tote_keys', 'API keys', 'keys'],
  ['tote_bets_in_memory', 'Bets in memory, open and settled', 'betsInMemory'],
  ['tote_open_bets', 'Bets in rounds that are not resolved', 'openBets'],
  ['tote_resting_orders', 'Limit orders that rest', 'restingOrders'],
  ['tote_open_rounds', 'Rounds that are LIVE or LOCKED', 'openRounds'],
  [
    'tote_unsettled_rounds',
    'Rounds that have ended and wait for a price, or are being settled',
    'unsettledRounds',
  ],
];

/** Gauges in cents, shown in dollars. */
const MONEY: readonly (readonly [name: string, help: string, gauge: GaugeName])[] = [
  ['tote_house_balance_dollars', 'Balance of the house, without the seeds of open rounds', 'houseCents'],
  ['tote_accounts_balance_dollars', 'Sum of the balances of all accounts', 'accountsCents'],
  ['tote_open_stakes_dollars', 'Stakes of open bets', 'openStakesCents'],
  ['tote_open_seeds_dollars', 'The rest of the pools: seeds of the house', 'openSeedsCents'],
  [
    'tote_reserved_stakes_dollars',
    'Stakes of resting limit orders, which are in no pool',
    'reservedStakesCents',
  ],
  [
    'tote_exposure_dollars',
    'Loss of the house if in every open round the worse side for it wins',
    'exposureCents',
  ],
];

/** Gauges in milliseconds since 1970, shown in seconds; absent where there is none. */
const TIMES: readonly (readonly [name: string, help: string, gauge: GaugeName])[] = [
  [
    'tote_snapshot_timestamp_seconds',
    'When the newest snapshot was written; absent before the first',
    'snapshotAtMs',
  ],
  [
    'tote_unsaved_timestamp_seconds',
    "The same, or the data directory's beginning without one; absent while nothing has happened since",
    'unsavedSinceMs',
  ],
  [
    'tote_backup_timestamp_seconds',
    'When the last backup was made, or the data directory without one; absent where prices or clock are not real',
    'backupAtMs',
  ],
  [
    'tote_certificate_ends_timestamp_seconds',
    'When the first certificate of a port ends; absent without TLS',
    'certificateEndsMs',
  ],
];

export function engineFamilies(reading: Reading): Family[] {
  const { gauges } = reading;
  return [
    counter('tote_commands_total', 'Commands by kind and outcome', commands(reading)),
    histogram('tote_batch_commands', 'Commands in each durable batch', [[{}, reading.batchCommands]]),
    histogram(
      'tote_commit_duration_seconds',
      'Time of each batch from the journal taking it until it is durable',
      [[{}, reading.commit]],
    ),
    ...PLAIN.map(([name, help, place]) => gauge(name, help, gauges.get(place))),
    ...MONEY.map(([name, help, place]) => gauge(name, help, gauges.get(place) / CENTS_PER_DOLLAR)),
    gauge(
      'tote_engine_turn_age_seconds',
      "Time since a turn of the engine's thread has ended",
      Math.max(0, reading.monotonicMs - gauges.get('turnEndedMs')) / 1_000,
    ),
    gauge(
      'tote_space_level',
      'Free space: 1 for the level that holds',
      SPACE_LEVELS.map((level, at) => [{ level }, Number(gauges.get('spaceLevel') === at)]),
    ),
    ...TIMES.map(([name, help, place]) => {
      const timeMs = gauges.get(place);
      return gauge(name, help, timeMs > 0 ? [[{}, timeMs / 1_000]] : []);
    }),
    gauge(
      'tote_house_day_result_dollars',
      'Profit of the house from rounds settled today (UTC), by market, asset, and ALL',
      LOSS_SCOPES.map((scope, at) => [{ scope }, gauges.get(dayResultOf(at)) / CENTS_PER_DOLLAR] as const),
    ),
    gauge(
      'tote_feed_age_seconds',
      'Time since the last price of each asset; absent before the first',
      ASSETS.map((asset, at) => [{ asset }, gauges.get(ageOf(at))] as const).filter(
        ([, age]) => !Number.isNaN(age),
      ),
    ),
    gauge(
      'tote_feed_lateness_seconds',
      'How late nine of ten live prices of each asset arrive; absent while unknown',
      ASSETS.map((asset, at) => [{ asset }, gauges.get(latenessOf(at))] as const).filter(
        ([, lateness]) => !Number.isNaN(lateness),
      ),
    ),
  ];
}

/** Only outcomes that have ever happened. */
function commands({ engine }: Reading): Labelled {
  return COMMAND_KINDS.flatMap((kind, at) =>
    OUTCOMES.map(
      (outcome, index) =>
        [{ kind, outcome }, engine[ENGINE_PLACES.commands + at * OUTCOMES.length + index] ?? 0] as const,
    ),
  ).filter(([, value]) => value > 0);
}
