/**
 * Settlement proofs against a real server: the root is published at the lock, before the result; the client, `npx
 * tote verify-bet`, which runs the same, and Python check everything that is published afterwards.
 */
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import {
  type JournalHead,
  type ProofEvidence,
  type Receipt,
  type ToteClient,
  verifyHead,
  verifyReceipt,
} from '../../../client/index.js';
import { must } from '../../../engine/base/assert.js';
import type { RoundEvent, ServerMessage } from '../../../http/wire/stream-types.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import {
  assertProven,
  clientOf as clientAt,
  clientVerdict,
  ProofFiles,
  pythonVerdicts,
  withPython,
} from '../../support/api/proofs.js';
import { StreamClient } from '../../support/api/stream-client.js';
import { tote, toteText } from '../../support/processes/cli.js';
import { newDataDir, newDiskDir } from '../../support/processes/server.js';

const MARKET = 'BTC_ONE_MINUTE';

let sandbox: Sandbox;
let trader: Trader;
const files = new ProofFiles();

before(async () => {
  sandbox = await Sandbox.start({ dataDir: newDiskDir(), env: { TOTE_CLOCK_START: '2026-06-10T00:00:00Z' } });
  trader = await sandbox.trader();
});
after(() => sandbox.remove());

const clientOf = (who: Trader): ToteClient => clientAt(sandbox, who);

interface Played {
  readonly roundId: string;
  readonly evidence: readonly ProofEvidence[];
}

async function play(bets: number, atLock: () => Promise<void> = async () => {}): Promise<Played> {
  await sandbox.openRounds({ BTC: 67_000 });
  const client = clientOf(trader);
  const roundId = must((await client.getMarket(MARKET)).currentRound, 'round').id;
  const placed: Pick<ProofEvidence, 'bet' | 'clientSeed'>[] = [];
  const receipts: Receipt[] = [];
  for (let n = 0; n < bets; n++) {
    // The client's own, the bettor's, and none.
    const own = [undefined, `seed ${n} ü`, null][n % 3];
    const order = { marketId: MARKET, prediction: n % 2 === 0 ? 'UP' : 'DOWN', amount: 1 + n } as const;
    const request = { ...order, ...(own !== undefined && { clientSeed: own }), receipt: true };
    const { bet, receipt, clientSeed } = await client.placeOrder(request);
    placed.push({ bet, clientSeed });
    receipts.push(must(receipt ?? undefined, 'a receipt'));
  }
  await sandbox.toOffset(55_000);
  await atLock();
  await sandbox.closeMinute({ BTC: 67_001 });
  const client2 = clientOf(trader);
  const keys = await client2.listSigningKeys();
  const roundProof = await client2.getRoundProof(roundId);
  const evidence: ProofEvidence[] = [];
  for (const one of placed)
    evidence.push({ ...one, roundProof, keys, orderProof: await client2.getOrderProof(one.bet.id) });
  const { id: accountId } = await client2.getAccount();
  for (const [i, receipt] of receipts.entries()) {
    const { bet } = must(placed[i], 'a bet');
    assert.deepEqual(await client2.getOrderReceipt(bet.id), receipt, 'the same at any time');
    assert.deepEqual(await verifyReceipt({ receipt, keys, bet, accountId }), { valid: true });
  }
  return { roundId, evidence };
}

test(
  'the root is published at the lock, and every bet is proven under it by all programs',
  withPython,
  async () => {
    const messages: ServerMessage[] = [];
    const onMessage = (message: ServerMessage): void => void messages.push(message);
    const stream = await StreamClient.open(sandbox.server.publicUrl, trader.secret, { onMessage });
    await stream.subscribe('rounds', { markets: [MARKET] });
    const noted: string[] = [];
    const { roundId, evidence } = await play(7, async () => {
      const { root, status } = await clientOf(trader).getRound(await currentId());
      assert.equal(status, 'LOCKED');
      noted.push(must(root, 'the root of a locked round').merkleRoot);
    });
    const eventsOf = (): RoundEvent[] =>
      messages.flatMap((message) => (message.type === 'rounds' ? message.data : []));
    await stream.until(() => eventsOf().some(({ event }) => event === 'settled'));
    const events = eventsOf();
    const kinds = events.filter((event) => event.roundId === roundId).map(({ event }) => event);
    assert.deepEqual(kinds, ['opened', 'locked', 'root', 'settled']);
    const told = must(
      events.find((event) => event.event === 'root' && event.roundId === roundId),
      'the root',
    );
    const [notedRoot = ''] = noted;
    assert.equal(told.event === 'root' && told.merkleRoot, notedRoot);
    await stream.end();
    for (const one of evidence) await assertProven(one, files, notedRoot);
    const { root, rootInTime, totalBets, fairPercentUp } = must(evidence[0], 'a bet').roundProof;
    assert.deepEqual([root?.treeSize, rootInTime, totalBets, fairPercentUp], [7, true, 7, null]);
  },
);

