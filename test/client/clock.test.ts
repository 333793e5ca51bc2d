/** The offset of the server's clock, worked out from its answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ServerClock } from '../../client/base/clock.js';
import { forAll } from '../support/for-all.js';
import { type Answer, broken, Scripted, success } from './support/scripted.js';

const clockBy = (nowMs: () => number) => new ServerClock({ nowMs, monotonicMs: nowMs });

test('before the first answer it is our clock, and nobody knows how far off', () => {
  const clock = clockBy(() => 5_000);
  const { offsetMs, uncertaintyMs } = clock;
  assert.deepEqual([clock.nowMs(), offsetMs, uncertaintyMs], [5_000, 0, Number.POSITIVE_INFINITY]);
});

test('answers narrow down to the true offset, whatever the ways take, and none widens what is known', () => {
  const way = fc.integer({ min: 0, max: 80 });
  const answers = fc.array(fc.tuple(fc.integer({ min: 0, max: 3_000 }), way, way), { minLength: 1 });
  forAll(fc.integer({ min: -1e9, max: 1e9 }), answers, (offsetMs, all) => {
    let nowMs = 1e12;
    let knownMs = Number.POSITIVE_INFINITY;
    const clock = clockBy(() => nowMs);
    for (const [pauseMs, thereMs, backMs] of all) {
      const sentMs = nowMs + pauseMs;
      const driftMs = (pauseMs + thereMs + backMs) * 0.0002;
      knownMs = Math.min(knownMs + driftMs, (thereMs + backMs + 1) / 2);
      nowMs = sentMs + thereMs + backMs;
      clock.observe(sentMs, sentMs + thereMs + offsetMs);
      // Fractions of numbers of this size are not exact.
      assert.ok(Math.abs(clock.offsetMs - offsetMs) <= clock.uncertaintyMs + 0.001);
      assert.ok(clock.uncertaintyMs <= knownMs + 0.001);
    }
  });
});

test('an answer grows old, a clock that was set is doubted, and followed from the next answer on', () => {
  let nowMs = 10_000;
  let setMs = 0;
  const clock = new ServerClock({ nowMs: () => nowMs + setMs, monotonicMs: () => nowMs });
  clock.observe(nowMs, nowMs + 50);
  assert.deepEqual([clock.offsetMs, clock.nowMs(), clock.uncertaintyMs], [50.5, 10_050.5, 0.5]);
  nowMs += 10_000;
  assert.equal(clock.uncertaintyMs, 2.5);
  for (setMs of [-3_600_000, 3_600_000]) assert.equal(clock.uncertaintyMs, 3_600_002.5);
  clock.observe(nowMs, nowMs + 50);
  assert.deepEqual([clock.offsetMs, clock.uncertaintyMs], [50.5 - setMs, 0.5]);
  clock.observe(nowMs, nowMs + 90);
  assert.equal(clock.offsetMs, 90.5 - setMs, 'the clock of the server');
});

test('the client learns the offset of the attempt that GET /time answered, also while its own clock is set', async () => {
  const timeMs = Date.parse('2026-06-10T13:00:00.000Z');
  let setBackMs = 0;
  const answer: Answer = (request) => {
    setBackMs = 3_600_000;
    time.nowMs_ += 10 - setBackMs;
    return success({ timeMs, time: new Date(timeMs).toISOString(), seq: 1 })(request);
  };
  const { client, time } = new Scripted([broken, answer]);
  Object.assign(time, { monotonicMs: () => time.nowMs_ + setBackMs });
  await client.getTime();
  assert.deepEqual([client.clock.nowMs(), client.clock.uncertaintyMs], [timeMs + 5.5, 5.5]);
});
