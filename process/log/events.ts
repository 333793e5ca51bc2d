/**
 * Every event of the log. Alarms and queries depend on names and levels: they stay the same from version to version.
 * docs/ops/log.md lists them. The sentence is for people.
 */

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
type WrittenLevel = Exclude<LogLevel, 'silent'>;

interface EventKind {
  readonly level: WrittenLevel;
  /** '' if each line has its own, because the sentence contains figures. */
  readonly message: string;
}

const at = (level: WrittenLevel, message = ''): EventKind => ({ level, message });

export const LOG_EVENTS = {
  starting: at('info', 'starting'),
  start_refused: at('fatal'),
  disk_awaited: at('error'),
  recovering: at('info'),
  recovered: at('info', 'state recovered'),
  unclean_stop: at('warn', 'the last server did not stop cleanly; its journal is recovered'),
  recovery_warning: at('warn'),
  clock_gap: at('warn'),
  clock_confirmed: at('warn', 'another clock agrees with this machine; open rounds go on'),
  setup_changed: at('warn', 'settings of the data directory changed (TOTE_CHANGE_SETUP)'),
  unsafe_setting: at('warn'),
  port_warning: at('warn'),
  prices_awaited: at(
    'warn',
    'rounds wait for boundary prices from before the start; without a tick from that time they are voided',
  ),
  holidays_expired: at('warn', 'every closure in TOTE_HOLIDAYS_FILE is past: add the coming holidays'),
  price_held: at('warn', 'a price is too far from the last one: held until later prices agree'),
  price_confirmed: at('info', 'an operator confirmed a held price: it is used'),
  feed_switched: at('warn', 'an asset switched to another feed'),
  feed_connected: at('info', 'connected to a price service'),
  feed_disconnected: at('warn', 'disconnected from a price service, or could not connect'),
  feed_ids_refused: at(
    'error',
    'price feed ids belong to other assets: this service does not price these assets',
  ),
  feed_service_error: at('warn', 'the price service reported an error, or a past price that is not used'),
  feed_malformed: at('warn', 'the price service sent a malformed message'),
  price_uncertain: at('warn', 'a price has too wide a confidence interval: not used'),
  standby_listening: at('info', 'this server is a standby; its operator port listens'),
  following: at('info', 'this server follows the replicated log and takes over when its leader ends'),
  leading: at('info', 'this server leads'),
  batch_rolled_back: at('warn'),
  replication_away: at(
    'warn',
    'trouble with the NATS servers (`reason`): until it is over a leader acknowledges nothing, and a standby does not take over',
  ),
  replication_restored: at('info', 'the replicated log answers again'),
  handover_requested: at('info', 'an operator asked for another leader: this server stops and hands over'),
  listening: at('info', 'both ports listen'),
  order_slow: at('warn', 'an order took longer than a second; at most one a second is told'),
  demo_kept: at('warn', "the demo account's key is in this file: read it there, then delete the file"),
  minute: at('info', 'figures of the last minute'),
  deposit: at('info', 'deposit'),
  withdrawal: at('info', 'withdrawal'),
  rules_in_force: at('info', 'rules in force'),
  rules_overridden: at('info', 'operators changed rules at run time: their values override the rules file'),
  trading_switched: at('info', 'trading switched on or off'),
  loss_limit_reached: at('error', 'the house has lost as much today as it may: its markets are suspended'),
  market_suspended: at('info', 'market suspended'),
  market_resumed: at('info', 'market resumed'),
  rounds_voided: at('warn', 'rounds voided: their bets are refunded'),
  rounds_not_opened: at('warn', 'rounds did not open'),
  rounds_paused: at('info', 'rounds did not open: their market is closed or suspended'),
  snapshot_written: at('info', 'snapshot written'),
  segment_sealed: at('info', 'a journal segment is full; the next one has begun'),
  segment_pruned: at('info', 'a segment left the journal (TOTE_RETENTION)'),
  alarm_raised: at('warn', 'an alarm is raised: docs/ops/runbook.md says what to do'),
  alarm_ended: at('info', 'an alarm has ended'),
  operator_denied: at('warn', 'operator requests refused: the role does not allow them'),
  operator_tokens_refused: at('warn', 'wrong operator tokens received'),
  root_too_late: at('warn', 'the Merkle root arrived after settlement: this round has no root'),
  shadow_warning: at('warn'),
  stdout_closed: at('warn', 'cannot write to stdout'),
  node_warning: at('warn'),
  reloaded: at('info'),
  reload_failed: at('error'),
  certificate_early: at('warn', 'a certificate is not valid yet: clients refuse the server until it is'),
  certificate_expires: at('warn', 'a certificate expires soon or has expired: renew it, then send SIGHUP'),
  notify_failed: at('warn', 'could not notify systemd'),
  client_fault: at(
    'error',
    'a programming error ended one request or stream; nothing else is affected: please report this line',
  ),
  request: at('debug', 'request answered'),
  stopping: at('info', 'stopping'),
  stopped: at('info', 'stopped'),
  stop_forced: at('warn', 'second signal: the server ends without closing; the next start recovers'),
  disk_full: at(
    'fatal',
    'the data directory is full: the server stops while its journal is intact; free space and start it again',
  ),
  journal_lost: at(
    'fatal',
    'journal files were deleted or replaced: nothing more is acknowledged; only this process still has them open: run the commands in `rescue` before you stop it',
  ),
  stopped_without_journal: at(
    'fatal',
    'the server stops without its journal: acknowledged orders are on disk only if the files were copied back',
  ),
  failed: at('fatal', 'the server stops: nothing more is acknowledged; a restart recovers'),
} as const satisfies Readonly<Record<string, EventKind>>;

export type LogEvent = keyof typeof LOG_EVENTS;
