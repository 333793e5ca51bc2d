/** A connection to a price service is kept up: its waits, and its hanging up. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeptConnection, type Listener } from '../../../feeds/live/kept-connection.js';
import { HandClock } from '../support/seen.js';

function kept(chance = 0) {
  const clock = new HandClock();
  const calls: { listener: Listener; hungUp: number }[] = [];
  const waits: number[] = [];
  const connection = new KeptConnection({
    dial: (listener) => {
      const call = { listener, hungUp: 0 };
      calls.push(call);
      return () => void call.hungUp++;
    },
    silenceMs: 10_000,
    clock,
    random: () => chance,
    onOpened: () => undefined,
    onEnded: (_reason, waitMs) => waits.push(waitMs),
  });
  connection.start();
  const last = (): Listener => {
    const call = calls.at(-1);
    assert.ok(call);
    return call.listener;
  };
  return { clock, calls, waits, connection, last };
}

const END = { reason: 'gone', askedMs: 0 };

test('waits double up to half a minute, and each is half as long at most by chance', () => {
  for (const [chance, expected] of [
    [0, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
    [1, [125, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
  ] as const) {
    const { clock, waits, connection, last, calls } = kept(chance);
    for (const waitMs of expected) {
      last().ended(END);
      const before = calls.length;
      clock.pass(waitMs - 1);
      connection.poll();
      assert.equal(calls.length, before, 'not before its time');
      clock.pass(1);
      connection.poll();
      assert.equal(calls.length, before + 1);
    }
    assert.deepEqual(waits, expected);
  }
});

test('after a connection that lasted a minute the waits begin anew, after a short one they do not', () => {
  const { clock, waits, connection, last } = kept();
  for (const [openMs, waitMs] of [
    [59_999, 250],
    [59_999, 500],
    [60_000, 250],
    [24 * 3_600_000, 250],
    [0, 500],
  ] as const) {
    last().opened();
    for (let passedMs = 0; passedMs < openMs; passedMs += 10_000) {
      clock.pass(Math.min(10_000, openMs - passedMs));
      last().heard();
    }
    last().ended(END);
    assert.equal(waits.at(-1), waitMs);
    clock.pass(waitMs);
    connection.poll();
  }
});

test('a wait that the service asked for is kept, whatever the chance, and ten minutes at most', () => {
  for (const chance of [0, 0.5, 1]) {
    const { waits, last } = kept(chance);
    last().ended({ reason: '429', askedMs: 60_000 });
    assert.ok((waits[0] ?? 0) >= 60_000 && (waits[0] ?? 0) <= 72_000, String(waits));
  }
  const { waits, last } = kept();
  last().ended({ reason: '429', askedMs: 86_400_000 });
  assert.deepEqual(waits, [600_000]);
});

test('silence ends a connection, before and after it has opened; what is heard keeps it', () => {
  const { clock, calls, waits, connection, last } = kept();
  clock.pass(10_000);
  connection.poll();
  assert.deepEqual(waits, []);
  clock.pass(1);
  connection.poll();
  assert.deepEqual([waits, calls[0]?.hungUp], [[250], 1]);
  assert.equal(connection.view.lastEnd, 'nothing new for 10 s');
  clock.pass(250);
  connection.poll();
  last().opened();
  for (let i = 0; i < 5; i++) {
    clock.pass(9_999);
    last().heard();
    connection.poll();
  }
  assert.deepEqual([calls.length, connection.view.state], [2, 'connected']);
  clock.pass(10_001);
  connection.poll();
  assert.deepEqual([connection.view.state, calls[1]?.hungUp], ['waiting', 1]);
});

test('what a connection tells after its end has no effect', () => {
  const { clock, calls, waits, connection, last } = kept();
  const first = last();
  first.ended(END);
  clock.pass(250);
  connection.poll();
  first.ended(END);
  first.opened();
  assert.deepEqual([calls.length, waits.length, connection.view.state], [2, 1, 'connecting']);
});

test('once stopped nothing is dialled, and the connection is hung up', () => {
  const { clock, calls, connection, waits } = kept();
  connection.stop();
  clock.pass(3_600_000);
  connection.poll();
  assert.deepEqual([calls.length, calls[0]?.hungUp, waits.length], [1, 1, 0]);
  assert.equal(connection.view.state, 'stopped');
});

test('a dial that fails at once is one failure like any other', () => {
  const clock = new HandClock();
  let dials = 0;
  const connection = new KeptConnection({
    dial: (listener) => {
      dials++;
      listener.ended(END);
      return () => undefined;
    },
    silenceMs: 10_000,
    clock,
    random: () => 0,
    onOpened: () => undefined,
    onEnded: () => undefined,
  });
  connection.start();
  connection.poll();
  assert.deepEqual([dials, connection.view.state], [1, 'waiting']);
});

test('property: at most one connection at a time, each hung up once it is replaced', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 40_000 }) }),
    fc.record({ do: fc.constantFrom('open' as const, 'heard' as const, 'end' as const), ms: fc.nat(5) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { clock, calls, connection } = kept(0.3);
      for (const { do: what, ms } of steps) {
        // Any call, an ended one too, may still tell something.
        const { listener } = calls[Math.max(0, calls.length - 1 - ms)] ?? { listener: null };
        if (what === 'pass') clock.pass(ms);
        else if (what === 'open') listener?.opened();
        else if (what === 'heard') listener?.heard();
        else listener?.ended(END);
        connection.poll();
        assert.ok(calls.filter(({ hungUp }) => hungUp === 0).length <= 1);
        assert.ok(connection.view.attempts === calls.length);
      }
    }),
  );
});
