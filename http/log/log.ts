/**
 * The log: pino's JSON lines on stderr, written asynchronously and flushed when the process ends. Stdout is for
 * people (the banner and the first start's curl line). Requests are not logged: at 100,000 a second a log of
 * them would be the server's main work.
 */
import { type Logger, pino } from 'pino';
import type { LogLevel } from '../process/config.js';

export type Log = Logger;

/** Fields whose value never reaches the log, wherever in a line's object they stand. */
const SECRET_FIELDS = ['secret', 'token', 'apiKey', 'authorization', 'masterSecret'];
const STDERR = 2;

export function createLog(level: LogLevel): Log {
  const paths = SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]);
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths, censor: '[secret]' } },
    pino.destination({ dest: STDERR, sync: false }),
  );
}
