/** Market hours: New York's clock, its daylight saving, and the edges of sessions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketHours, sessionsBetween } from '../../feeds/market-hours.js';
import { iso } from './support/sessions.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (text: string): number => Date.parse(text);

test('crypto never closes', () => {
  assert.equal(sessionsBetween('CRYPTO', 0, DAY_MS), null);
  assert.equal(new MarketHours().isOpen('CRYPTO', at('2026-06-13T12:00Z')), true);
});

test('metals in winter: 23:00 to 22:00 UTC, a pause of an hour each day, closed over the weekend', () => {
  assert.deepEqual(iso(sessionsBetween('METAL', at('2026-01-12T00:00Z'), at('2026-01-18T23:30Z'))), [
    '2026-01-11T23:00 2026-01-12T22:00',
    '2026-01-12T23:00 2026-01-13T22:00',
    '2026-01-13T23:00 2026-01-14T22:00',
    '2026-01-14T23:00 2026-01-15T22:00',
    '2026-01-15T23:00 2026-01-16T22:00',
    '2026-01-18T23:00 2026-01-19T22:00',
  ]);
});

// Daylight saving in New York: from 8 March to 1 November 2026.
for (const [name, week, fx, metal] of [
  [
    'March 2026',
    '2026-03-05T12:00Z',
    ['2026-03-01T22:00 2026-03-06T22:00', '2026-03-08T21:00 2026-03-13T21:00'],
    [
      '2026-03-04T23:00 2026-03-05T22:00',
      '2026-03-05T23:00 2026-03-06T22:00',
      '2026-03-08T22:00 2026-03-09T21:00',
    ],
  ],
  [
    'November 2026',
    '2026-10-29T12:00Z',
    ['2026-10-25T21:00 2026-10-30T21:00', '2026-11-01T22:00 2026-11-06T22:00'],
    [
      '2026-10-28T22:00 2026-10-29T21:00',
      '2026-10-29T22:00 2026-10-30T21:00',
      '2026-11-01T23:00 2026-11-02T22:00',
    ],
  ],
] as const) {
  test(`the change of daylight saving in ${name}`, () => {
    const [fromMs, untilMs] = [at(week), at(week) + 4 * DAY_MS];
    assert.deepEqual(iso(sessionsBetween('FX', fromMs, untilMs)), fx);
    assert.deepEqual(iso(sessionsBetween('METAL', fromMs, untilMs)).slice(0, 3), metal);
  });
}

test('the first and the last instant of a session are open; those just outside are not', () => {
  const hours = new MarketHours();
  for (const [assetClass, open, close] of [
    ['FX', '2026-06-07T21:00:00Z', '2026-06-12T21:00:00Z'],
    ['METAL', '2026-06-08T22:00:00Z', '2026-06-09T21:00:00Z'],
  ] as const) {
    assert.equal(hours.isOpen(assetClass, at(open) - 1), false);
    assert.deepEqual([hours.isOpen(assetClass, at(open)), hours.isOpen(assetClass, at(close))], [true, true]);
    assert.equal(hours.isOpen(assetClass, at(close) + 1), false);
  }
});

test('the same array for a UTC day, then another, covering nine days', () => {
  const hours = new MarketHours();
  const noon = at('2026-06-10T12:00Z');
  const sessions = hours.sessions('METAL', noon);
  assert.equal(hours.sessions('METAL', noon + 11 * HOUR_MS), sessions);
  assert.notEqual(hours.sessions('METAL', noon + 12 * HOUR_MS), sessions);
  assert.ok((sessions?.at(-1)?.[1] ?? 0) >= noon + 8 * DAY_MS);
});
