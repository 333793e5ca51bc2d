/**
 * All alarms, the critical ones first: `/vitals` and the console evaluate them, and Prometheus's rules and the alarms in
 * docs/ops/runbook.md are generated from them (`TOTE_TEST_WRITE=1 npm test -- monitoring`).
 */
import { type MetricGaugeName, metricOf, SPACE_LEVELS } from './gauges.js';
import type { Reading } from './readings.js';
import { LOG_AWAY_MS, STANDBY_BEHIND_MS } from './replication.js';
import { SAMPLE_EVERY_MS, type VitalName, type Vitals } from './vitals.js';

export interface Measured {
  /** Both the figure and its bound have it; '' for a number of things. */
  readonly unit: '' | 's' | 'days' | 'bytes' | 'commands' | 'share';
}

export interface Alarm extends Partial<Measured> {
  readonly name: string;
  /** Critical: bettors cannot bet, or soon cannot. */
  readonly severity: 'critical' | 'warning';
  /** The trouble in a sentence. */
  readonly what: string;
  /** With `DATA_DIR` in commands, which a server replaces by its own. */
  readonly advice: string;
  /** From the samples and in PromQL; NaN where the figure is not to be had. */
  readonly figure: (reading: Reading, vitals: Pick<Vitals, 'latest' | 'sum'>) => number;
  readonly promql: string;
  /** The alarm is raised above, or below, this for so long; at once without a time. */
  readonly above?: number;
  readonly below?: number;
  readonly forSeconds?: number;
}

type Declared = Readonly<Record<string, Omit<Alarm, 'name' | 'severity'>>>;
type Figure = Pick<Alarm, 'figure' | 'promql'>;

/**
 * The engine's thread hangs if a turn of its event loop has not ended for so long. The longest known ones are far
 * shorter.
 */
export const HANGS_MS = 5_000;

/** Certificates are mostly renewed a month before their end. */
export const EXPIRY_DAYS = 21;

const [SOFT, RESERVE] = [SPACE_LEVELS.indexOf('soft'), SPACE_LEVELS.indexOf('reserve')];

const gauge = (name: MetricGaugeName): Figure => ({
  figure: ({ gauges }) => gauges.shown(name),
  promql: metricOf(name),
});

const secondsSince = (name: MetricGaugeName): Figure => ({
  figure: ({ gauges, timeMs }) => timeMs / 1_000 - gauges.shown(name),
  promql: `time() - ${metricOf(name)}`,
});

/** A percentile of the last times, in seconds. */
const slow = (name: VitalName, metric: string, share: number, labels = ''): Figure => ({
  figure: (_reading, vitals) => vitals.latest(name) / 1_000,
  promql: `histogram_quantile(${share}, sum by (instance, le) (rate(${metric}_bucket${labels}[1m])))`,
});

const busy = (name: VitalName, promql: string): Figure => ({
  figure: (_reading, vitals) => vitals.latest(name) / 100,
  promql,
});

const counted = (name: VitalName, metric: string): Figure => ({
  figure: (_reading, vitals) => vitals.sum(name, 15 * 60),
  promql: `sum by (instance) (increase(${metric}[15m]))`,
});

