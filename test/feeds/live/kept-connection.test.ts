/** A connection to a price service is kept up: its waits, its hanging up, and the words on its failure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { troubleOf } from '../../../feeds/live/http-text.js';
import { type Ended, KeptConnection, type Listener } from '../../../feeds/live/kept-connection.js';
import { TestClock } from '../../support/host/host.js';

class Call {
  #end: (end: Ended) => void = () => undefined;
  readonly ended: Promise<Ended>;

  constructor(
    private readonly listener: Listener,
    private readonly signal: AbortSignal,
  ) {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get isHungUp(): boolean {
    return this.signal.aborted;
  }
  opened(): void {
    this.listener.opened();
  }
  heard(): void {
    this.listener.heard();
  }
  async end(end: Ended): Promise<void> {
    this.#end(end);
    await this.ended;
  }
}

function kept(chance = 0) {
  const clock = new TestClock();
  const calls: Call[] = [];
  const waits: number[] = [];
  const opened: Call[] = [];
  const connection = new KeptConnection({
    dial: (listener, signal) => {
      const call = new Call(listener, signal);
      calls.push(call);
      return call.ended;
    },
    clock,
    random: () => chance,
    onOpened: () => opened.push(last()),
    onEnded: (_reason, waitMs) => waits.push(waitMs),
  });
  connection.start();
  const last = (): Call => {
    const call = calls.at(-1);
    assert.ok(call);
    return call;
  };
  return { clock, calls, waits, opened, connection, last };
}

const END = { reason: 'gone', askedMs: 0 };

test('waits double up to half a minute, and each is half as long at most by chance', async () => {
  for (const [chance, expected] of [
    [0, [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
    [1, [125, 250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]],
  ] as const) {
    const { clock, waits, connection, last, calls } = kept(chance);
    for (const waitMs of expected) {
      await last().end(END);
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

test('after a connection that lasted a minute the waits begin anew, after a short one they do not', async () => {
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
    await last().end(END);
    assert.equal(waits.at(-1), waitMs);
    clock.pass(waitMs);
    connection.poll();
  }
});

test('a wait that the service asked for is kept, whatever the chance, and ten minutes at most', async () => {
  for (const chance of [0, 0.5, 1]) {
    const { waits, last } = kept(chance);
    await last().end({ reason: '429', askedMs: 60_000 });
    assert.ok((waits[0] ?? 0) >= 60_000 && (waits[0] ?? 0) <= 72_000, String(waits));
  }
  const { waits, last } = kept();
  await last().end({ reason: '429', askedMs: 86_400_000 });
  assert.deepEqual(waits, [600_000]);
});

test('silence ends a connection, before and after it has opened; what is heard keeps it', () => {
  const { clock, calls, waits, connection, last } = kept();
  clock.pass(10_000);
  connection.poll();
  assert.deepEqual(waits, []);
  clock.pass(1);
  connection.poll();
  assert.deepEqual([waits, calls[0]?.isHungUp], [[250], true]);
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
  assert.deepEqual([connection.view.state, calls[1]?.isHungUp], ['waiting', true]);
});

test('what a connection tells after its end has no effect', async () => {
  const { clock, calls, waits, opened, connection, last } = kept();
  const first = last();
  first.opened();
  await first.end(END);
  clock.pass(250);
  connection.poll();
  await first.end(END);
  first.opened();
  assert.deepEqual([calls.length, waits.length, connection.view.state], [2, 1, 'connecting']);
  assert.deepEqual(opened, [first]);
});

test('once stopped nothing is dialled or told, and the connection is hung up', async () => {
  const { clock, calls, connection, waits } = kept();
  connection.stop();
  await calls[0]?.end(END);
  clock.pass(3_600_000);
  connection.poll();
  assert.deepEqual([calls.length, calls[0]?.isHungUp, waits.length], [1, true, 0]);
  assert.equal(connection.view.state, 'stopped');
});

test('property: at most one connection at a time, each hung up once it is replaced', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 0, max: 40_000 }) }),
    fc.record({ do: fc.constantFrom('open' as const, 'heard' as const, 'end' as const), ms: fc.nat(5) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, calls, connection } = kept(0.3);
      for (const { do: what, ms } of steps) {
        // Any call, an ended one too, may still tell something.
        const call = calls[Math.max(0, calls.length - 1 - ms)];
        if (what === 'pass') clock.pass(ms);
        else if (what === 'open') call?.opened();
        else if (what === 'heard') call?.heard();
        else await call?.end(END);
        connection.poll();
        assert.ok(calls.filter(({ isHungUp }) => !isHungUp).length <= 1);
        assert.ok(connection.view.attempts === calls.length);
      }
    }),
  );
});

test('where every address of a host has failed, each is told of', () => {
  const causes = [new Error('connect ECONNREFUSED ::1:443'), new Error('connect ECONNREFUSED 127.0.0.1:443')];
  const trouble = troubleOf(new AggregateError(causes, ''));
  assert.equal(trouble, 'connect ECONNREFUSED ::1:443; connect ECONNREFUSED 127.0.0.1:443');
  assert.equal(troubleOf(new Error('socket hang up')), 'socket hang up');
  assert.equal(troubleOf(new Error('')), 'the connection failed');
});
