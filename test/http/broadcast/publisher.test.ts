/** The broadcast of events: in the order of commands, each round to its end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as R from '../../../http/broadcast/records.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { Harness, MINUTE_MS } from '../api/harness.js';

function recordsOf(broadcast: R.Broadcast, name: 'rounds' | 'bets', fields: number): number[][] {
  const record = new Float64Array(fields);
  return Array.from({ length: broadcast[name].end }, (_, at) => {
    assert.ok(broadcast[name].read(at, record));
    return [...record];
  });
}

test("a batch's orders stand among its other commands in the order of their numbers", () => {
  const api = new Harness();
  const { broadcast } = api.gateway().gateway;
  api.open(0, 100);
  const { account, key } = api.bettor();
  const first = api.host.engine.seq + 1;
  const order = plainOrder({ timeMs: 0, account, key, market: 0 });
  const deposit = (reference: string) => api.submit({ kind: 'deposit', account, amountCents: 1, reference });
  api.submit(order);
  deposit('one');
  api.submit(order);
  api.submit(order);
  deposit('two');
  api.settle();
  deposit('three');
  api.submit({ kind: 'setTrading', enabled: true, reason: 'no news' });
  api.settle();
  const records = recordsOf(broadcast, 'bets', R.BETS_FORM.fields).slice(-6);
  const all = (field: number) => records.map((record) => record[field] ?? 0);
  const seqs = all(R.SEQ).map((seq) => seq - first);
  assert.deepEqual(seqs, [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(all(R.KIND), [R.BET_PLACED, R.MOVED, R.BET_PLACED, R.BET_PLACED, R.MOVED, R.MOVED]);
  assert.deepEqual(all(R.BALANCE_CENTS), [9_999_00, 9_999_01, 9_998_01, 9_997_01, 9_997_02, 9_997_03]);
});

test('rounds are told to their end by a server that keeps no settled ones, and by one that starts meanwhile', () => {
  const api = new Harness();
  const servers: R.Broadcast[] = [];
  const start = () => servers.push(api.gateway().gateway.broadcast);
  const end = () => {
    api.clock.pass(MINUTE_MS - (api.clock.wallMs % MINUTE_MS));
    api.advance();
  };
  start();
  api.configure((rules) => ({ ...rules, settledRoundsMax: 0 }));
  api.open(0, 100);
  start();
  end();
  api.settle();
  start();
  // The round that waits for its opening begins, ends and is settled in one batch, and so does the whole next one.
  for (const price of [101, 102]) {
    const at = { boundaryMs: api.clock.wallMs, priceTimeMs: api.clock.wallMs };
    api.submit({ kind: 'boundaryPrice', asset: 0, price, ...at, source: null, evidence: 'test' });
    end();
  }
  api.boundary(103, api.clock.wallMs);
  const kinds = servers.map((broadcast) =>
    recordsOf(broadcast, 'rounds', R.ROUNDS_FORM.fields)
      .filter((record) => record[R.MARKET] === 0)
      .map((record) => record[R.KIND]),
  );
  const whole = [R.OPENED, R.LOCKED, R.SETTLED];
  const left = [R.SETTLED, ...whole, ...whole, R.OPENED];
  assert.deepEqual(kinds, [[R.OPENED, R.LOCKED, ...left], [R.LOCKED, ...left], left]);
});

test('a name and a root are read as they were written', () => {
  const cells = new Float64Array(R.ROUNDS_FORM.fields);
  const hex = (digits: number): string => '00c0ffee00000001'.repeat(digits / 16);
  const root = { treeSize: 3, merkleRoot: hex(64), keyId: hex(16), signature: hex(128) };
  R.writeRoot(cells, 0, root);
  assert.deepEqual(R.readRoot(cells), root);
  const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, at) => 0x21 + at));
  for (const name of [visible.slice(0, 64), visible.slice(30), '~']) {
    R.writeName(cells, 0, name);
    assert.equal(R.readName(cells), name);
  }
});
