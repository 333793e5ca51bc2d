/** Many gateways and one engine's thread: the order of service, a full ring, and that everyone is woken. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RingLink } from '../../../http/rings/link.js';
import { ringMemory } from '../../../http/rings/ring.js';
import { RingService, type Serve } from '../../../http/rings/service.js';
import { forAll } from '../../support/for-all.js';

const CELLS = 256;

class Turns {
  readonly #waiting: (() => void)[] = [];

  readonly schedule = (run: () => void): void => void this.#waiting.push(run);

  get count(): number {
    return this.#waiting.length;
  }

  runOne(which = 0): void {
    const [run] = this.#waiting.splice(which % Math.max(1, this.#waiting.length), 1);
    run?.();
  }

  runAll(): void {
    while (this.count > 0) this.runOne();
  }
}

const double: Serve = (ring, gateway) => {
  const ticket = ring.number();
  const value = ring.number();
  gateway.reply((to) => {
    if (!to.begin(3)) return false;
    to.number(0);
    to.number(ticket);
    to.number(value * 2);
    to.send();
    return true;
  });
};

function build(turns: Turns, gateways: number, serve: Serve = double, cells = CELLS) {
  const service = new RingService({
    schedule: turns.schedule,
    serve,
    beforeReplies: () => undefined,
    monotonicMs: () => 0,
  });
  const links = Array.from({ length: gateways }, () => {
    const rings = { requests: ringMemory(cells), replies: ringMemory(cells) };
    const link = new RingLink(rings, {
      schedule: turns.schedule,
      wake: () => turns.schedule(() => service.drain()),
    });
    service.add(rings, () => turns.schedule(() => link.drain()));
    return link;
  });
  return { service, links };
}

function ask(link: RingLink, value: number, onAnswer: (answer: number) => void): boolean {
  return link.send(
    (ring, ticket) => {
      if (!ring.begin(2)) return false;
      ring.number(ticket);
      ring.number(value);
      ring.send();
      return true;
    },
    (_kind, ring) => onAnswer(ring.number()),
  );
}

test('every request is answered once, to whoever sent it, in any order of the threads', () => {
  const scenario = fc.record({
    gateways: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(fc.tuple(fc.nat(3), fc.nat(9), fc.nat(50)), { maxLength: 200, size: 'max' }),
  });
  forAll(scenario, ({ gateways, steps }) => {
    const turns = new Turns();
    const { service, links } = build(turns, gateways);
    let [sent, answered] = [0, 0];
    for (const [which, action, value] of steps) {
      const link = links[which % gateways];
      assert.ok(link !== undefined);
      if (action > 4) turns.runOne(value);
      else if (action === 4) service.retry();
      else if (
        ask(link, value, (answer) => {
          assert.equal(answer, value * 2);
          answered += 1;
        })
      )
        sent += 1;
    }
    turns.runAll();
    // Replies that found no room go out with the next look.
    for (let look = 0; look < steps.length; look++) {
      service.retry();
      turns.runAll();
    }
    assert.equal(answered, sent);
    for (const link of links) assert.equal(link.pending, 0);
  });
});

test('a gateway that floods does not keep another one waiting', () => {
  const turns = new Turns();
  const served: string[] = [];
  const { service, links } = build(turns, 2, (ring) => {
    ring.number();
    served.push(ring.number() === 1 ? 'flood' : 'polite');
  });
  const [flood, polite] = links;
  assert.ok(flood !== undefined && polite !== undefined);
  while (ask(flood, 1, () => undefined));
  ask(polite, 2, () => undefined);
  service.drain();
  assert.ok(served.indexOf('polite') <= 32, `served as number ${served.indexOf('polite')}`);
  assert.ok(served.length > 64);
});

test('a request for which there is no room is refused, and all others are answered, in turns of a bounded length', () => {
  for (const cells of [CELLS, 8_192]) {
    const turns = new Turns();
    let [sent, served, answered] = [0, 0, 0];
    const count: Serve = (ring, gateway) => {
      served += 1;
      double(ring, gateway);
    };
    const { service, links } = build(turns, 1, count, cells);
    const [link] = links;
    assert.ok(link !== undefined);
    const runAll = (): void => {
      while (turns.count > 0) {
        const [servedBefore, answeredBefore] = [served, answered];
        turns.runOne();
        assert.ok(served - servedBefore <= 512 && answered - answeredBefore <= 256);
      }
    };
    while (ask(link, 1, () => (answered += 1))) sent += 1;
    assert.equal(link.pending, sent);
    runAll();
    // There may be more replies than their ring has room for.
    service.retry();
    runAll();
    assert.deepEqual([answered, link.pending], [sent, 0]);
    assert.ok(ask(link, 1, () => (answered += 1)));
    runAll();
    assert.equal(answered, sent + 1);
  }
});
