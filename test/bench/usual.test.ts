/** The reference written the usual way answers as the engine does: the same odds, payouts, balances and refusals. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Database from 'better-sqlite3';
import { httpRequest, orderRequest } from '../../bench/client/http-request.js';
import { runLoad } from '../../bench/client/load.js';
import { START_MS, setUpCommands } from '../../bench/engine/scenario.js';
import { captureAnswer } from '../../bench/load/answer.js';
import { placed } from '../../bench/load/book.js';
import { auditUsual, startUsual } from '../../bench/references/usual.js';
import type { UsualConfig } from '../../bench/references/usual-config.js';
import { UsualDesk, type UsualOrder } from '../../bench/references/usual-desk.js';
import { Acknowledged } from '../../bench/tote/audit.js';
import { Engine } from '../../engine/engine.js';
import { marketOf, NO_FAIR_SHARE, SIDES } from '../../engine/model/domain.js';
import { fixedHouse, withHouse } from '../support/engine/house-rules.js';

const root = mkdtempSync(join(tmpdir(), 'tote-bench-test-'));
after(() => rmSync(root, { recursive: true }));

const MARKET = 'BTC_ONE_DAY';
const HEADERS = [
  ['X-RateLimit-Limit', '30'],
  ['X-RateLimit-Remaining', '29'],
  ['X-RateLimit-Reset', '60'],
] as const;
const FAR_MS = 3_600_000;

function config(name: string, changes: Partial<UsualConfig> = {}): UsualConfig {
  return {
    file: join(root, `${name}.sqlite`),
    durability: 'os',
    apiKeys: ['secret-1', 'secret-2'],
    balanceCents: 1_000_000_00,
    rounds: [{ marketId: MARKET, roundNumber: 7, lockTimeMs: Date.now() + FAR_MS }],
    headers: HEADERS,
    ...changes,
  };
}

/** The engine's outcome of the same order, as an answer. */
function engineAnswers(orders: readonly UsualOrder[]) {
  const engine = new Engine();
  for (const command of setUpCommands(1, 10_000)) {
    const isRules = command.kind === 'configure';
    engine.apply(isRules ? { ...command, rules: withHouse(command.rules, fixedHouse()) } : command);
  }
  return orders.map((order) => {
    const outcome = engine.apply({
      ...{ kind: 'placeOrder', timeMs: START_MS, account: 1, key: 1, market: marketOf(order.marketId) },
      ...{ side: SIDES.indexOf(order.prediction), stakeCents: Math.round(order.amount * 100) },
      fairShareE6: NO_FAIR_SHARE,
      expectedPercentE6:
        order.expectedPercent === undefined ? -1 : Math.round(order.expectedPercent * 1_000_000),
      ...{ idempotency: null, clientSeed: null },
    });
    if (outcome.status === 'rejected') return { error: outcome.code };
    assert.ok(outcome.status === 'accepted' && outcome.events[0]?.type === 'betPlaced');
    const { oddsE4, entryPercentE2, payoutCents, newBalanceCents } = outcome.events[0];
    return {
      ...{ oddsAtBet: oddsE4 / 10_000, entryPercent: entryPercentE2 / 100 },
      ...{ potentialPayout: payoutCents / 100, newBalance: newBalanceCents / 100 },
    };
  });
}

function deskAnswer(body: string) {
  const { success, error, data } = JSON.parse(body);
  if (success !== true) return { error };
  const { oddsAtBet, entryPercent, potentialPayout } = data.bet;
  return { oddsAtBet, entryPercent, potentialPayout, newBalance: data.newBalance };
}

