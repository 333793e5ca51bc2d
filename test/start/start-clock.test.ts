/** The wall clock at a start: the log's words on it, and its advice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClockCondition } from '../../engine/host/clock-guard.js';
import type { Totals } from '../../engine/model/views.js';
import { ClockSteps, hasStakes, lengthText, type StartClock, tellGap } from '../../start/start-clock.js';

const LAST_MS = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

function told(gapMs: number, more: Partial<StartClock> = {}): string {
  const lines: string[] = [];
  const log = { write: (_event: string, _fields: object = {}, line = '') => lines.push(line) };
  const start = { lastTimeMs: LAST_MS, hasStakes: false, isSimulated: false, dataDir: '/my tote', ...more };
  tellGap({ nowMs: LAST_MS + gapMs, ...start }, log);
  return lines.join('\n');
}

test('a gap of more than 15 minutes is logged with its length, a shorter one and that of a new journal are not', () => {
  assert.deepEqual([told(LAST_MS, { lastTimeMs: 0, hasStakes: true }), told(15 * MINUTE_MS)], ['', '']);
  assert.match(told(15 * MINUTE_MS + 1), /last time is 2026-11-20T12:00:00.000Z.* 15 min later$/);
  assert.match(told(2 * DAY_MS + 3 * HOUR_MS), / 2 d 3 h later$/);
});

test('with open stakes the line says what is waited for, and with simulated prices that rounds go on', () => {
  const waits =
    / 1 h later: open rounds have stakes, so nothing is settled and no order is taken until.*POST \/clock\/confirm/;
  assert.match(told(HOUR_MS, { hasStakes: true }), waits);
  const goOn = / 1 h later: open rounds have stakes, and go on by this clock, since prices are simulated$/;
  assert.match(told(HOUR_MS, { hasStakes: true, isSimulated: true }), goOn);
});

test('a clock that was set back is logged, with the way back where waiting takes long, a tolerated step is not', () => {
  assert.equal(told(-1_000), '');
  for (const gapMs of [-1_001, -15 * MINUTE_MS])
    assert.match(told(gapMs), / (1 s|15 min) before it: orders are refused until the clock has caught up$/);
  assert.match(
    told(-DAY_MS),
    / 1 d before it.* npx tote restore '\/my tote' --to 2026-11-19T12:00:00.000Z --out '\/my tote-restored'\./,
  );
});

test('a cent in an open bet or a resting order is at stake', () => {
  for (const [openStakesCents, reservedStakesCents] of [[0, 0] as const, [1, 0] as const, [0, 1] as const]) {
    const totals = { openStakesCents, reservedStakesCents } as Totals;
    assert.equal(hasStakes({ totals: () => totals }), openStakesCents + reservedStakesCents === 1);
  }
});

test('a clock that is set far while the server runs is logged each time, unless the start has told of it', () => {
  const told: string[] = [];
  const gaps = { behind: -HOUR_MS, sound: 0, stepped: HOUR_MS, unconfirmed: HOUR_MS };
  const wallClock = { condition: 'behind' as ClockCondition, offsetMs: 0 };
  const steps = new ClockSteps({
    ...{ sequencer: { wallClock }, clock: { nowMs: () => LAST_MS }, dataDir: '/my tote' },
    log: {
      write: (_event, _fields, line = '') => told.push(/1 h \w+(: open rounds)?/.exec(line)?.[0] ?? line),
    },
  });
  const turns = ['behind', 'sound', 'behind', 'behind', 'stepped', 'unconfirmed', 'unconfirmed'] as const;
  for (wallClock.condition of turns) {
    wallClock.offsetMs = gaps[wallClock.condition];
    steps.look();
  }
  assert.deepEqual(told, ['1 h before', '1 h later', '1 h later: open rounds']);
});

test('lengths show their two largest units', () => {
  const shown = [0, 999, 1_000, 61_000, 3_600_000, 3_601_000, 90_061_000].map(lengthText);
  assert.deepEqual(shown, ['0 ms', '999 ms', '1 s', '1 min 1 s', '1 h', '1 h', '1 d 1 h']);
});
