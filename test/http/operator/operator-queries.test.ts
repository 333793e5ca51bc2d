/** The engine's thread gives operators' lists in slices, one a turn, however many are asked for (`OperatorDesk`). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { ALL_BETS } from '../../../engine/model/bet-pages.js';
import { accountResource } from '../../../http/operator/accounts.js';
import type { OperatorQuery, QueryMessage, ResultOf } from '../../../http/operator/queries/query.js';
import { PAGE_ROWS_MAX, SLICE_ROWS, search } from '../../../http/operator/queries/reads.js';
import { codeOf, liveHost } from '../../support/host/host.js';
import { operatorDesk } from '../../support/host/operator-api.js';

/** With a live round and `count` accounts. `reads` are the accounts that were read. */
function opened(count: number) {
  const host = liveHost();
  const { sequencer, engine } = host;
  for (let account = engine.accountCount + 1; account <= count; account++) {
    const timeMs = sequencer.stampMs();
    sequencer.submit({ kind: 'createAccount', timeMs, name: `n${account}`, tier: 2, balanceCents: account });
  }
  host.settle();
  const reads: number[] = [];
  const account = engine.account.bind(engine);
  engine.account = (number) => {
    reads.push(number);
    return account(number);
  };
  const fatal: unknown[] = [];
  const desk = operatorDesk(
    host,
    (error, kind) => `${kind} ${error}`,
    (error) => fatal.push(error),
  );
  const ask = (query: OperatorQuery): QueryMessage[] => {
    const told: QueryMessage[] = [];
    desk.answer(query, (said) => told.push(said));
    return told;
  };
  return { host, reads, ask, fatal };
}

const ANY_ACCOUNT = { name: null, tier: null, frozen: null };
const ANY_KEY = { enabled: null, expiresBeforeMs: null, after: 0, limit: 100 };

const kindsOf = (told: readonly QueryMessage[]): string[] => told.map(({ kind }) => kind);

test('a page of 1,000 accounts takes a slice of each turn, and orders go on in between', () => {
  const { host, reads, ask } = opened(1_200);
  const told = ask({ kind: 'accounts', ...ANY_ACCOUNT, after: 100, limit: 1_000 });
  const turns: number[] = [];
  for (let turn = 0; turn < 1_000 / SLICE_ROWS; turn++) {
    host.endTurn();
    turns.push(reads.splice(0).length);
    assert.equal(codeOf(host.order()), 'accepted');
    host.journal.ack();
  }
  assert.deepEqual(turns, Array(1_000 / SLICE_ROWS).fill(SLICE_ROWS));
  assert.ok(kindsOf(told).every((kind) => kind === 'part'));
  host.endTurn();
  assert.deepEqual(reads, []);
  assert.ok(!kindsOf(told).includes('done'), 'an order that it may show is not durable yet');
  host.settle();
  assert.equal(kindsOf(told).at(-1), 'done');
  const shown = told.flatMap((said) => (said.kind === 'part' ? said.results : [])) as ResultOf<'accounts'>[];
  const expected = Array.from({ length: 1_000 }, (_, at) => {
    const id = 101 + at;
    return { name: `n${id}`, balance: id / 100 };
  });
  const accounts = shown.flatMap(({ found }) => found.map(accountResource));
  const answered = accounts.map(({ name, balance }) => ({ name, balance }));
  assert.deepEqual(answered, expected);
});

test('many lists at once take no more of a turn than one, and hold up nobody until their end', () => {
  const { host, reads, ask } = opened(1_000);
  const lists = Array.from({ length: 5 }, () =>
    ask({ kind: 'accounts', ...ANY_ACCOUNT, after: 0, limit: 1_000 }),
  );
  const house = ask({ kind: 'house' });
  for (let turn = 0; turn < 6; turn++) {
    host.endTurn();
    assert.ok(reads.splice(0).length <= SLICE_ROWS);
  }
  assert.deepEqual(kindsOf(house), ['done']);
  for (const told of lists) assert.deepEqual(kindsOf(told), ['part']);
  while (host.turnsPending > 0) {
    host.endTurn();
    assert.ok(reads.splice(0).length <= SLICE_ROWS);
  }
  for (const told of lists) assert.deepEqual(kindsOf(told), [...Array(10).fill('part'), 'done']);
});

