import assert from 'node:assert/strict';
import { LOG_EVENTS, type LogEvent } from '../../../process/log/events.js';

export interface LogLine {
  readonly level: number;
  readonly time: string;
  readonly event: LogEvent;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Fails if a whole line is not a JSON object with a known event. */
export function logLines(stderr: string): LogLine[] {
  const whole = stderr.slice(0, stderr.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .slice(0, -1)
    .map((text) => {
      assert.match(text, /^\{.*\}$/, 'each line is a JSON object');
      const line = JSON.parse(text) as LogLine;
      assert.ok(line.event in LOG_EVENTS, `${text} names a known event`);
      assert.ok(line.msg !== '' && !Number.isNaN(Date.parse(line.time)), text);
      return line;
    });
}

export const linesOf = (stderr: string, event: LogEvent): LogLine[] =>
  logLines(stderr).filter((line) => line.event === event);