test('odds, payouts, balances and refusals are the engine’s', () => {
  const orders = Array.from({ length: 400 }, (_, at): UsualOrder => {
    const amount = at % 37 === 0 ? 0.5 : (((at * 7919) % 30_000) + 100) / 100;
    const guard = at % 11 === 0 ? { expectedPercent: 30 } : {};
    return { marketId: MARKET, prediction: (at * 31) % 10 < 6 ? 'UP' : 'DOWN', amount, ...guard };
  });
  orders.push({ marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 9_999 });
  const desk = new UsualDesk(config('same'));
  const answers = orders.map((order) => deskAnswer(desk.place('secret-1', null, order).body));
  assert.deepEqual(answers, engineAnswers(orders));
  const refusals = new Set(answers.flatMap((answer) => ('error' in answer ? [answer.error] : [])));
  for (const code of ['stake_out_of_range', 'odds_changed', 'round_exposure_limit'])
    assert.ok(refusals.has(code), code);
  assert.ok(answers.filter((answer) => !('error' in answer)).length > 100);
});

test('keys, cutoff and idempotency', () => {
  const bet: UsualOrder = { marketId: MARKET, prediction: 'UP', amount: 5 };
  const desk = new UsualDesk(config('keys'));
  assert.equal(desk.place('unknown', null, bet).status, 401);
  assert.match(desk.place('secret-1', null, { ...bet, marketId: 'X' }).body, /"market_not_found"/);
  const first = desk.place('secret-1', 'k', bet);
  assert.deepEqual([first.status, first.isReplay], [201, false]);
  assert.deepEqual(desk.place('secret-1', 'k', bet), { ...first, isReplay: true });
  assert.match(desk.place('secret-1', 'k', { ...bet, amount: 6 }).body, /"idempotency_key_reused"/);
  assert.equal(deskAnswer(desk.place('secret-2', 'k', bet).body).newBalance, 999_995);
  const closing = { marketId: MARKET, roundNumber: 7, lockTimeMs: Date.now() + 19_000 };
  assert.match(
    new UsualDesk(config('closing', { rounds: [closing] })).place('secret-1', null, bet).body,
    /"betting_closed"/,
  );
});

test('the server answers as the client expects, and its tables match', async () => {
  const dir = join(root, 'server');
  mkdirSync(dir);
  const bettors = ['secret-1', 'secret-2'].map((apiKey, at) => ({ accountId: `acc_${at + 1}`, apiKey }));
  const market = { id: MARKET, roundId: 'r', totalBets: 0, totalVolume: 0, bettingMs: FAR_MS };
  const sample = { status: 201, statusLine: '201 Created', headers: HEADERS, body: '', bytes: 0 };
  const onCore = { durability: 'fsync', core: null } as const;
  const server = await startUsual(bettors, [market], sample, dir, onCore);
  const templates = bettors.map(({ apiKey }, at) => {
    const order = { marketId: MARKET, prediction: at === 0 ? 'UP' : 'DOWN', amount: 1 };
    return { ...orderRequest(apiKey, 'k-', order), expect: 0, stakeCents: 100 };
  });
  const result = await runLoad(
    {
      ...{ host: '127.0.0.1', port: server.port, connections: 4, warmupMs: 0, measureMs: 60_000 },
      ...{ pace: { kind: 'closed' }, requestsMax: 50, templates, expectations: placed(true), firstSerial: 1 },
    },
    { onMeasuring: () => {}, onMeasured: () => {} },
  );
  const headers = [['X-API-Key', 'secret-1']] as const;
  const surplus = httpRequest(
    'POST',
    '/v1/orders',
    headers,
    '{"marketId":"X","prediction":"UP","amount":1,"x":1}',
  );
  assert.equal((await captureAnswer('127.0.0.1', server.port, surplus)).status, 400);
  await server.process.stop();
  assert.deepEqual([result.unexpected, result.sent, result.acknowledged], [[], 50, [25, 25]]);
  const acknowledged = new Acknowledged();
  acknowledged.add(result, templates, (at) => bettors[at] as (typeof bettors)[number]);
  auditUsual(server.file, bettors, acknowledged);
  const database = new Database(server.file);
  database.exec('UPDATE bets SET stake_cents = 101 WHERE id = 50');
  database.close();
  assert.throws(() => auditUsual(server.file, bettors, acknowledged), /the audit failed: usual: stakes/);
});
