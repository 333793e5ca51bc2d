/**
 * Roots on their way to the record: a manual clock waits for those of locked rounds and for no others. Operators are
 * told of one that comes too late, or does not fit, and nothing waits for it any longer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { RootPublisher } from '../../../engine/host/root-publisher.js';
import type { MadeRoot } from '../../../engine/model/commands.js';
import { rootRefusedLogger } from '../../../start/store-lines.js';
import { pushHost } from '../../support/host/feed-hosts.js';
import { codeOf, NOON_MS } from '../../support/host/host.js';

const BETS = 3;

class Round {
  readonly #pushed = pushHost();
  readonly host = this.#pushed.host;
  readonly desk: RootPublisher;
  readonly lines: { readonly event: string; readonly fields: object }[] = [];
  told = 0;

  constructor() {
    const write = (event: string, fields: object = {}): void => void this.lines.push({ event, fields });
    this.desk = new RootPublisher(this.host.sequencer, {
      tell: () => {
        this.told += 1;
      },
      onRefused: rootRefusedLogger({ isDebug: false, flush: () => undefined, write }),
    });
    this.#pushed.feed.offer(0, 100, NOON_MS);
    this.host.run(50);
    for (let i = 0; i < BETS; i++) assert.equal(codeOf(this.host.order()), 'accepted');
    this.host.settle();
  }

  lock(): void {
    this.host.run(55_000);
  }

  settle(): void {
    const { feed, clock } = this.#pushed;
    this.host.run(4_850);
    feed.offer(0, 101, clock.wallMs);
    this.host.run(2_200);
    feed.offer(0, 102, clock.wallMs);
    this.host.run(3_000);
    this.host.settle();
  }

  root(treeSize: number): MadeRoot {
    const { market, roundNumber } = must(this.host.engine.currentRound(0), 'a round');
    const facts = { merkleRoot: 'ab'.repeat(32), keyId: '0123456789abcdef', signature: 'cd'.repeat(64) };
    return { market, roundNumber, treeSize, ...facts };
  }

  goesOn(): () => boolean {
    let isReleased = false;
    this.desk.whenPublished(() => {
      isReleased = true;
    });
    return () => isReleased;
  }
}

test('a manual clock waits for the root of a locked round, whose maker is told at once', () => {
  const round = new Round();
  assert.ok(round.goesOn()(), 'a live round has none yet');
  round.lock();
  const isReleased = round.goesOn();
  round.host.settle();
  assert.deepEqual([isReleased(), round.told], [false, 1]);
  round.desk.publish(round.root(BETS));
  assert.ok(isReleased());
  assert.equal(round.host.engine.currentRound(0)?.proof?.root?.treeSize, BETS);
  assert.deepEqual(round.lines, []);
});

test('a root that comes after the settlement is told to operators, and the round has none', () => {
  const round = new Round();
  const root = round.root(BETS);
  round.lock();
  round.settle();
  round.desk.publish(root);
  assert.deepEqual(round.lines, [
    {
      event: 'root_too_late',
      fields: {
        round: `BTC_ONE_MINUTE_${root.roundNumber}`,
        code: 'invalid_request',
        detail: 'a root is put on record between the lock and the settlement',
      },
    },
  ]);
  assert.equal(round.host.engine.round(0, root.roundNumber)?.proof?.root, null);
});

test('a root that does not fit is told, and waited for no longer', () => {
  const round = new Round();
  round.lock();
  const isReleased = round.goesOn();
  round.desk.publish(round.root(BETS + 1));
  assert.ok(isReleased());
  assert.equal(round.lines[0]?.event, 'root_too_late');
  assert.ok(round.goesOn()());
});
