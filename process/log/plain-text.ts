/** The log's lines as plain text, for a terminal. */
import { pino } from 'pino';

interface Line {
  readonly level: number;
  readonly time: string;
  readonly event: string;
  readonly msg: string;
  readonly err?: { readonly stack?: string };
}

/** Formats one of pino's JSON lines. The text ends with a line feed. */
export function plainText(line: string): string {
  const { level, time, event, msg, err, ...fields } = JSON.parse(line) as Line;
  const [day, clock] = [time.slice(0, 10), time.slice(11, 19)];
  const label = (pino.levels.labels[level] ?? `${level}`).padEnd(5);
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const trace = err?.stack === undefined ? '' : `\n${err.stack}`;
  return `${[day, clock, label, `${event}:`, msg, ...shown].join(' ')}${trace}\n`;
}
