/** Messages come out of a ring as they went in, in order, each once, however it wraps and whoever waits for whom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { workFor } from '../../../http/kit/client-work.js';
import { RingLink } from '../../../http/rings/link.js';
import { RingConsumer, RingFault, RingProducer, ringMemory, textCells } from '../../../http/rings/ring.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { forAll } from '../../support/for-all.js';
import { Harness } from '../api/harness.js';

const CELLS = 64;

interface Message {
  readonly numbers: readonly number[];
  readonly text: string | null;
}

function send(ring: RingProducer, { numbers, text }: Message): boolean {
  if (!ring.begin(1 + numbers.length + textCells(text))) return false;
  ring.number(numbers.length);
  for (const number of numbers) ring.number(number);
  ring.text(text);
  ring.send();
  return true;
}

function take(ring: RingConsumer): Message | null {
  if (!ring.next()) return null;
  const numbers = Array.from({ length: ring.number() }, () => ring.number());
  const message = { numbers, text: ring.text() };
  ring.done();
  return message;
}

const message = fc.record<Message>(
  {
    numbers: fc.array(fc.double(), { maxLength: 6 }),
    text: fc.option(fc.string({ unit: 'grapheme', maxLength: 4 }), { nil: null }),
  },
  { noNullPrototype: true },
);
/** null takes a message. */
const steps = fc.array(fc.option(message, { nil: null, freq: 2 }), { maxLength: 300, size: 'max' });

test('a ring is a queue: nothing is lost, doubled, altered or out of turn', () => {
  forAll(steps, (sequence) => {
    const memory = ringMemory(CELLS);
    const [producer, consumer] = [new RingProducer(memory), new RingConsumer(memory)];
    const expected: Message[] = [];
    for (const step of sequence) {
      if (step === null) assert.deepEqual(take(consumer), expected.shift() ?? null);
      else if (send(producer, step)) expected.push(step);
      else assert.ok(expected.length > 0, 'an empty ring takes any message');
    }
    for (const rest of expected) assert.deepEqual(take(consumer), rest);
    assert.equal(take(consumer), null);
  });
});

test('a message that was begun with another length is a programming error', () => {
  const memory = ringMemory(CELLS);
  const [producer, consumer] = [new RingProducer(memory), new RingConsumer(memory)];
  assert.ok(producer.begin(2));
  producer.number(1);
  assert.throws(() => producer.send(), /has the length that it was begun with/);
  assert.equal(consumer.next(), false);
  assert.throws(() => producer.begin(CELLS / 4), /fits its ring/);
});

test('a consumer does not fall asleep over a message, and is woken once', () => {
  const memory = ringMemory(CELLS);
  const [producer, consumer] = [new RingProducer(memory), new RingConsumer(memory)];
  assert.equal(producer.takeSleep(), false);
  send(producer, { numbers: [], text: null });
  assert.deepEqual([consumer.sleep(), producer.takeSleep()], [false, false]);
  take(consumer);
  assert.equal(consumer.sleep(), true);
  send(producer, { numbers: [], text: null });
  assert.deepEqual([producer.takeSleep(), producer.takeSleep()], [true, false]);
});

/** Sends numbers 0, 1, 2 ... each in a message whose other cells repeat it, as fast as there is room. */
const PRODUCER = `
  const { workerData } = require('node:worker_threads');
  import(workerData.module).then(({ RingProducer }) => {
    const ring = new RingProducer(workerData.memory);
    for (let n = 0; n < workerData.count; ) {
      const repeats = n % 7;
      if (!ring.begin(2 + repeats)) continue;
      ring.number(n);
      ring.number(repeats);
      for (let r = 0; r < repeats; r++) ring.number(n);
      ring.send();
      n += 1;
    }
  });
`;

test('between two threads every message is whole and in order', async () => {
  const memory = ringMemory(1 << 10);
  const count = 200_000;
  const module = new URL('../../../http/rings/ring.js', import.meta.url).href;
  const worker = new Worker(PRODUCER, { eval: true, workerData: { memory, count, module } });
  const failed = new Promise<never>((_, reject) => worker.on('error', reject));
  const consumer = new RingConsumer(memory);
  let taken = 0;
  while (taken < count) {
    for (let round = 0; round < 1_000 && consumer.next(); round++) {
      assert.equal(consumer.number(), taken);
      const repeats = consumer.number();
      for (let r = 0; r < repeats; r++) assert.equal(consumer.number(), taken);
      consumer.done();
      taken += 1;
    }
    await Promise.race([new Promise(setImmediate), failed]);
  }
  assert.equal(consumer.next(), false);
});

