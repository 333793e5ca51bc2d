/**
 * The log: pino's JSON lines on stderr, written asynchronously and flushed when the process ends; on a terminal they are
 * plain text. Stdout is for people (the banner and the first start's curl line). Requests are not logged unless debug
 * lines are: at 100,000 a second a log of them would be the server's main work.
 */
import { type DestinationStream, pino } from 'pino';
import { LOG_EVENTS, type LogEvent, type LogLevel } from './events.js';
import { plainText } from './plain-text.js';

export interface Log {
  /** Whether debug lines are written. */
  readonly isDebug: boolean;
  /** Writes one line. `message` is for events that have no sentence of their own. */
  tell(event: LogEvent, fields?: object, message?: string): void;
  /** Writes out what waits: for work in which the event loop does not turn. */
  flush(): void;
}

/** Fields whose value never reaches the log, wherever in a line's object they stand. */
const SECRET_FIELDS = ['secret', 'token', 'apiKey', 'authorization', 'masterSecret'];
const STDERR = 2;

export function createLog(level: LogLevel): Log {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]);
  const file = process.stderr.isTTY ? null : pino.destination({ dest: STDERR, sync: false });
  const lines = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths, censor: '[secret]' } },
    file ?? terminal,
  );
  return {
    isDebug: lines.isLevelEnabled('debug'),
    tell(event, fields = {}, message = LOG_EVENTS[event].message) {
      lines[LOG_EVENTS[event].level]({ event, ...fields }, message);
    },
    flush: () => file?.flushSync(),
  };
}

const terminal: DestinationStream = {
  write: (line) => void process.stderr.write(plainText(line)),
};

/** What Node itself has to say, such as of a deprecated function, goes to the log, and not in its own form to stderr. */
export function logNodeWarnings(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }) => log.tell('node_warning', { name, stack }, message));
}