const CRITICAL: Declared = {
  engine_hangs: {
    what: "no turn of the engine's thread has ended for a while: nothing is answered",
    advice: 'Restart the server: every acknowledged order is recovered.',
    figure: ({ gauges, monotonicMs }) => (monotonicMs - gauges.get('turnEndedMs')) / 1_000,
    promql: 'tote_engine_turn_age_seconds',
    unit: 's',
    above: HANGS_MS / 1_000,
  },
  journal_lost: {
    what: 'files of the journal were deleted or replaced under the running server: nothing is acknowledged any more',
    advice:
      "Do not stop the server: it alone still has them open. Run the commands of the log's line journal_lost as the server's user, then start again.",
    ...gauge('isJournalLost'),
    above: 0,
  },
  journal_damaged: {
    what: 'the journal is damaged on disk: orders go on, but a restart or backup may be refused',
    advice:
      'npx tote verify DATA_DIR names the file. Stop the server. The last segment is newer than any backup: npx tote restore DATA_DIR --out NEW_DIR, also without a backup. Else cp BACKUP_DIR/journal/FILE DATA_DIR/journal/.',
    ...gauge('journalFaults'),
    above: 0,
  },
  orders_refused: {
    what: 'trading is on, and no order has been taken for a minute',
    advice: 'ordersRefused in /status has the code, the alarm beside this one the remedy.',
    figure: ({ gauges }) => gauges.get('isTrading') - gauges.get('isTakingOrders'),
    promql: 'tote_trading_enabled - tote_taking_orders',
    above: 0,
    forSeconds: 60,
  },
  clock_unsound: {
    what: 'the wall clock was set, is behind the journal, or has to be confirmed: no order is taken',
    advice:
      'Synchronise the clock (chronyc tracking, timedatectl): orders are taken once it has been right for 10 s. If it was ahead before, clock_gap in the log names the way back.',
    ...gauge('isClockSound'),
    below: 1,
  },
  clock_unconfirmed: {
    what: 'the wall clock is more than 15 minutes ahead of the journal, and stakes are open: nothing is settled, no order is taken',
    advice:
      'Compare another clock. If this one is right, confirm it (console, or POST /clock/confirm); else set it.',
    ...gauge('isClockUnconfirmed'),
    above: 0,
  },
  disk_reserve: {
    what: 'less than 1 GiB is free: no order is taken; below 256 MiB the server stops',
    advice: 'Free space, or enlarge the disk; a shorter TOTE_RETENTION leaves less of the journal.',
    figure: ({ gauges }) => Number(gauges.get('spaceLevel') >= RESERVE),
    promql: 'sum by (instance) (tote_space_level{level=~"reserve|hard"})',
    above: 0,
  },
  journal_backlog: {
    what: 'too much waits to become durable: orders are refused',
    advice:
      'The disk is too slow or hangs: see slow_commits, iostat, and what else writes to it. A commit of 30 s stops the server.',
    // A minute's share: while syncs take seconds, orders are refused for moments, again and again.
    figure: (_reading, vitals) => (vitals.sum('backloggedSamples', 60) * SAMPLE_EVERY_MS) / 60_000,
    promql: 'avg_over_time((tote_journal_backlogged unless tote_replication_away_seconds > 0)[1m:5s])',
    unit: 'share',
    above: 0.1,
  },
  replication_away: {
    what: 'the NATS servers have taken nothing for a while: nothing is acknowledged, and orders are refused',
    advice:
      'replication.trouble in /status says why, and since when servers do not answer. Two of three must run and reach each other; what was accepted is answered then.',
    ...gauge('logAwayMs'),
    unit: 's',
    above: LOG_AWAY_MS / 1_000,
  },
  feed_silent: {
    what: 'no asset whose market is open has prices: rounds will be voided',
    advice:
      'See feed in /status: the connection, its errors, the key. Suspend the markets, or set another source in TOTE_FEED and restart.',
    figure: ({ gauges }) => gauges.get('assetsSilent') / gauges.get('assetsExpected'),
    promql: 'tote_feed_assets_silent / (tote_feed_assets_expected > 0)',
    unit: 'share',
    above: 0.999,
  },
  loss_limit_reached: {
    what: 'the house has lost a loss limit today: markets are suspended until an operator resumes them',
    advice:
      'loss_limit_reached in the log says where. Find out who won it and how (bets of the rounds, prices elsewhere), then resume the markets one by one.',
    ...gauge('lossLimitShare'),
    unit: 'share',
    above: 0.999,
  },
};