/** The other end is in the test's hand. `failed` are the errors that ended the client. */
function linked() {
  const rings = { requests: ringMemory(1_024), replies: ringMemory(1_024) };
  const link = new RingLink(rings, { schedule: (run) => run(), wake: () => undefined });
  const [requests, replies] = [new RingConsumer(rings.requests), new RingProducer(rings.replies)];
  const failed: unknown[] = [];
  const client = { fail: (error: unknown) => failed.push(error) };
  const ask = (
    write: (ring: RingProducer) => void,
    read: (ring: RingConsumer) => void = (ring) => assert.equal(ring.number(), 42),
  ): void =>
    workFor(client, () => {
      const isSent = link.send(
        (ring, ticket) => {
          ring.begin(2);
          ring.number(ticket);
          write(ring);
          ring.send();
          return true;
        },
        (_kind, ring) => read(ring),
      );
      assert.ok(isSent);
    });
  const reply = (ticket: number): void => {
    replies.begin(3);
    for (const number of [0, ticket, 42]) replies.number(number);
    replies.send();
  };
  const answer = (): void => {
    assert.ok(requests.next());
    const ticket = requests.number();
    assert.equal(requests.number(), 7);
    requests.done();
    reply(ticket);
  };
  return { link, failed, ask, answer, reply };
}
const seven = (ring: RingProducer): void => ring.number(7);
const broken = new Error('broken');

test('what a client makes of a whole reply ends that client alone; the next reply is read', () => {
  const { link, failed, ask, answer } = linked();
  ask(seven, (ring) => {
    ring.number();
    throw broken;
  });
  let seen = 0;
  ask(seven, (ring) => {
    seen = ring.number();
  });
  answer();
  answer();
  link.drain();
  assert.deepEqual([failed, seen, link.pending], [[broken], 42, 0]);
});

test('without threads, too, what a client makes of an answer ends that client alone', () => {
  const api = new Harness();
  const asker = api.bettor();
  const turns: (() => void)[] = [];
  const { link } = api.gateway((run) => turns.push(run)).gateway;
  const failed: unknown[] = [];
  const breaks = (): never => {
    throw broken;
  };
  workFor({ fail: (error) => failed.push(error) }, () => {
    link.ask(asker, { kind: 'account' }, breaks);
    const order = plainOrder({ ...asker, timeMs: 0, market: 0 });
    link.place({ ...order, guards: null }, { placed: breaks, replayed: breaks, refused: breaks });
  });
  for (const run of turns) run();
  assert.deepEqual([failed, link.pending], [[broken, broken], 0]);
});

test('a reply that is not read whole, or comes twice, and a request that is half written are no fault of a client', () => {
  const { link, failed, ask, answer } = linked();
  ask(seven, () => {
    throw broken;
  });
  answer();
  assert.throws(() => link.drain(), RingFault);
  const other = linked();
  other.ask(() => {
    throw broken;
  });
  assert.ok(other.failed[0] instanceof RingFault);
  assert.equal(other.failed[0].cause, broken);
  assert.deepEqual(failed, [broken]);
  const twice = linked();
  twice.ask(seven);
  twice.answer();
  twice.reply(0);
  assert.throws(() => twice.link.drain(), RingFault, 'its ticket waits for nothing');
});

test('a request that was not begun leaves the ring as it was, and its ticket to the next', () => {
  const { link, failed, ask, answer } = linked();
  for (const tickets of [[0], [0, 0]]) {
    workFor({ fail: (error) => failed.push(error) }, () => {
      link.send(
        (_ring, ticket) => {
          assert.equal(ticket, 0);
          throw broken;
        },
        () => undefined,
      );
    });
    assert.deepEqual([failed, link.pending], [tickets.map(() => broken), 0]);
    ask(seven);
    answer();
    link.drain();
    assert.equal(link.pending, 0);
  }
});
