/**
 * The log: pino's JSON lines on stderr, written asynchronously and flushed when the process ends. On a terminal they
 * are plain text. Stdout is for people: the banner and the first start's curl line. Requests are logged at debug
 * level only; otherwise logging them would be the server's main work.
 */
import { type DestinationStream, pino } from 'pino';
import { LOG_EVENTS, type LogEvent, type LogLevel } from './events.js';
import { LineWriter } from './line-writer.js';

export interface Log {
  readonly isDebug: boolean;
  /** `message` is for events without a sentence of their own. */
  write(event: LogEvent, fields?: object, message?: string): void;
  /** Writes out buffered lines, before work that blocks the event loop. */
  flush(): void;
}

/** Fields whose values are masked, at the top of a line's object or one level below. */
const SECRET_FIELDS = ['secret', 'token', 'apiKey', 'authorization', 'masterSecret'];
const STDERR = 2;

export function createLog(level: LogLevel): Log {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]);
  const file = process.stderr.isTTY ? null : stderrOfThread();
  const timestamp = pino.stdTimeFunctions.isoTime;
  const redact = { paths, censor: '[secret]' };
  const serializers = { err: saidOnce };
  const lines = pino({ level, base: null, timestamp, redact, serializers }, file ?? terminal);
  return {
    isDebug: lines.isLevelEnabled('debug'),
    write(event, fields = {}, message = LOG_EVENTS[event].message) {
      lines[LOG_EVENTS[event].level]({ event, ...fields }, message);
    },
    flush: () => file?.flushSync(),
  };
}

/** Pino adds the messages of causes, which sentences of ours have in them already. */
function saidOnce(err: Error): object {
  const shown = pino.stdSerializers.err(err);
  const { message, cause } = err;
  return cause instanceof Error && message.includes(cause.message) ? { ...shown, message } : shown;
}

let ofThread: LineWriter | null = null;

/** All logs of a thread write to one. Pino's own would end the process when the disk is full, and never let it end. */
function stderrOfThread(): LineWriter {
  if (ofThread !== null) return ofThread;
  const lines = new LineWriter(STDERR);
  process.on('exit', () => lines.flushSync());
  ofThread = lines;
  return lines;
}

const terminal: DestinationStream = {
  write: (line) => void process.stderr.write(plainText(line)),
};

/** Node would write its warnings, such as deprecations, to stderr in their own format. */
export function logNodeWarnings(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }) => log.write('node_warning', { name, stack }, message));
}

interface Line {
  readonly level: number;
  readonly time: string;
  readonly event: string;
  readonly msg: string;
  readonly err?: { readonly stack?: string };
}

/** `line` is one of pino's JSON lines. The text ends with a line feed. */
function plainText(line: string): string {
  const { level, time, event, msg, err, ...fields } = JSON.parse(line) as Line;
  const [day, clock] = [time.slice(0, 10), time.slice(11, 19)];
  const label = (pino.levels.labels[level] ?? `${level}`).padEnd(5);
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const trace = err?.stack === undefined ? '' : `\n${err.stack}`;
  return `${[day, clock, label, `${event}:`, msg, ...shown].join(' ')}${trace}\n`;
}