const currentId = async (): Promise<string> =>
  must((await clientOf(trader).getMarket(MARKET)).currentRound, 'round').id;

test('verify-bet names the check that fails, and what a valid proof does not show', async () => {
  const { evidence } = await play(2);
  const one = must(evidence[0], 'a bet');
  const altered = { ...one, bet: { ...one.bet, amount: one.bet.amount + 1 } };
  const ran = await tote(['verify-bet', ...files.write(altered), '--json']);
  assert.deepEqual([ran.code, (JSON.parse(ran.stdout) as { step: string }).step], [1, 'hash']);
  const said = await tote(['verify-bet', ...files.write(altered)]);
  assert.match(said.stdout, /^FAILED {2}the bet's facts hash to its betHash$/m);
});

test('a receipt is given to those who ask: in the answer, over the stream, to a resend, and later', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const client = clientOf(trader);
  const order = { marketId: MARKET, prediction: 'UP', amount: 3 } as const;
  const idempotencyKey = `receipt-${Date.now()}`;
  const first = await client.placeOrder(order, { idempotencyKey });
  assert.ok(!('receipt' in first));
  const receipt = must(
    (await client.placeOrder({ ...order, receipt: true }, { idempotencyKey })).receipt ?? undefined,
    'the receipt of an order that was sent again',
  );
  assert.deepEqual(await client.getOrderReceipt(first.bet.id), receipt);
  const keys = await client.listSigningKeys();
  assert.deepEqual(pythonVerdicts([{ receipt, keys, bet: first.bet }]), ['OK']);
  const stream = client.openStream({ webSocket: WebSocket });
  const streamed = await stream.placeOrder({ ...order, receipt: true });
  stream.close();
  const other = must(streamed.receipt ?? undefined, 'a receipt over the stream');
  assert.deepEqual(await verifyReceipt({ receipt: other, keys, bet: streamed.bet }), { valid: true });
  assert.ok(other.seq > receipt.seq);
  const stranger = await sandbox.trader();
  assert.match((await stranger.api.get(`/orders/${first.bet.id}/receipt`)).text, /order_not_found/);
});

test('with a signed head, kept from the API or the stream, verify finds what a journal that was cut lacks', async (t) => {
  const client = clientOf(trader);
  const kept: JournalHead[] = [];
  const stream = client.openStream({
    webSocket: WebSocket,
    onHeartbeat: ({ head }) => void (head !== undefined && kept.push(head)),
  });
  t.after(() => stream.close());
  const headBehind = async (seq: number): Promise<JournalHead> => {
    for (;;) {
      const head = await client.getJournalHead();
      if (head !== null && head.seq > seq && kept.at(-1)?.seq === head.seq) return head;
      await sandbox.advance(1_000);
    }
  };
  const noted = await headBehind(0);
  await sandbox.advance(60 * 60_000);
  await sandbox.openRounds({ BTC: 67_000 });
  await client.placeOrder({ marketId: MARKET, prediction: 'UP', amount: 1 });
  const head = await headBehind(noted.seq);
  assert.deepEqual(kept.at(-1), head);
  assert.deepEqual(kept, [...new Map(kept.map((one) => [one.seq, one])).values()], 'each is told once');
  assert.ok(Date.parse(head.time) - Date.parse(noted.time) >= 60 * 60_000);
  const keys = await client.listSigningKeys();
  assert.deepEqual(await verifyHead({ head, keys, noted }), { valid: true });
  assert.deepEqual(pythonVerdicts([{ head, keys, noted }]), ['OK']);

  const { dataDir } = sandbox.server;
  const folder = newDataDir();
  const [file, cut] = [join(folder, 'keys.json'), join(folder, 'cut')];
  const headers = { 'X-API-Key': trader.secret };
  const answered = await fetch(`${sandbox.server.publicUrl}/v1/keys`, { headers });
  writeFileSync(file, await answered.text());
  const whole = await toteText(['verify', dataDir, '--keys', file, '--head', file]);
  assert.match(whole, new RegExp(`The journal has all that it had at .*, command ${head.seq}\\.`));
  await toteText(['restore', dataDir, '--to', `${head.seq - 3}`, '--out', cut]);
  assert.match(await toteText(['verify', cut]), /Everything is good/);
  const said = await toteText(['verify', cut, '--head', file], 1);
  assert.match(said, /^faults: 1\n.*\nhead .*keys\.json .* at least 3 commands are missing\.$/m);
});

