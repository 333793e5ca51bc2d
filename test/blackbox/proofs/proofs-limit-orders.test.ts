/**
 * Proofs of a round with limit orders, against a real server: an order that has rested stands among the leaves where
 * it was filled; one that never was filled has no proof; and a restart between changes nothing of that.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  type OrderProof,
  type Position,
  type ProofEvidence,
  type ToteClient,
  verifyReceipt,
} from '../../../client/index.js';
import { must } from '../../../engine/base/assert.js';
import { refused } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { assertProven, clientOf, ProofFiles, withPython } from '../../support/api/proofs.js';
import { toteJson } from '../../support/processes/cli.js';
import { hasCaughtUp, statusWhere } from '../../support/processes/status.js';

const MARKET = 'BTC_ONE_MINUTE';
const SCOPES = ['markets:read', 'positions:read', 'orders:write', 'orders:cancel'];

let sandbox: Sandbox;
let trader: Trader;
const files = new ProofFiles();

before(async () => {
  sandbox = await Sandbox.shared();
  trader = await sandbox.trader({ scopes: SCOPES });
});

interface Resting {
  readonly roundId: string;
  readonly lockMs: number;
  readonly early: string;
  readonly filled: string;
  readonly expiring: string;
  readonly cancelled: string;
}

/** A bet is placed, and behind it three limit orders rest, of which one is cancelled. */
async function rest(): Promise<Resting> {
  await sandbox.openRounds({ BTC: 67_000 });
  const client = clientOf(sandbox, trader);
  const roundId = must((await client.getMarket(MARKET)).currentRound, 'round').id;
  const place = async (more: object): Promise<string> => {
    const order = { marketId: MARKET, prediction: 'UP', amount: 10, clientSeed: null, ...more } as const;
    return (await client.placeOrder(order)).bet.id;
  };
  const early = await place({});
  const filled = await place({ limitOdds: 2.2, clientSeed: 'of a resting order' });
  const expiring = await place({ prediction: 'DOWN', limitOdds: 50 });
  const cancelled = await place({ limitOdds: 50 });
  await client.cancelOrder(cancelled);
  return { roundId, lockMs: sandbox.boundaryMs + 55_000, early, filled, expiring, cancelled };
}

interface Settled extends Resting {
  readonly filler: string;
  readonly late: string;
  readonly root: string;
}

async function fillAndSettle(resting: Resting): Promise<Settled> {
  const client = clientOf(sandbox, trader);
  const { limitOrdersFilled, bet } = await client.placeOrder({
    marketId: MARKET,
    prediction: 'DOWN',
    amount: 400,
    clientSeed: null,
  });
  assert.equal(limitOrdersFilled?.up.orders, 1);
  const last = { marketId: MARKET, prediction: 'UP', amount: 2, clientSeed: null } as const;
  const late = (await client.placeOrder(last)).bet.id;
  await sandbox.advanceTo(resting.lockMs);
  const root = must((await client.getRound(resting.roundId)).root, 'the root of a locked round');
  await sandbox.closeMinute({ BTC: 67_001 });
  return { ...resting, filler: bet.id, late, root: root.merkleRoot };
}

const clientSeedOf = ({ filled }: Settled, id: string): string | undefined =>
  id === filled ? 'of a resting order' : undefined;

async function refusesProof(id: string, why: RegExp): Promise<void> {
  const answered = await sandbox.api(trader.secret).get(`/orders/${id}/proof`);
  refused(answered, 404, 'proof_not_found');
  assert.match(answered.text, why);
}

async function assertProofs(settled: Settled): Promise<void> {
  const client: ToteClient = clientOf(sandbox, trader);
  const [keys, roundProof] = [await client.listSigningKeys(), await client.getRoundProof(settled.roundId)];
  const joined = [settled.early, settled.filler, settled.filled, settled.late];
  assert.deepEqual([roundProof.root?.treeSize, roundProof.totalBets], [joined.length, joined.length]);
  assert.equal(roundProof.root?.merkleRoot, settled.root);
  for (const [leafIndex, id] of joined.entries()) {
    const orderProof: OrderProof = await client.getOrderProof(id);
    assert.equal(orderProof.leafIndex, leafIndex, id);
    const bet: Position = await client.getOrder(id);
    const proof: ProofEvidence = { bet, clientSeed: clientSeedOf(settled, id), orderProof, roundProof, keys };
    await assertProven(proof, files, settled.root);
  }
  for (const id of [settled.expiring, settled.cancelled]) await refusesProof(id, /never filled/);
}

test(
  'a filled order stands where it was filled, and one that never was has no proof',
  withPython,
  async () => {
    const resting = await rest();
    await refusesProof(resting.filled, /not settled yet/);
    const receiptPath = (id: string): string => `/orders/${id}/receipt`;
    const { api } = trader;
    refused(await api.get(receiptPath(resting.filled)), 404, 'proof_not_found');
    await assertProofs(await fillAndSettle(resting));
    const client = clientOf(sandbox, trader);
    const [receipt, bet] = [
      await client.getOrderReceipt(resting.filled),
      await client.getOrder(resting.filled),
    ];
    assert.equal(receipt.time, bet.filledAt);
    const keys = await client.listSigningKeys();
    assert.deepEqual(await verifyReceipt({ receipt, keys, bet }), { valid: true });
    refused(await api.get(receiptPath(resting.cancelled)), 404, 'proof_not_found');
  },
);

test('so it is after a restart from a snapshot between resting and filling', withPython, async () => {
  const resting = await rest();
  const { seq } = await toteJson<{ seq: number }>(['snapshot', sandbox.server.dataDir]);
  sandbox = await sandbox.restart('stop');
  const { start } = await statusWhere(sandbox.server, hasCaughtUp);
  assert.equal(start.snapshotSequence, seq);
  await sandbox.push({ BTC: 67_000 });
  await assertProofs(await fillAndSettle(resting));
});
