/**
 * The root of a round's bets in the engine: when it can be put on record, what keeps it, and what a round's proof
 * holds.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { PublishRoot } from '../../../engine/model/commands.js';
import { ROUND_STATUSES } from '../../../engine/model/domain.js';
import type { ProofView } from '../../../engine/model/proofs/proof-views.js';
import { BTC_1M, DAY_MS, Exchange, MINUTE_MS } from '../../support/reference/exchange.js';

const ROUND = DAY_MS / MINUTE_MS;

const rootOf = (treeSize: number, change: Partial<PublishRoot> = {}): Omit<PublishRoot, 'timeMs'> => ({
  kind: 'publishRoot',
  market: BTC_1M,
  roundNumber: ROUND,
  merkleRoot: 'ab'.repeat(32),
  treeSize,
  keyId: '0123456789abcdef',
  signature: 'cd'.repeat(64),
  ...change,
});

function withBets(bets: number): { readonly exchange: Exchange; readonly account: number } {
  const { exchange, account } = Exchange.withAccount('GOLD', 1_000_00);
  for (let n = 0; n < bets; n++) exchange.placed({ account, side: 'UP', stakeCents: 10_00 });
  return { exchange, account };
}

const proofOf = (exchange: Exchange): ProofView =>
  must(must(exchange.reads.round(BTC_1M, ROUND), 'the round').proof, 'its proof');

const publish = (exchange: Exchange, root: Omit<PublishRoot, 'timeMs'>): string =>
  exchange.outcomeOf({ ...root, timeMs: exchange.nowMs });

test('a root is put on record from the lock to the settlement, once, and is over all bets', () => {
  const { exchange } = withBets(2);
  equal(publish(exchange, rootOf(2)), 'invalid_request', 'LIVE');
  exchange.passTo(55_000);
  equal(publish(exchange, rootOf(3)), 'invalid_request', 'of another number of bets');
  equal(publish(exchange, rootOf(2, { roundNumber: ROUND + 7 })), 'round_not_found');
  equal(publish(exchange, rootOf(2)), 'accepted');
  equal(publish(exchange, rootOf(2)), 'invalid_request', 'twice');
  const { root } = proofOf(exchange);
  deepEqual(root, {
    merkleRoot: 'ab'.repeat(32),
    treeSize: 2,
    keyId: '0123456789abcdef',
    signature: 'cd'.repeat(64),
    publishedAtMs: DAY_MS + 55_000,
  });
});

test('a round that is settled first has no root', () => {
  const { exchange } = withBets(1);
  exchange.ends(BTC_1M, 60_000, 101);
  exchange.settleAll();
  equal(ROUND_STATUSES[must(exchange.reads.round(BTC_1M, ROUND), 'round').status], 'SETTLED');
  deepEqual([publish(exchange, rootOf(1)), proofOf(exchange).root], ['invalid_request', null]);
});

test('a late root is taken while a round waits for its price', () => {
  const { exchange } = withBets(1);
  exchange.passTo(60_000);
  equal(publish(exchange, rootOf(1)), 'accepted');
  equal(proofOf(exchange).root?.publishedAtMs, DAY_MS + 60_000);
});

test('a round knows where its prices came from and the fair shares of its bets', () => {
  const { exchange, account } = withBets(0);
  const bare = proofOf(exchange);
  deepEqual([bare.open?.isLate, bare.close, bare.firstShareE6, bare.greatestShareE6], [true, null, -1, -1]);
  exchange.ends(BTC_1M, 60_000, 101);
  const next = must(exchange.reads.round(BTC_1M, ROUND + 1), 'the next round');
  equal(next.proof.open?.isLate, false);
  deepEqual(proofOf(exchange).close, next.proof.open, 'one price closes a round and opens the next');
  equal(exchange.betOutcome({ account, side: 'UP', stakeCents: 10_00 }), 'accepted');
});
