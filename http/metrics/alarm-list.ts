/**
 * All alarms in one list: `/vitals` and the console evaluate it, and Prometheus's rules and the alarms in
 * docs/ops/runbook.md are generated from it (`TOTE_TEST_WRITE=1 npm test -- monitoring`).
 */
import { type Alarm, gauge, level, quantileOf, secondsSince, vital } from './alarm-figures.js';
import { SPACE_LEVELS } from './engine-figures.js';
import { REPLICATION_ALARMS } from './replication-alarms.js';
import { SAMPLE_EVERY_MS } from './vitals.js';

/**
 * The engine's thread hangs if a turn of its event loop has not ended for so long. The longest known ones are far
 * shorter.
 */
export const HANGS_MS = 5_000;
/** The archive is far behind from so many missing commands on. */
export const ARCHIVE_BEHIND_COMMANDS = 500_000;

/** Certificates are mostly renewed a month before their end. */
export const EXPIRY_DAYS = 21;

/** A port is nearly full when more than this part of its connections is taken. */
export const CROWDED_SHARE = 0.9;

/** In samples. */
const MINUTE = 60_000 / SAMPLE_EVERY_MS;
const [SOFT, RESERVE] = [SPACE_LEVELS.indexOf('soft'), SPACE_LEVELS.indexOf('reserve')];

