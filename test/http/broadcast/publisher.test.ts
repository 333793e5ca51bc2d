/** The broadcast of events: in the order of commands, each round to its end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as R from '../../../http/broadcast/records.js';
import { plainOrder } from '../../support/engine/plain-order.js';
import { Harness } from '../api/harness.js';

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
  const records = recordsOf(broadcast, 'bets', R.BETS_FORM.fields).filter(
    (record) => (record[R.SEQ] ?? 0) >= first,
  );
  assert.deepEqual(
    records.map((record) => [record[R.SEQ], record[R.KIND]]),
    [R.BET_PLACED, R.MOVED, R.BET_PLACED, R.BET_PLACED, R.MOVED].map((kind, at) => [first + at, kind]),
  );
  const balances = records.map((record) => record[R.BALANCE_CENTS]);
  assert.deepEqual(balances, [9_999_00, 9_999_01, 9_998_01, 9_997_01, 9_997_02]);
});

test('rounds are told to their end, even by a server that keeps no settled ones', () => {
  const api = new Harness();
  const { broadcast } = api.gateway().gateway;
  api.configure((rules) => ({ ...rules, settledRoundsMax: 0 }));
  api.open(0, 100);
  api.bettor();
  api.closeMinute(101);
  const kinds = recordsOf(broadcast, 'rounds', R.ROUNDS_FORM.fields)
    .filter((record) => record[R.MARKET] === 0)
    .map((record) => record[R.KIND]);
  assert.deepEqual(kinds, [R.OPENED, R.LOCKED, R.SETTLED, R.OPENED]);
});
