/** The pace of a thread that shares a core, with a clock and a sleep that are only numbers. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { availableParallelism, getPriority } from 'node:os';
import { test } from 'node:test';
import { hasCoreToSpare, lowerHelpersWhenWarm, Pace } from '../../../persistence/thread/pace.js';
import { Rng } from '../../support/reference/random/rng.js';

function paced() {
  const state = { nowMs: 1_000, slept: [] as number[], lateMs: 0, longestMs: 0, sinceMs: 1_000 };
  const sleep = (ms: number): void => {
    state.slept.push(ms);
    state.nowMs += ms + state.lateMs;
    state.sinceMs = state.nowMs;
  };
  const pace = new Pace({ monotonicMs: () => state.nowMs }, sleep);
  const work = (ms: number): void => {
    state.nowMs += ms;
    state.longestMs = Math.max(state.longestMs, state.nowMs - state.sinceMs);
    pace.rest();
  };
  return { pace, state, work };
}

test('small pieces of work never add up without a rest, and half of the time is rest', () => {
  const rng = new Rng(3);
  const { state, work } = paced();
  let workedMs = 0;
  for (let piece = 0; piece < 10_000; piece++) {
    const ms = (1 + rng.below(50)) / 1_000;
    workedMs += ms;
    work(ms);
  }
  const restedMs = state.slept.reduce((sum, ms) => sum + ms, 0);
  assert.ok(state.longestMs < 0.31, `${state.longestMs} ms at most`);
  assert.ok(Math.abs(restedMs - workedMs) < 0.31, `${workedMs} ms of work, ${restedMs} ms of rest`);
});

test('a rest is as long as the work before it, within bounds', () => {
  const { pace, state, work } = paced();
  work(0.2);
  assert.deepEqual(state.slept, []);
  work(0.2);
  work(0.25);
  work(100);
  const sleeps = state.slept.map((ms) => Math.round(ms * 1_000));
  assert.deepEqual(sleeps, [400, 250, 500]);
  pace.isHurried = true;
  work(0.4);
  work(0.2);
  assert.equal(state.slept.at(-1), 0.2, 'behind, it works more and rests less');
});

test('a thread that waits long for the core works longer at a time, until it gets it in time again', () => {
  const { state, work } = paced();
  state.lateMs = 20;
  work(0.3);
  work(0.9);
  assert.equal(state.slept.length, 1);
  state.lateMs = 1;
  work(0.2);
  assert.equal(state.slept.length, 2);
  work(0.3);
  assert.equal(state.slept.length, 3);
});

test('a sleep elsewhere does not count as work', () => {
  const { pace, state, work } = paced();
  work(0.1);
  state.nowMs += 200;
  pace.begin();
  work(0.1);
  assert.deepEqual(state.slept, []);
});

test('few cores are shared', () => {
  assert.deepEqual([1, 2, 3, 4, 64].map(hasCoreToSpare), [false, false, false, true, true]);
});

test("V8's own threads give way on few cores, but not while a server warms up", {
  skip: process.platform !== 'linux',
}, (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const own = getPriority(process.pid);
  const areLowered = (): boolean =>
    readdirSync('/proc/self/task').some((id) => Number(id) !== process.pid && getPriority(Number(id)) > own);
  lowerHelpersWhenWarm();
  t.mock.timers.tick(14_999);
  assert.equal(areLowered(), false);
  t.mock.timers.tick(1);
  assert.deepEqual([areLowered(), getPriority(process.pid)], [!hasCoreToSpare(availableParallelism()), own]);
});
