/**
 * Every event of the log. Names and levels stay the same from version to version, because alarms and queries depend
 * on them; docs/operations.md lists them. The sentence is for people.
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
  recovering: at('info'),
  recovered: at('info', 'the state is recovered'),
  unclean_stop: at('warn', 'the last server did not stop cleanly: its journal was recovered'),
  recovery_note: at('warn'),
  clock_gap: at('warn'),
  clock_confirmed: at('warn', "another clock agrees with this machine's: open rounds go on"),
  setup_changed: at('warn', 'what the data directory is set up with was changed, as asked for'),
  feed_seed_set: at(
    'warn',
    'TOTE_FEED_SEED is set: anybody who sees some of the simulated prices can foretell the others; it is meant for tests',
  ),
  port_note: at('warn'),
  awaited_prices: at(
    'warn',
    'rounds wait for prices at boundaries from before the start; without a tick from then they are voided',
  ),
  holidays_over: at('warn', 'all closures of TOTE_HOLIDAYS_FILE are over: the coming holidays are unknown'),
  price_held: at(
    'warn',
    'a price is too far from the last one: it is held back until later ones agree with it',
  ),
  price_confirmed: at('info', 'an operator vouches for a price that was held back: it is used'),
  feed_switched: at('warn', 'prices of an asset come from another feed'),
  feed_connected: at('info', 'prices come over a new connection'),
  feed_disconnected: at('warn', 'the connection to a price service has ended, or could not be made'),
  feed_ids_refused: at(
    'error',
    'ids of price feeds are not those of their assets: these assets are not priced by this service',
  ),
  feed_service_error: at('warn', 'the price service says that it could not send an update'),
  feed_malformed: at('warn', 'the price service sent what is not in its form'),
  price_unsure: at('warn', 'the price service is too unsure of a price: it is not used'),
  standby_listening: at('info', "the operators' port answers: this server is a standby"),
  following: at('info', 'this server follows the replicated log: it takes over when its leader ends'),
  leading: at('info', 'this server leads'),
  batch_taken_back: at('warn'),
  replication_away: at(
    'warn',
    'the replicated log does not answer, or not as it must: until it does, what is accepted waits, and new orders are refused',
  ),
  replication_back: at('info', 'the replicated log answers as it must'),
  hand_over_asked: at('info', 'an operator asks for another leader: this server stops and hands over'),
  listening: at('info', 'both ports answer'),
  minute: at('info', 'a minute has passed'),
  deposit: at('info', 'money was paid in'),
  withdrawal: at('info', 'money was paid out'),
  rules_in_force: at('info', 'rules were put in force'),
  rules_changed_at_run_time: at(
    'info',
    'operators have changed rules at run time: that stays in force, whatever the file says',
  ),
  trading_switched: at('info', 'trading was switched'),
  market_suspended: at('info', 'a market was suspended'),
  market_resumed: at('info', 'a market was resumed'),
  rounds_voided: at('warn', 'rounds were voided: their bets are refunded'),
  rounds_not_opened: at('warn', 'rounds did not open'),
  rounds_paused: at('info', 'rounds did not open, as was to be expected'),
  snapshot_written: at('info', 'a snapshot was written'),
  segment_sealed: at('info', 'a segment of the journal is full, and the next one has begun'),
  segment_pruned: at('info', 'a segment has left the journal, as TOTE_RETENTION says'),
  archive_behind: at('info', 'the archive is far behind'),
  archive_caught_up: at('info', 'the archive has caught up'),
  needs_attention: at('warn', 'needs attention'),
  back_to_normal: at('info', 'back to normal'),
  operator_denied: at('warn', 'requests of operators were refused: their role may not do that'),
  operator_tokens_refused: at('warn', 'wrong operator tokens were sent'),
  root_refused: at('warn', 'the root of a round came too late to be put on record: the round has none'),
  shadow_note: at('warn'),
  stdout_closed: at('warn', 'stdout cannot be written'),
  node_warning: at('warn'),
  reloaded: at('info'),
  reload_refused: at('error'),
  certificate_expires: at(
    'warn',
    "a port's certificate expires soon, or has expired: renew it, then send SIGHUP",
  ),
  service_manager_untold: at('warn', 'the service manager could not be told how the server is'),
  client_fault: at(
    'error',
    'a programming error has ended a request or a stream; nothing else is affected: report it with this line',
  ),
  request: at('debug', 'a request was answered'),
  stopping: at('info', 'stopping'),
  stopped: at('info', 'stopped'),
  stopped_at_once: at('warn', 'a second signal: the server ends without closing; the next start recovers'),
  disk_full: at(
    'fatal',
    'the disk of the data directory is full: the server stops while its journal is whole; free space and start it again',
  ),
  journal_lost: at(
    'fatal',
    'files of the journal were deleted or replaced: nothing is acknowledged any more; this process alone still has them open: run the commands in `rescue` before it is stopped',
  ),
  stopped_without_journal: at(
    'fatal',
    'the server stops without its journal: what was acknowledged is on disk only if the files were copied back before',
  ),
  failed: at('fatal', 'the server stops: nothing more is acknowledged; a restart recovers'),
} as const satisfies Readonly<Record<string, EventKind>>;

export type LogEvent = keyof typeof LOG_EVENTS;
