/** The other clock that confirms this machine's. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondClock } from '../../start/second-clock.js';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const DAY_MS = 86_400_000;

function looking(isSynchronised = false) {
  const feed = { name: 'hermes', newestMs: 0 };
  const clock = { wallMs: NOW_MS, monoMs: 0 };
  const told: unknown[] = [];
  const wallClock = {
    condition: 'unconfirmed' as 'unconfirmed' | 'sound',
    believe: () => {
      wallClock.condition = 'sound';
    },
  };
  let asked = 0;
  const second = new SecondClock({
    sequencer: { wallClock },
    clock: { nowMs: () => clock.wallMs, monotonicMs: () => clock.monoMs },
    liveFeeds: [feed],
    isSynchronised: () => {
      asked++;
      return Promise.resolve(isSynchronised);
    },
    log: { write: (event, fields) => told.push([event, fields]) },
  });
  return { second, feed, clock, wallClock, told, asked: () => asked };
}

test('a price that was published within 10 s of what the clock says confirms it, once', async () => {
  const { second, feed, wallClock, told } = looking();
  second.look();
  feed.newestMs = NOW_MS - 10_001;
  second.look();
  assert.equal(wallClock.condition, 'unconfirmed');
  feed.newestMs = NOW_MS - 10_000;
  second.look();
  assert.equal(wallClock.condition, 'sound');
  const both = looking(true);
  both.feed.newestMs = NOW_MS + 10_000;
  both.second.look();
  await Promise.resolve();
  for (const lines of [told, both.told]) assert.deepEqual(lines, [['clock_confirmed', { by: 'hermes' }]]);
});

test('a clock that comes to the time of an old price is not confirmed by it', () => {
  const { second, feed, clock, wallClock } = looking();
  feed.newestMs = NOW_MS + DAY_MS;
  second.look();
  clock.wallMs += DAY_MS;
  second.look();
  assert.equal(wallClock.condition, 'unconfirmed');
});

test('the time service is asked every 10 s, and confirms the clock if it is synchronised', async () => {
  const no = looking();
  no.second.look();
  no.second.look();
  assert.equal(no.asked(), 1);
  no.clock.monoMs += 10_000;
  no.second.look();
  await Promise.resolve();
  assert.deepEqual([no.asked(), no.wallClock.condition], [2, 'unconfirmed']);
  const yes = looking(true);
  yes.second.look();
  await Promise.resolve();
  assert.equal(yes.wallClock.condition, 'sound');
  assert.deepEqual(yes.told, [['clock_confirmed', { by: "the machine's time service" }]]);
});

test('a sound clock is compared with none', () => {
  const { second, wallClock, asked } = looking();
  wallClock.condition = 'sound';
  second.look();
  assert.equal(asked(), 0);
});
