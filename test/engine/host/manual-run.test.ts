/**
 * A manual clock passes through everything on its way: boundaries, settlements, and the market hours of whole
 * weekends.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualRun } from '../../../engine/host/manual-run.js';
import { DAY_MS, ofKind, rulesOf, simulatedHost } from '../../support/host/feed-hosts.js';
import { type HostOptions, NOON_MS, TestClock, type TestHost } from '../../support/host/host.js';

function manualHost(
  startMs: number,
  options: HostOptions = {},
): { host: TestHost; run: ManualRun; clock: TestClock } {
  const clock = new TestClock();
  clock.wallMs = startMs;
  const host = simulatedHost(clock, { clockGuard: null, ...options });
  const roots = { whenPublished: (release: () => void) => release() };
  const { sequencer, lifecycle, schedule } = host;
  const run = new ManualRun({ sequencer, lifecycle, roots, schedule }, (nowMs) => {
    assert.ok(nowMs > clock.wallMs, 'the clock moves forward');
    clock.wallMs = nowMs;
  });
  return { host, run, clock };
}

async function untilDone<T>(host: TestHost, promise: Promise<T>): Promise<T> {
  let isDone = false;
  const done = promise.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    host.endTurn();
    host.journal.ack();
    await Promise.resolve();
  }
  return done;
}

test('a manual clock passes through every boundary in order, whatever the size of its steps', async () => {
  const journals: string[] = [];
  for (const stepMs of [10_000, 500_000, 1_000_000]) {
    const { host, run } = manualHost(NOON_MS, { rules: rulesOf('BTC_ONE_MINUTE', 'BTC_FIVE_MINUTES') });
    for (let passedMs = 0; passedMs < 1_000_000; passedMs += stepMs) {
      assert.equal(await untilDone(host, run.advance(stepMs)), NOON_MS + passedMs + stepMs);
      assert.equal(host.sequencer.backlogCommands, 0, 'all of it is durable');
    }
    const moves = ofKind(host, 'moveClock').map(({ timeMs }) => timeMs);
    assert.ok(moves.every((timeMs) => (timeMs - NOON_MS) % stepMs === 0));
    journals.push(JSON.stringify(host.journal.commands().filter(({ kind }) => kind !== 'moveClock')));
    assert.ok(ofKind(host, 'boundaryPrice').length >= 16);
  }
  assert.deepEqual([journals[0], journals[1]], [journals[1], journals[2]]);
});

test('the time reached is journaled, even if nothing was due on the way', async () => {
  const { host, run } = manualHost(NOON_MS);
  for (const [advanceMs, timeMs] of [
    [1, NOON_MS + 1],
    [0, NOON_MS + 1],
    [6, NOON_MS + 7],
  ] as const) {
    assert.equal(await untilDone(host, run.advance(advanceMs)), timeMs);
    assert.deepEqual([host.engine.timeMs, host.sequencer.durableSeq], [timeMs, host.engine.seq]);
  }
  const timesMs = ofKind(host, 'moveClock').map(({ timeMs }) => timeMs);
  assert.deepEqual(timesMs, [NOON_MS + 1, NOON_MS + 7]);
});

test('concurrent manual runs follow each other', async () => {
  const { host, run, clock } = manualHost(NOON_MS);
  const reached = await untilDone(
    host,
    Promise.all([run.advance(1_000), run.advance(70_000), run.advance(0)]),
  );
  assert.deepEqual(reached, [NOON_MS + 1_000, NOON_MS + 71_000, NOON_MS + 71_000]);
  assert.equal(clock.wallMs, NOON_MS + 71_000);
});

test('a server that stops ends a run where it is', async () => {
  const { host, run, clock } = manualHost(NOON_MS);
  const reached = run.advance(DAY_MS);
  for (let i = 0; i < 20; i++) {
    host.endTurn();
    host.journal.ack();
    await Promise.resolve();
  }
  const drained = host.sequencer.drain();
  assert.equal(await untilDone(host, reached), clock.wallMs);
  assert.equal(host.engine.timeMs, clock.wallMs, 'which is journaled');
  await untilDone(host, drained);
  assert.ok(clock.wallMs > NOON_MS && clock.wallMs < NOON_MS + DAY_MS);
  assert.equal(host.journal.recover().rollingDigest(), host.engine.rollingDigest());
});
