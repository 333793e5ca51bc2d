/** The bets that roots are made of, as the engine's thread tells of them: a few at a time, the urgent ones first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { marketOf } from '../../../engine/model/domain.js';
import { RootFeed } from '../../../persistence/roots/feed.js';
import { BET_CELLS } from '../../../persistence/roots/messages.js';
import { type RoundRoot, RoundRoots } from '../../../persistence/roots/round-roots.js';
import { openedHost, pushHost, rulesOf } from '../../support/host/feed-hosts.js';
import { codeOf, NOON_MS, type TestHost } from '../../support/host/host.js';

const SOON = marketOf('ETH_ONE_MINUTE');
const LATER = marketOf('BTC_FIVE_MINUTES');
/** More than are packed at a time. */
const BETS = 1_100;

function following(host: TestHost, betsAtOnce: number) {
  const roots = new RoundRoots(Buffer.alloc(32, 7));
  /** By bet. */
  const markets: number[] = [];
  const made: RoundRoot[] = [];
  const dropped: number[] = [];
  const feed = new RootFeed(
    host.engine,
    (notes) => {
      for (const note of notes)
        if (note.kind === 'dropped') dropped.push(note.market);
        else if (note.kind === 'bets')
          for (let at = 0; at < note.cells.length; at += BET_CELLS)
            markets.push(must(note.cells[at + 2], 'a market'));
      made.push(...roots.take(notes));
    },
    betsAtOnce,
  );
  return { feed, markets, made, dropped };
}

test('bets that are told a few at a time make the same root, and the round that locks first comes first', () => {
  const { host, feed } = pushHost({ rules: rulesOf('BTC_FIVE_MINUTES', 'ETH_ONE_MINUTE') });
  const assets = [0, 1];
  for (const asset of assets) feed.offer(asset, 100, NOON_MS);
  host.run(50);
  const slow = following(host, 2);
  const fast = following(host, Number.POSITIVE_INFINITY);
  for (let i = 0; i < BETS; i++)
    for (const market of [LATER, SOON])
      assert.equal(codeOf(host.order(market, undefined, i === 0 ? 'seed' : null)), 'accepted');
  for (let i = 0; i < BETS; i++) slow.feed.tell();
  assert.deepEqual(slow.markets, [...Array(BETS).fill(SOON), ...Array(BETS).fill(LATER)]);
  fast.feed.tell();
  assert.equal(codeOf(host.order(SOON)), 'accepted');
  host.run(55_000);
  for (const { feed, made, dropped } of [slow, fast]) {
    assert.deepEqual(made, []);
    feed.tell();
    feed.tell();
    assert.deepEqual([made.length, dropped], [1, []], 'once');
  }
  assert.deepEqual([slow.made[0]?.treeSize, slow.made], [BETS + 1, fast.made]);
});

test('a round that is voided before its lock has no root', () => {
  const { host } = openedHost();
  assert.equal(codeOf(host.order()), 'accepted');
  const { feed: told, made, dropped } = following(host, 100);
  told.tell();
  const { market, roundNumber } = must(host.engine.currentRound(0), 'a round');
  const timeMs = host.sequencer.stampMs();
  const outcome = host.sequencer.submit({ kind: 'voidRound', timeMs, market, roundNumber, reason: 'a test' });
  assert.equal(outcome.status, 'accepted');
  host.run(60_000);
  told.tell();
  assert.deepEqual([made, dropped], [[], [market]]);
});