const WARNINGS: Declared = {
  trading_stopped: {
    what: 'an operator has switched trading off: no order is taken',
    advice: 'The audit says who and why. Switch it on again: console, or PUT /trading.',
    ...gauge('isTrading'),
    below: 1,
  },
  market_suspended: {
    what: 'markets are suspended: they open no rounds',
    advice: 'The audit says who did it. Resume them: console, or PATCH /markets/{id}.',
    ...gauge('marketsSuspended'),
    above: 0,
  },
  disk_soft: {
    what: 'less than 2 GiB is free: snapshots and archive pause',
    advice: 'Free space, or enlarge the disk, before orders are refused at 1 GiB.',
    figure: ({ gauges }) => Number(gauges.get('spaceLevel') === SOFT),
    promql: 'tote_space_level{level="soft"}',
    above: 0,
  },
  recovery_space: {
    what: 'too little space is free to recover after an unclean stop',
    advice: 'Free as many bytes as the figure is below zero, and stop the server cleanly until then.',
    figure: ({ gauges }) => gauges.get('freeBytes') - gauges.get('recoveryNeedsBytes'),
    promql: 'tote_disk_free_bytes - tote_recovery_needed_bytes',
    unit: 'bytes',
    below: 0,
    forSeconds: 60,
  },
  backup_old: {
    what: 'there was no backup for 26 hours, or never one',
    advice:
      'npx tote backup BACKUP_DIR DATA_DIR, by a timer. After a backup by other means: touch DATA_DIR/last-backup.',
    ...secondsSince('backupAtMs'),
    unit: 's',
    above: 26 * 3_600,
  },
  snapshot_old: {
    what: 'the newest snapshot is older than an hour: a restart takes longer',
    advice:
      'shadow in /status says why. npx tote snapshot DATA_DIR writes one for the next start; the alarm stays.',
    ...secondsSince('unsavedSinceMs'),
    unit: 's',
    above: 3_600,
    forSeconds: 1_200,
  },
  certificate_expires: {
    what: "a port's certificate ends soon: clients will refuse the server",
    advice: 'certificate_expires in the log names its file. Renew it, then send SIGHUP.',
    figure: ({ gauges, timeMs }) => (gauges.get('certificateEndsMs') - timeMs) / 86_400_000,
    promql: '(tote_certificate_ends_timestamp_seconds - time()) / 86400',
    unit: 'days',
    below: EXPIRY_DAYS,
  },
  standby_missing: {
    what: 'no standby follows: if this machine ends, nobody takes over',
    advice: 'Start the standby, and see its log: replication_behind says that it needs a backup.',
    ...gauge('standbys'),
    below: 1,
    forSeconds: 60,
  },
  standby_behind: {
    what: 'a standby is behind the stream: a takeover would take that much longer',
    advice: 'It catches up by itself after a start. If it does not: its disk, its cores, its link to NATS.',
    ...gauge('standbyBehindMs'),
    unit: 's',
    above: STANDBY_BEHIND_MS / 1_000,
    forSeconds: 30,
  },
  slow_publishes: {
    what: 'the NATS servers are slow: one batch in a hundred takes long',
    advice:
      'See their disks and the links between them (nats server report jetstream); orders wait for two of the three.',
    ...slow('publishP99Ms', 'tote_replication_publish_duration_seconds', 0.99),
    unit: 's',
    above: 0.1,
    forSeconds: 60,
  },
  asset_silent: {
    what: 'assets whose market is open have had no price for 10 s: their rounds will be voided',
    advice: 'feed in /status says which. If its market is closed today, list the day in TOTE_HOLIDAYS_FILE.',
    ...gauge('assetsSilent'),
    above: 0,
    forSeconds: 15,
  },
  price_held: {
    what: 'a price is held back as absurd: too far from the last one',
    advice:
      'Compare another source. If it is right, confirm it (console, or POST /prices/{crypto}/confirm), else suspend the markets.',
    ...gauge('assetsHeld'),
    above: 0,
    forSeconds: 10,
  },
  feed_switched: {
    what: 'assets are not priced by their preferred feed',
    advice: 'feed.sources in /status says what ails it.',
    ...gauge('assetsSwitched'),
    above: 0,
  },
  markets_late: {
    what: 'live prices arrive too late for markets: these take no orders, or lose money',
    advice:
      'feed.sources in /status says how late. Take a faster source, or offer longer time frames only (docs/ops/prices.md).',
    ...gauge('marketsLate'),
    above: 0,
    forSeconds: 60,
  },
  rounds_unsettled: {
    what: 'rounds that have ended are not settled: they wait for a price',
    advice:
      'See feed.awaited in /status. Push the price where prices are pushed, or void the rounds with a reason.',
    ...gauge('unsettledRounds'),
    above: 0,
    forSeconds: 300,
  },
  house_capital: {
    what: 'markets open no round: the house cannot pay its seeds',
    advice: 'Deposit to the house (POST /house/deposits), or lower seeds or the number of markets.',
    ...gauge('marketsWithoutCapital'),
    above: 0,
    forSeconds: 30,
  },
  loss_limit_near: {
    what: 'the house has lost much of a loss limit today',
    advice:
      'GET /house shows where. Look for accounts that win there round after round; lower seeds, or suspend the market, before the limit does.',
    ...gauge('lossLimitShare'),
    unit: 'share',
    above: 0.6,
  },
  volatility_at_bound: {
    what: 'prices of assets move eight times as much as configured, or an eighth: quotes go no further',
    advice:
      'Compare the prices with another source. If they are right, set TOTE_VOLATILITY; if not, suspend the markets of the asset.',
    ...gauge('assetsAtBound'),
    above: 0,
    forSeconds: 300,
  },
  prices_repeating: {
    what: 'changes of prices repeat or take back each other: they are smoothed, rounded, or trades between bid and ask',
    advice:
      'Quotes allow for it, but others may know the price behind it earlier. Use a source of the middle of the book.',
    ...gauge('assetsRepeating'),
    above: 0,
    forSeconds: 300,
  },
  server_errors: {
    what: 'more than 1 % of answers have a status of 500 or above',
    advice: 'tote_refusals_total has the codes: docs/bots/errors.md.',
    figure: (_reading, vitals) =>
      vitals.sum('serverErrorsPerSecond', 60) / vitals.sum('requestsPerSecond', 60),
    promql:
      'sum by (instance) (rate(tote_http_requests_total{status=~"5.."}[1m])) / sum by (instance) (rate(tote_http_requests_total[1m]))',
    unit: 'share',
    above: 0.01,
    forSeconds: 60,
  },
  wrong_tokens: {
    what: 'more than ten requests in 15 minutes had wrong operator tokens',
    advice:
      'operator_tokens_refused in the log has their addresses. Is it a script with an old token? Else close the port to them.',
    ...counted('wrongTokens', 'tote_operator_tokens_refused_total'),
    above: 10,
  },
  client_faults: {
    what: "programming errors ended clients' requests or streams in the last 15 minutes",
    advice:
      'Report the lines client_fault of the log. Nothing else is affected. Somebody may cause it on purpose: see the address.',
    ...counted('clientFaults', 'tote_client_faults_total'),
    above: 0,
  },
  shadow_impaired: {
    what: 'something prevents snapshots or the archive',
    advice:
      'shadow.reason in /status, or the log, says what; it is tried again within 5 minutes. Orders go on; restarts take longer, and what has left memory cannot be read.',
    ...gauge('isShadowImpaired'),
    above: 0,
    forSeconds: 60,
  },
  archive_behind: {
    what: 'the archive is far behind the journal',
    advice: 'It catches up by itself once there is less load. If it does not, give the machine another core.',
    ...gauge('archiveLagCommands'),
    unit: 'commands',
    above: 500_000,
    forSeconds: 60,
  },
  slow_commits: {
    what: 'the disk is slow: one commit in a hundred takes long',
    advice:
      'See what else writes to the disk (iostat -x 1); the journal wants a disk of its own with fast fsync.',
    ...slow('commitP99Ms', 'tote_commit_duration_seconds', 0.99),
    unit: 's',
    above: 0.1,
    forSeconds: 60,
  },
  slow_orders: {
    what: 'orders take long at the server: one in a hundred',
    advice:
      'tote_order_stage_duration_seconds says where: ring or engine, see engine_busy; commit, see slow_commits; release, see gateways_busy. `npx tote trace ID` shows one order.',
    ...slow('orderP99Ms', 'tote_order_duration_seconds', 0.99),
    unit: 's',
    above: 0.2,
    forSeconds: 60,
  },
  engine_stalls: {
    what: "turns of the engine's thread are long: everybody waits for them",
    advice:
      'Is the machine short of cores or memory (vmstat 1)? At a boundary with very many bets tens of milliseconds are usual.',
    ...slow('engineDelayMaxMs', 'tote_thread_delay_seconds', 1, '{thread="engine"}'),
    unit: 's',
    above: 0.25,
    forSeconds: 30,
  },
  engine_busy: {
    what: "the engine's thread has little time left: this is the most that this machine can do",
    advice: 'Give it a core of its own and a faster one; lower the rate limits meanwhile (TOTE_RATE_LIMITS).',
    ...busy('engineBusyPercent', 'rate(tote_thread_busy_seconds_total{thread="engine"}[1m])'),
    unit: 'share',
    above: 0.85,
    forSeconds: 60,
  },
  gateways_busy: {
    what: 'the gateways have little time left',
    advice:
      'Where the machine has idle cores, raise TOTE_GATEWAYS; else lower the rate limits (TOTE_RATE_LIMITS).',
    ...busy(
      'gatewaysBusyPercent',
      'avg by (instance) (rate(tote_thread_busy_seconds_total{thread=~"gateway.*"}[1m]))',
    ),
    unit: 'share',
    above: 0.85,
    forSeconds: 60,
  },
  connections_full: {
    what: 'nine tenths of the connections of a port are taken: when it is full, further ones are closed at once',
    advice:
      'See who holds them: ss -Htn state established "sport = :PORT". An address may have 1,000, unless TOTE_TRUSTED_PROXIES names it. Block those that hold many in silence, at the firewall or at a proxy in front.',
    figure: ({ connectionsTaken }) => Math.max(connectionsTaken.public, connectionsTaken.operators),
    promql: 'max by (instance) (tote_connections_taken_share)',
    unit: 'share',
    above: 0.9,
  },
};

const named = (severity: Alarm['severity'], declared: Declared): Alarm[] =>
  Object.entries(declared).map(([name, alarm]) => ({ name, severity, ...alarm }));

export const ALARMS: readonly Alarm[] = [...named('critical', CRITICAL), ...named('warning', WARNINGS)];
