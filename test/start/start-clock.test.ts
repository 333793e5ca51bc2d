/** The wall clock at a start: what is logged of it, and when the start is refused. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../../config/config.js';
import { judgeGap, lengthText } from '../../start/start-clock.js';

const LAST_MS = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The log lines of a start this long after the last command. */
function told(gapMs: number, gapMsMax: number | null = 7 * DAY_MS): string[] {
  const lines: string[] = [];
  const log = { write: (_event: string, _fields: object = {}, line = '') => lines.push(line) };
  judgeGap(LAST_MS + gapMs, LAST_MS, gapMsMax, log);
  return lines;
}

test('a gap of more than an hour is logged with its length, a shorter one is not', () => {
  assert.deepEqual(told(HOUR_MS), []);
  assert.match(told(HOUR_MS + 1).join(), /last command is of 2026-11-20T12:00:00.000Z.* 1 h later$/);
  assert.match(told(2 * DAY_MS + 3 * HOUR_MS).join(), / 2 d 3 h later$/);
  assert.match(told(7 * DAY_MS).join(), / 7 d later$/);
});

test('a gap of more than the limit is refused, and "any" lets it pass', () => {
  assert.throws(
    () => told(7 * DAY_MS + 1_000),
    (thrown) =>
      thrown instanceof ConfigError &&
      /TOTE_GAP_MAX: .*clock says 2026-11-27T12:00:01.000Z, 7 d later; at most 7 d are believed.*TOTE_GAP_MAX=any/.test(
        thrown.message,
      ),
  );
  assert.match(told(400 * DAY_MS, null).join(), / 400 d later$/);
});

test('a clock that was set back is logged with the difference, a tolerated step is not', () => {
  assert.deepEqual(told(-1_000), []);
  assert.match(told(-1_001).join(), / 1 s before it: orders are refused until/);
  assert.match(told(-59 * 60_000 - 3_000).join(), / 59 min 3 s before it/);
});

test('a new journal has no gap', () => {
  judgeGap(LAST_MS, 0, HOUR_MS, { write: () => assert.fail('nothing is told') });
});

test('lengths show their two largest units', () => {
  const shown = [0, 999, 1_000, 61_000, 3_600_000, 3_601_000, 90_061_000].map(lengthText);
  assert.deepEqual(shown, ['0 ms', '999 ms', '1 s', '1 min 1 s', '1 h', '1 h', '1 d 1 h']);
});
