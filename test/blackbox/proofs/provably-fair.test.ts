/**
 * The provably-fair hash (specification, OrderResult; design, section 5; docs/api.md): a bettor with the answer and
 * the round's commitment can check both once the seed is published. The check here follows the document alone.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import type { OrderRequest } from '../../support/api/spec.js';
import { betHash } from '../../support/api/spec-arithmetic.js';

const MARKET = 'BTC_ONE_MINUTE';

let sandbox: Sandbox;
let trader: Trader;

before(async () => {
  sandbox = await Sandbox.shared();
  trader = await sandbox.trader();
});

const commitmentOf = (seed: string): string =>
  createHash('sha256').update(Buffer.from(seed, 'hex')).digest('hex');

test('commitment first, seed after settlement, and every betHash follows from published data', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { id } = must((await trader.api.market(MARKET)).currentRound, 'round');
  const open = await trader.api.round(id);
  assert.equal(open.seed, null);
  const orders: readonly OrderRequest[] = [
    { marketId: MARKET, prediction: 'UP', amount: 10 },
    { marketId: MARKET, prediction: 'DOWN', amount: 10.5, clientSeed: '' },
    { marketId: MARKET, prediction: 'UP', amount: 99.99, clientSeed: 'my own seed' },
    { marketId: MARKET, prediction: 'UP', amount: 1, clientSeed: 'ünïcödé 😀' },
    { marketId: MARKET, prediction: 'UP', amount: 1 },
  ];
  const placed = [];
  for (const order of orders) {
    const { bet } = await trader.api.place(order);
    placed.push({ bet, clientSeed: order.clientSeed ?? null });
    await sandbox.advance(1_001);
  }
  await sandbox.toOffset(55_000);
  assert.equal((await trader.api.round(id)).seed, null, 'the seed is secret while LOCKED');
  await sandbox.advance(5_000);
  assert.equal((await trader.api.round(id)).seed, null, 'and while SETTLING');
  await sandbox.advance(2_000);
  const settled = await trader.api.round(id);
  assert.equal(settled.status, 'SETTLED');
  assert.equal(settled.seedCommitment, open.seedCommitment);
  assert.equal(commitmentOf(must(settled.seed, 'seed')), open.seedCommitment);
  for (const { bet, clientSeed } of placed) {
    assert.equal(betHash(bet, clientSeed, settled), bet.betHash, `clientSeed ${JSON.stringify(clientSeed)}`);
    assert.notEqual(betHash({ ...bet, amount: bet.amount + 0.01 }, clientSeed, settled), bet.betHash);
    assert.notEqual(betHash(bet, 'x', settled), bet.betHash);
  }
  assert.equal(new Set(placed.map(({ bet }) => bet.betHash)).size, orders.length);
});

test('each round has its own seed, which a restart does not change', async () => {
  const commitments = new Map<string, string>();
  for (let n = 0; n < 3; n++) {
    await sandbox.openRounds({ BTC: 67_000 });
    const markets = (await trader.api.markets()).filter(({ crypto }) => crypto === 'BTC');
    for (const { currentRound } of markets) {
      const { id } = must(currentRound, 'round');
      commitments.set(id, (await trader.api.round(id)).seedCommitment);
    }
  }
  assert.equal(new Set(commitments.values()).size, commitments.size);
  sandbox = await sandbox.restart('kill');
  trader = { ...trader, api: sandbox.api(trader.secret) };
  for (const [id, commitment] of commitments) {
    const round = await trader.api.round(id);
    assert.equal(round.seedCommitment, commitment, id);
    assert.equal(round.seed !== null, round.status === 'SETTLED', id);
    if (round.seed !== null) assert.equal(commitmentOf(round.seed), commitment);
  }
});

test('two servers do not share a secret', async () => {
  const other = await Sandbox.start();
  try {
    await other.advanceTo(sandbox.nowMs);
    await Promise.all([sandbox.openRounds({ BTC: 67_000 }), other.openRounds({ BTC: 67_000 })]);
    const { id } = must((await trader.api.market(MARKET)).currentRound, 'round');
    const theirs = await (await other.trader()).api.round(id);
    assert.notEqual((await trader.api.round(id)).seedCommitment, theirs.seedCommitment);
  } finally {
    await other.remove();
  }
});
