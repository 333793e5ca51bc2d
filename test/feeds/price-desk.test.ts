/** What of prices a server is put together with, by its configuration. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../config/config.js';
import { settleSetup } from '../../config/setup.js';
import { Engine } from '../../engine/engine.js';
import { openPriceDesk } from '../../feeds/price-desk.js';
import { SeenLog } from './support/seen.js';

const US = fileURLToPath(new URL('../../../docs/calendars/us.json', import.meta.url));
const UK = fileURLToPath(new URL('../../../docs/calendars/uk.json', import.meta.url));

function deskAt(time: string, env: Record<string, string>) {
  const { config } = settleSetup(readConfig(env), null);
  const log = new SeenLog();
  const fromMs = Date.parse(time);
  const desk = openPriceDesk(config, new Engine(), {
    masterSecret: Buffer.alloc(32),
    fromMs,
    clock: { nowMs: () => fromMs, monotonicMs: () => 0 },
    log,
  });
  return { desk, log };
}

test('feeds are in the order of TOTE_FEED, and one alone needs nobody to stand by', () => {
  const namesOf = (feed: string): readonly string[] => {
    const { desk } = deskAt('2026-06-10T12:00Z', { TOTE_FEED: feed, TOTE_HERMES_API_KEY: 'some-key' });
    return [desk.feed.name, ...desk.liveFeeds.map(({ name }) => name)];
  };
  assert.deepEqual(namesOf('hermes'), ['hermes', 'hermes']);
  assert.deepEqual(namesOf('coinbase, hermes'), ['coinbase,hermes', 'coinbase', 'hermes']);
  assert.deepEqual(namesOf('simulated'), ['simulated']);
  assert.deepEqual(namesOf('push'), ['push']);
});

test('all files of holidays count, and one that is over is told of', () => {
  const env = { TOTE_HOLIDAYS_FILE: `${US}, ${UK}` };
  const { desk, log } = deskAt('2026-06-10T12:00Z', env);
  for (const [time, isOpen] of [
    ['2026-05-25T19:00Z', false],
    ['2026-08-31T12:00Z', false],
    ['2026-08-28T12:00Z', true],
  ] as const) {
    assert.equal(desk.hours.isOpen('METAL', Date.parse(time)), isOpen, time);
  }
  assert.deepEqual(log.all, []);
  const later = deskAt('2027-12-29T00:01Z', env);
  assert.deepEqual(later.log.all, [{ event: 'holidays_over', fields: { last: '2027-12-29T00:00:00.000Z' } }]);
  assert.deepEqual(deskAt('2027-12-29T00:01Z', {}).log.all, []);
});
