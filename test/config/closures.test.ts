/** Holidays and early ends: the files that bring them, and the market hours with them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type Closure, readClosures } from '../../config/closures.js';
import { MarketHours, sessionsBetween } from '../../feeds/market-hours.js';
import { iso } from '../feeds/support/sessions.js';
import { forMany } from '../support/for-all.js';
import { newFile } from '../support/new-folder.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (text: string): number => Date.parse(text);

const exampleOf = (country: string): readonly Closure[] =>
  readClosures(fileURLToPath(new URL(`../../../docs/calendars/${country}.json`, import.meta.url)));

test('the American example: Good Friday and Christmas are closed, Memorial Day ends early', () => {
  const closures = exampleOf('us');
  const metals = (from: string, to: string) => iso(sessionsBetween('METAL', at(from), at(to), closures));
  assert.deepEqual(metals('2026-04-01T12:00Z', '2026-04-06T12:00Z'), [
    '2026-03-31T22:00 2026-04-01T21:00',
    '2026-04-01T22:00 2026-04-02T21:00',
    '2026-04-05T22:00 2026-04-06T21:00',
  ]);
  assert.deepEqual(metals('2026-05-25T12:00Z', '2026-05-26T12:00Z'), [
    '2026-05-24T22:00 2026-05-25T18:30',
    '2026-05-25T22:00 2026-05-26T21:00',
  ]);
  assert.deepEqual(iso(sessionsBetween('FX', at('2026-12-22T00:00Z'), at('2027-01-03T00:00Z'), closures)), [
    '2026-12-20T22:00 2026-12-24T22:00',
    '2026-12-27T22:00 2026-12-31T22:00',
  ]);
});

test('the British example: a bank holiday is a day of London, which summer time moves', () => {
  const hours = new MarketHours(exampleOf('uk'));
  for (const [time, isOpen] of [
    ['2026-08-30T22:59Z', true],
    ['2026-08-30T23:00:01Z', false],
    ['2026-08-31T22:59:59Z', false],
    ['2026-08-31T23:00Z', true],
    ['2026-12-28T00:00Z', true],
    ['2026-12-28T00:00:01Z', false],
    ['2026-12-29T00:00Z', true],
  ] as const) {
    assert.equal(hours.isOpen('FX', at(time)), isOpen, time);
    assert.equal(hours.isOpen('CRYPTO', at(time)), true);
  }
});

test('property: a time is open if the weekly hours have it open and no closure has it closed', () => {
  const fromMs = at('2026-03-01T00:00Z');
  const closure = fc.record({
    name: fc.constant('any'),
    classes: fc.constantFrom(['METAL'] as const, ['FX'] as const, ['METAL', 'FX'] as const),
    fromMs: fc.integer({ min: 0, max: 400 }).map((hours) => fromMs + hours * HOUR_MS),
    untilMs: fc.integer({ min: 1, max: 60 }),
  });
  const closures = fc
    .array(closure, { maxLength: 6 })
    .map((all) => all.map((one) => ({ ...one, untilMs: one.fromMs + one.untilMs * HOUR_MS })));
  const moment = fc.integer({ min: 0, max: 16 * 24 * 60 }).map((minutes) => fromMs + minutes * 60_000 + 1);
  forMany(
    { numRuns: 500 },
    closures,
    moment,
    fc.constantFrom('METAL' as const, 'FX' as const),
    (all, timeMs, assetClass) => {
      const isClosed = all.some(
        (one) =>
          one.classes.some((name) => name === assetClass) && one.fromMs < timeMs && timeMs < one.untilMs,
      );
      const expected = new MarketHours().isOpen(assetClass, timeMs) && !isClosed;
      assert.equal(new MarketHours(all).isOpen(assetClass, timeMs), expected);
      const sessions = sessionsBetween(assetClass, fromMs, fromMs + 16 * DAY_MS, all) ?? [];
      sessions.forEach(([openMs, closeMs], i) => {
        assert.ok(openMs < closeMs && openMs > (sessions[i - 1]?.[1] ?? 0), 'ordered and separate');
      });
    },
  );
});

test('mistakes in a file are told by their place', () => {
  const day = { name: 'A day', classes: ['FX'], from: '2026-12-25T00:00', until: '2026-12-26T00:00' };
  const read = (closure: object, timeZone = 'Europe/London'): readonly Closure[] =>
    readClosures(newFile({ timeZone, closures: [day, closure] }));
  for (const until of [day.until, '2027-01-08T00:00']) assert.equal(read({ ...day, until }).length, 2);
  assert.throws(() => read({ ...day, classes: ['CRYPTO'] }), /closures\[1\]\.classes\[0\]/);
  assert.throws(() => read({ ...day, classes: [] }), /closures\[1\]\.classes/);
  assert.throws(() => read({ ...day, until: day.from }), /closures\[1\] \(A day\): from and until must be/);
  for (const until of ['2027-12-26T00:00', '2027-01-08T00:01'])
    assert.throws(() => read({ ...day, until }), /up to 14 days apart/);
  assert.throws(() => read({ ...day, from: '2026-12-25' }), /closures\[1\]\.from/);
  assert.throws(() => read({ ...day, from: '2026-02-30T00:00' }), /closures\[1\] \(A day\)/);
  assert.throws(() => read({ ...day, note: 'x' }), /closures\[1\]\.note is not a known field/);
  assert.throws(() => read(day, 'London'), /timeZone: "London" is not a time zone/);
  assert.throws(() => readClosures(newFile('{')), /cannot be read/);
});