test('keys are given as they were when they were read, without their digests', () => {
  const { host, ask } = opened(1);
  const before = ask({ kind: 'keys', ...ANY_KEY, account: 1 });
  host.settle();
  const by = { operator: 'ann', reason: '' };
  const changed = ask({ kind: 'command', command: { kind: 'updateKey', key: 1, enabled: false }, by });
  const again = ask({ kind: 'command', command: { kind: 'updateKey', key: 1, enabled: true }, by });
  host.settle();
  const enabled = [before, changed, again].map((told) => /"enabled":(\w+)/.exec(JSON.stringify(told))?.[1]);
  assert.deepEqual(enabled, ['true', 'false', 'true']);
  assert.doesNotMatch(JSON.stringify([before, changed, again]), /digest|aaaa/);
});

test('of two who replace the same rules the second is told, and nothing is done; orders keep the rules', () => {
  const { host, ask } = opened(1);
  const { seq: first } = host.engine;
  const rules = must(host.engine.rules, 'rules in force');
  const replace = (seq: number, openBetsMax: number) => {
    const by = { operator: 'ann', reason: '' };
    const told = ask({ kind: 'configure', rules: { ...rules, openBetsMax }, seq, by });
    host.settle();
    return told.map((said) => (said.kind === 'refused' ? said.code : said.results[0]));
  };
  assert.deepEqual(replace(first, 10), [first + 1]);
  assert.equal(codeOf(host.order()), 'accepted');
  assert.deepEqual([replace(first, 20), host.engine.rules?.openBetsMax], [['preview_outdated'], 10]);
  assert.deepEqual(replace(first + 1, 20), [first + 3]);
});

test('nothing is answered before all that it shows is durable', () => {
  const { host, ask } = opened(1);
  const list = { ...ALL_BETS, isByChange: false, cursor: [], limit: 10 };
  const reads: readonly OperatorQuery[] = [
    { kind: 'account', account: 1 },
    { kind: 'key', key: 1 },
    { kind: 'openRounds' },
    { kind: 'rules' },
    { kind: 'house' },
    { kind: 'betsOfAccount', account: 1, list },
  ];
  const waits = (queries: readonly OperatorQuery[]) => {
    const told = queries.map(ask);
    while (host.turnsPending > 0) host.endTurn();
    assert.deepEqual(told.flat(), []);
    host.settle();
    assert.deepEqual(told.map(kindsOf), Array(queries.length).fill(['done']));
  };
  assert.equal(codeOf(host.order()), 'accepted');
  waits([...reads, { kind: 'accountSeq', account: 1 }]);
  host.clock.pass(60_000);
  host.lifecycle.pump();
  waits(reads);
});

test('a search looks at a slice a turn, tells only of what it finds, and ends a page after so many', () => {
  const { host, reads, ask } = opened(1_000);
  const told = ask({ kind: 'accounts', ...ANY_ACCOUNT, name: 'n95', after: 0, limit: 100 });
  for (let turn = 0; turn < 10; turn++) {
    host.endTurn();
    assert.equal(reads.splice(0).length, SLICE_ROWS);
  }
  host.settle();
  assert.deepEqual(kindsOf(told), ['part', 'part', 'done']);
  const names = told.flatMap(({ kind, ...said }) =>
    kind === 'part' && 'results' in said
      ? (said.results as ResultOf<'accounts'>[]).flatMap(({ found }) => found.map(({ name }) => name))
      : [],
  );
  assert.deepEqual(names, ['n95', ...Array.from({ length: 10 }, (_, at) => `n${950 + at}`)]);
  const count = PAGE_ROWS_MAX + 1;
  const searched = (after: number, find: (row: number) => number | null) => [
    ...search({ after, limit: 1 }, count, find, () => 0),
  ];
  const nothing = searched(0, () => null);
  assert.deepEqual(nothing.at(-1), { found: [], next: PAGE_ROWS_MAX });
  assert.ok(nothing.slice(0, -1).every((slice) => slice === null));
  const rest = searched(PAGE_ROWS_MAX, (row) => row);
  assert.deepEqual(rest, [{ found: [count], next: null }]);
});

test('an error at a query that only reads ends that query; at one that changes something it is fatal', () => {
  const { host, ask, fatal } = opened(2);
  const broken = new Error('broken');
  host.engine.account = () => {
    throw broken;
  };
  const read = ask({ kind: 'account', account: 1 });
  host.settle();
  const detail = 'an error of the server, logged as account Error: broken';
  assert.deepEqual(read, [{ kind: 'refused', code: 'internal_error', detail }]);
  assert.deepEqual(fatal, []);
  host.sequencer.submit = () => {
    throw broken;
  };
  ask({
    kind: 'command',
    command: { kind: 'setTrading', enabled: false, reason: '' },
    by: { operator: 'ann', reason: '' },
  });
  host.settle();
  assert.deepEqual(fatal, [broken]);
});