export const ALARMS: readonly Alarm[] = [
  {
    name: 'engine_hangs',
    severity: 'critical',
    what: "no turn of the engine's thread has ended for a while: nothing is answered",
    advice: 'Restart the server: every acknowledged order is recovered.',
    figure: ({ gauges, monotonicMs }) => (monotonicMs - gauges.get('turnEndedMs')) / 1_000,
    promql: 'tote_engine_turn_age_seconds',
    unit: 's',
    above: HANGS_MS / 1_000,
    forSeconds: 0,
  },
  {
    name: 'journal_lost',
    severity: 'critical',
    what: 'files of the journal were deleted or replaced under the running server: nothing is acknowledged any more',
    advice:
      "Do not stop the server: it alone still has them open. Run the commands of the log's line journal_lost as the server's user, then start again.",
    figure: gauge('isJournalLost'),
    promql: 'tote_journal_lost',
    unit: '',
    above: 0,
    forSeconds: 0,
  },
  {
    name: 'journal_damaged',
    severity: 'critical',
    what: 'the journal is damaged on disk: orders go on, but a restart or backup may be refused',
    advice:
      'npx tote verify DATA_DIR names the file. Stop the server, and cp BACKUP_DIR/journal/FILE DATA_DIR/journal/; without a backup, npx tote restore DATA_DIR --out NEW_DIR.',
    figure: gauge('journalFaults'),
    promql: 'tote_journal_faults',
    unit: '',
    above: 0,
    forSeconds: 0,
  },
  {
    name: 'trading_stopped',
    severity: 'warning',
    what: 'an operator has switched trading off: no order is taken',
    advice: 'The audit says who and why. Switch it on again: console, or PUT /trading.',
    figure: gauge('isTrading'),
    promql: 'tote_trading_enabled',
    unit: '',
    below: 1,
    forSeconds: 0,
  },
  {
    name: 'orders_refused',
    severity: 'critical',
    what: 'trading is on, and no order has been taken for a minute',
    advice: 'ordersRefused in /status has the code, the alarm beside this one the remedy.',
    figure: ({ gauges }) => gauges.get('isTrading') - gauges.get('isTakingOrders'),
    promql: 'tote_trading_enabled - tote_taking_orders',
    unit: '',
    above: 0,
    forSeconds: 60,
  },
  {
    name: 'market_suspended',
    severity: 'warning',
    what: 'markets are suspended: they open no rounds',
    advice: 'The audit says who did it. Resume them: console, or PATCH /markets/{id}.',
    figure: gauge('marketsSuspended'),
    promql: 'tote_markets_suspended',
    unit: '',
    above: 0,
    forSeconds: 0,
  },
  {
    name: 'clock_unsound',
    severity: 'critical',
    what: 'the wall clock was set, is behind the journal, or has to be confirmed: no order is taken',
    advice:
      'Synchronise the clock (chronyc tracking, timedatectl): orders are taken once it has been right for 10 s. If it was ahead before, clock_gap in the log names the way back.',
    figure: gauge('isClockSound'),
    promql: 'tote_clock_sound',
    unit: '',
    below: 1,
    forSeconds: 0,
  },
  {
    name: 'clock_unconfirmed',
    severity: 'critical',
    what: 'the wall clock is more than 15 minutes ahead of the journal, and stakes are open: nothing is settled, no order is taken',
    advice:
      'Compare another clock. If this one is right, confirm it (console, or POST /clock/confirm); else set it.',
    figure: gauge('isClockUnconfirmed'),
    promql: 'tote_clock_unconfirmed',
    unit: '',
    above: 0,
    forSeconds: 0,
  },
  {
    name: 'disk_reserve',
    severity: 'critical',
    what: 'less than 1 GiB is free: no order is taken; below 256 MiB the server stops',
    advice: 'Free space, or enlarge the disk; a shorter TOTE_RETENTION leaves less of the journal.',
    figure: level((now) => now >= RESERVE),
    promql: 'sum by (instance) (tote_space_level{level=~"reserve|hard"})',
    unit: '',
    above: 0,
    forSeconds: 0,
  },
  {
    name: 'disk_soft',
    severity: 'warning',
    what: 'less than 2 GiB is free: snapshots and archive pause',
    advice: 'Free space, or enlarge the disk, before orders are refused at 1 GiB.',
    figure: level((now) => now === SOFT),
    promql: 'tote_space_level{level="soft"}',
    unit: '',
    above: 0,
    forSeconds: 0,
  },
  {
    name: 'recovery_space',
    severity: 'warning',
    what: 'too little space is free to recover after an unclean stop',
    advice: 'Free as many bytes as the figure is below zero, and stop the server cleanly until then.',
    figure: ({ gauges }) => gauges.get('freeBytes') - gauges.get('recoveryNeedsBytes'),
    promql: 'tote_disk_free_bytes - tote_recovery_needed_bytes',
    unit: 'bytes',
    below: 0,
    forSeconds: 60,
  },
  {
    name: 'backup_old',
    severity: 'warning',
    what: 'there was no backup for 26 hours, or never one',
    advice:
      'npx tote backup BACKUP_DIR DATA_DIR, by a timer. After a backup by other means: touch DATA_DIR/last-backup.',
    figure: secondsSince('backupAtMs'),
    promql: 'time() - tote_backup_timestamp_seconds',
    unit: 's',
    above: 26 * 3_600,
    forSeconds: 0,
  },
  {
    name: 'snapshot_old',
    severity: 'warning',
    what: 'the newest snapshot is older than an hour: a restart takes longer',
    advice: 'shadow in /status says why; npx tote snapshot DATA_DIR writes one.',
    figure: secondsSince('unsavedSinceMs'),
    promql: 'time() - tote_unsaved_timestamp_seconds',
    unit: 's',
    above: 3_600,
    forSeconds: 1_200,
  },
  {
    name: 'certificate_expires',
    severity: 'warning',
    what: "a port's certificate ends soon: clients will refuse the server",
    advice: 'certificate_expires in the log names its file. Renew it, then send SIGHUP.',
    figure: (...now) => {
      const seconds = secondsSince('certificateEndsMs')(...now);
      return seconds === null ? null : -seconds / 86_400;
    },
    promql: '(tote_certificate_ends_timestamp_seconds - time()) / 86400',
    unit: 'days',
    below: EXPIRY_DAYS,
    forSeconds: 0,
  },
  {
    name: 'journal_backlog',
    severity: 'critical',
    what: 'too much waits to become durable: orders are refused',
    advice:
      'The disk is too slow or hangs: see slow_commits, iostat, and what else writes to it. A commit of 30 s stops the server.',
    // Without the NATS servers it is replication_away.
    figure: ({ gauges }) => (gauges.get('logAwayMs') > 0 ? 0 : gauges.get('isBacklogged')),
    promql: '(tote_journal_backlogged unless tote_replication_away_seconds > 0)',
    unit: '',
    above: 0,
    forSeconds: 5,
  },
  ...REPLICATION_ALARMS,
  {
    name: 'feed_silent',
    severity: 'critical',
    what: 'no asset whose market is open has prices: rounds will be voided',
    advice:
      'See feed in /status: the connection, its errors, the key. Suspend the markets, or set another source in TOTE_FEED and restart.',
    figure: ({ gauges }) => {
      const expected = gauges.get('assetsExpected');
      return expected === 0 ? null : gauges.get('assetsSilent') / expected;
    },
    promql: 'tote_feed_assets_silent / (tote_feed_assets_expected > 0)',
    unit: 'share',
    above: 0.999,
    forSeconds: 0,
  },
  {
    name: 'asset_silent',
    severity: 'warning',
    what: 'assets whose market is open have had no price for 10 s: their rounds will be voided',
    advice: 'feed in /status says which. If its market is closed today, list the day in TOTE_HOLIDAYS_FILE.',
    figure: gauge('assetsSilent'),
    promql: 'tote_feed_assets_silent',
    unit: '',
    above: 0,
    forSeconds: 15,
  },
  {
    name: 'price_held',
    severity: 'warning',
    what: 'a price is held back as absurd: too far from the last one',
    advice:
      'Compare another source. If it is right, confirm it (console, or POST /prices/{crypto}/confirm), else suspend the markets.',
    figure: gauge('assetsHeld'),
    promql: 'tote_assets_held',
    unit: '',
    above: 0,
    forSeconds: 10,
  },
  {
    name: 'feed_switched',
    severity: 'warning',
    what: 'assets are not priced by their preferred feed',
    advice: 'feed.sources in /status says what ails it.',
    figure: gauge('assetsSwitched'),
    promql: 'tote_assets_switched',
    unit: '',
    above: 0,
    forSeconds: 0,
  },
  {
    name: 'markets_late',
    severity: 'warning',
    what: 'live prices arrive too late for markets: these take no orders, or lose money',
    advice:
      'feed.sources in /status says how late. Take a faster source, or offer longer time frames only (docs/ops/prices.md).',
    figure: gauge('marketsLate'),
    promql: 'tote_markets_late',
    unit: '',
    above: 0,
    forSeconds: 60,
  },
  {
    name: 'rounds_unsettled',
    severity: 'warning',
    what: 'rounds that have ended are not settled: they wait for a price',
    advice:
      'See feed.awaited in /status. Push the price where prices are pushed, or void the rounds with a reason.',
    figure: gauge('unsettledRounds'),
    promql: 'tote_unsettled_rounds',
    unit: '',
    above: 0,
    forSeconds: 300,
  },
  {
    name: 'house_capital',
    severity: 'warning',
    what: 'markets open no round: the house cannot pay its seeds',
    advice: 'Deposit to the house (POST /house/deposits), or lower seeds or the number of markets.',
    figure: gauge('marketsWithoutCapital'),
    promql: 'tote_markets_without_capital',
    unit: '',
    above: 0,
    forSeconds: 30,
  },
  {
    name: 'loss_limit_near',
    severity: 'warning',
    what: 'the house has lost much of a loss limit today',
    advice:
      'GET /house shows where. Look for accounts that win there round after round; lower seeds, or suspend the market, before the limit does.',
    figure: gauge('lossLimitShare'),
    promql: 'tote_loss_limit_share',
    unit: 'share',
    above: 0.6,
    forSeconds: 0,
  },
  {
    name: 'loss_limit_reached',
    severity: 'critical',
    what: 'the house has lost a loss limit today: markets are suspended until an operator resumes them',
    advice:
      'loss_limit_reached in the log says where. Find out who won it and how (bets of the rounds, prices elsewhere), then resume the markets one by one.',
    figure: gauge('lossLimitShare'),
    promql: 'tote_loss_limit_share',
    unit: 'share',
    above: 0.999,
    forSeconds: 0,
  },
  {
    name: 'volatility_at_bound',
    severity: 'warning',
    what: 'prices of assets move eight times as much as configured, or an eighth: quotes go no further',
    advice:
      'Compare the prices with another source. If they are right, set TOTE_VOLATILITY; if not, suspend the markets of the asset.',
    figure: gauge('assetsAtBound'),
    promql: 'tote_assets_at_volatility_bound',
    unit: '',
    above: 0,
    forSeconds: 300,
  },
  {
    name: 'prices_repeating',
    severity: 'warning',
    what: 'changes of prices repeat or take back each other: they are smoothed, rounded, or trades between bid and ask',
    advice:
      'Quotes allow for it, but others may know the price behind it earlier. Use a source of the middle of the book.',
    figure: gauge('assetsRepeating'),
    promql: 'tote_assets_repeating',
    unit: '',
    above: 0,
    forSeconds: 300,
  },
  {
    name: 'server_errors',
    severity: 'warning',
    what: 'more than 1 % of answers have a status of 500 or above',
    advice: 'tote_refusals_total has the codes: docs/bots/errors.md.',
    figure: (_reading, vitals) => {
      const answers = vitals.sum('requestsPerSecond', MINUTE);
      return answers === 0 ? null : vitals.sum('serverErrorsPerSecond', MINUTE) / answers;
    },
    promql:
      'sum by (instance) (rate(tote_http_requests_total{status=~"5.."}[1m])) / sum by (instance) (rate(tote_http_requests_total[1m]))',
    unit: 'share',
    above: 0.01,
    forSeconds: 60,
  },
  {
    name: 'wrong_tokens',
    severity: 'warning',
    what: 'more than ten requests in 15 minutes had wrong operator tokens',
    advice:
      'operator_tokens_refused in the log has their addresses. Is it a script with an old token? Else close the port to them.',
    figure: (_reading, vitals) => vitals.sum('wrongTokens', 15 * MINUTE),
    promql: 'sum by (instance) (increase(tote_operator_tokens_refused_total[15m]))',
    unit: '',
    above: 10,
    forSeconds: 0,
  },
  {
    name: 'client_faults',
    severity: 'warning',
    what: "programming errors ended clients' requests or streams in the last 15 minutes",
    advice:
      'Report the lines client_fault of the log. Nothing else is affected. Somebody may cause it on purpose: see the address.',
    figure: (_reading, vitals) => vitals.sum('clientFaults', 15 * MINUTE),
    promql: 'sum by (instance) (increase(tote_client_faults_total[15m]))',
    unit: '',
    above: 0,
    forSeconds: 0,
  },
  {
    name: 'shadow_impaired',
    severity: 'warning',
    what: 'something prevents snapshots or the archive',
    advice:
      'shadow.reason in /status says what. Orders go on; restarts take longer, and what has left memory cannot be read.',
    figure: gauge('isShadowImpaired'),
    promql: 'tote_shadow_impaired',
    unit: '',
    above: 0,
    forSeconds: 60,
  },
  {
    name: 'archive_behind',
    severity: 'warning',
    what: 'the archive is far behind the journal',
    advice: 'It catches up by itself once there is less load. If it does not, give the machine another core.',
    figure: gauge('archiveLagCommands'),
    promql: 'tote_archive_lag_commands',
    unit: 'commands',
    above: ARCHIVE_BEHIND_COMMANDS,
    forSeconds: 60,
  },
  {
    name: 'slow_commits',
    severity: 'warning',
    what: 'the disk is slow: one commit in a hundred takes long',
    advice:
      'See what else writes to the disk (iostat -x 1); the journal wants a disk of its own with fast fsync.',
    figure: vital('commitP99Ms', 1_000),
    promql: quantileOf('tote_commit_duration_seconds', 0.99),
    unit: 's',
    above: 0.1,
    forSeconds: 60,
  },
  {
    name: 'slow_orders',
    severity: 'warning',
    what: 'orders take long at the server: one in a hundred',
    advice:
      'tote_order_stage_duration_seconds says where: ring or engine, see engine_busy; commit, see slow_commits; release, see gateways_busy. `npx tote trace ID` shows one order.',
    figure: vital('orderP99Ms', 1_000),
    promql: quantileOf('tote_order_duration_seconds', 0.99),
    unit: 's',
    above: 0.2,
    forSeconds: 60,
  },
  {
    name: 'engine_stalls',
    severity: 'warning',
    what: "turns of the engine's thread are long: everybody waits for them",
    advice:
      'Is the machine short of cores or memory (vmstat 1)? At a boundary with very many bets tens of milliseconds are usual.',
    figure: vital('engineDelayMaxMs', 1_000),
    promql: quantileOf('tote_thread_delay_seconds', 1, '{thread="engine"}'),
    unit: 's',
    above: 0.25,
    forSeconds: 30,
  },
  {
    name: 'engine_busy',
    severity: 'warning',
    what: "the engine's thread has little time left: this is the most that this machine can do",
    advice: 'Give it a core of its own and a faster one; lower the rate limits meanwhile (TOTE_RATE_LIMITS).',
    figure: vital('engineBusyPercent', 100),
    promql: 'rate(tote_thread_busy_seconds_total{thread="engine"}[1m])',
    unit: 'share',
    above: 0.85,
    forSeconds: 60,
  },
  {
    name: 'gateways_busy',
    severity: 'warning',
    what: 'the gateways have little time left',
    advice:
      'Where the machine has idle cores, raise TOTE_GATEWAYS; else lower the rate limits (TOTE_RATE_LIMITS).',
    figure: vital('gatewaysBusyPercent', 100),
    promql: 'avg by (instance) (rate(tote_thread_busy_seconds_total{thread=~"gateway.*"}[1m]))',
    unit: 'share',
    above: 0.85,
    forSeconds: 60,
  },
  {
    name: 'connections_full',
    severity: 'warning',
    what: 'nine tenths of the connections of a port are taken: when it is full, further ones are closed at once',
    advice:
      'See who holds them: ss -Htn state established "sport = :8080". An address may have 1,000, unless TOTE_TRUSTED_PROXIES names it. Block those that hold many in silence, at the firewall or at a proxy in front.',
    figure: ({ connectionsTaken }) => Math.max(connectionsTaken.public, connectionsTaken.operators),
    promql: 'max by (instance) (tote_connections_taken_share)',
    unit: 'share',
    above: CROWDED_SHARE,
    forSeconds: 0,
  },
];