test('a proof is of a settled round, and of a bet of one’s own', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const { bet } = await trader.api.place({ marketId: MARKET, prediction: 'UP', amount: 1 });
  const id = await currentId();
  assert.match((await trader.api.get(`/orders/${bet.id}/proof`)).text, /proof_not_found/);
  assert.match((await trader.api.get(`/rounds/${id}/proof`)).text, /round_not_found/);
  await sandbox.closeMinute({ BTC: 67_001 });
  assert.equal((await trader.api.get(`/orders/${bet.id}/proof`)).status, 200);
  const stranger = await sandbox.trader();
  assert.match((await stranger.api.get(`/orders/${bet.id}/proof`)).text, /order_not_found/);
  assert.equal((await stranger.api.get(`/rounds/${id}/proof`)).status, 200);
});

test('a round without bets has the empty root, a voided one keeps its own, one voided early has none', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  const empty = await currentId();
  await sandbox.closeMinute({ BTC: 67_001 });
  const proof = await clientOf(trader).getRoundProof(empty);
  assert.equal(proof.root?.merkleRoot, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  assert.equal(proof.root?.treeSize, 0);

  await sandbox.openRounds({ BTC: 67_000 });
  const locked = await currentId();
  const { bet } = await trader.api.place({ marketId: MARKET, prediction: 'UP', amount: 1 });
  await sandbox.toOffset(56_000);
  await sandbox.operator.post(`/rounds/${locked}/void`, { reason: 'the feed\nbroke' });
  const voided = await clientOf(trader).getRoundProof(locked);
  const shown = [voided.result, voided.voidReason, voided.root?.treeSize];
  assert.deepEqual(shown, [undefined, 'the feed\nbroke', 1]);
  assert.match(voided.statement.text, /^result: VOID$/m);
  const orderProof = await clientOf(trader).getOrderProof(bet.id);
  assert.equal(orderProof.root.merkleRoot, voided.root?.merkleRoot);
  const refund = await clientOf(trader).getOrder(bet.id);
  const keys = await clientOf(trader).listSigningKeys();
  assert.equal(await clientVerdict({ bet: refund, orderProof, roundProof: voided, keys }), 'OK');

  await sandbox.openRounds({ BTC: 67_000 });
  const early = await currentId();
  const { bet: refunded } = await trader.api.place({ marketId: MARKET, prediction: 'UP', amount: 1 });
  await sandbox.operator.post(`/rounds/${early}/void`, { reason: 'a test' });
  const without = await clientOf(trader).getRoundProof(early);
  assert.deepEqual([without.root, without.rootInTime], [null, null]);
  assert.match((await trader.api.get(`/orders/${refunded.id}/proof`)).text, /proof_not_found/);
});

test('a server that is killed at the lock publishes the root when it is back, and the proofs hold', async () => {
  const { evidence } = await play(4, async () => {
    sandbox = await sandbox.restart('kill');
    trader = { ...trader, api: sandbox.api(trader.secret) };
    await sandbox.push({ BTC: 67_000 });
  });
  for (const one of evidence) assert.equal(await clientVerdict(one), 'OK');
  assert.match(await toteText(['verify', sandbox.server.dataDir]), /Everything is good/);
});

test('a key is rotated, and what the old one signed still holds', async () => {
  const { dataDir } = sandbox.server;
  const file = join(dataDir, 'signing-keys');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const first = await play(2);
  await sandbox.server.stop();
  const { keyId, retired } = JSON.parse(await toteText(['rotate-signing-key', dataDir, '--json'])) as {
    keyId: string;
    retired: readonly object[];
  };
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(readFileSync(file, 'utf8').match(/"privateKey": "/g)?.length, 1, 'the old one is gone');
  sandbox = await Sandbox.start({ dataDir });
  trader = { ...trader, api: sandbox.api(trader.secret) };
  assert.match(sandbox.server.run.stdout, new RegExp(`signing key .* \\(key id: ${keyId}\\)`));
  const keys = await clientOf(trader).listSigningKeys();
  assert.deepEqual([keys.length, keys[0]?.keyId, keys[0]?.retiredAt], [2, keyId, null]);
  assert.ok(keys[1]?.retiredAt !== null);
  const shown = keys.slice(1).map(({ algorithm: _, ...key }) => key);
  assert.deepEqual(retired, shown, 'with times as the API shows them');
  const second = await play(2);
  assert.equal(second.evidence[0]?.orderProof.root.keyId, keyId);
  for (const one of [...first.evidence, ...second.evidence])
    assert.equal(await clientVerdict({ ...one, keys }), 'OK');
  const again = await clientOf(trader).getOrderProof(must(first.evidence[0], 'a bet').bet.id);
  assert.equal(again.root.keyId, keys[1]?.keyId, 'a root keeps the signature that it was put on record with');
});
