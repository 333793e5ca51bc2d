/**
 * SIGKILL in the middle of a concurrent load (design, "Faults"): what a client was told stands, exactly once, and what
 * it was not told happened once or not at all. Whether it did is found out as a client would: with the same
 * Idempotency-Key again.
 *
 * The order of commits that holds: a command is in the journal before its answer goes out. So a crash may leave orders
 * that nobody was told of; it may never take back one that somebody was.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { must } from '../../engine/assert.js';
import { codeOf } from '../support/api-client.js';
import { Sandbox, type Trader } from '../support/api-client-sandbox.js';
import type { Answered } from '../support/client.js';
import { Dice } from '../support/reference/dice.js';
import { IDEMPOTENCY_MS, type OrderRequest, type OrderResult, type Position } from '../support/spec.js';
import { cents } from '../support/spec-arithmetic.js';

const KILLS = 6;
const TRADERS = 32;
const CONNECTIONS = 48;
const BALANCE = 1_000_000;
/** The process dies after so many acknowledgements of its life, at the least and at the most. */
const ACKNOWLEDGED_MIN = 20;
const ACKNOWLEDGED_MAX = 260;
/** What a list shows at most; no account places as many, so that its list is its whole history. */
const LIST_MAX = 200;
const REFUSALS = /^(round_exposure_limit|betting_closed|round_not_live|insufficient_balance)$/;

const seed = Number(process.env['SIGKILL_SEED'] ?? 20_261_121);
const dice = new Dice(seed);

let sandbox: Sandbox;
const traders: Trader[] = [];

before(async () => {
  sandbox = await Sandbox.start();
  await sandbox.openRounds({ BTC: 67_000 }, 'ONE_DAY');
  for (let n = 0; n < TRADERS; n++) traders.push(await sandbox.trader({ tier: 'VIP', balance: BALANCE }));
});
after(() => sandbox.remove());

/** An order under its key, and what the client knows of it. */
interface Attempt {
  readonly trader: number;
  readonly key: string;
  readonly order: OrderRequest;
  /** The body of the 201, once there was one. */
  acknowledged: string | null;
  isRefused: boolean;
}
const attempts: Attempt[] = [];

function newAttempt(): Attempt {
  const attempt: Attempt = {
    trader: dice.whole(0, TRADERS - 1),
    key: `order-${attempts.length}`,
    order: {
      marketId: dice.chance(0.5) ? 'BTC_ONE_MINUTE' : 'BTC_ONE_DAY',
      prediction: dice.chance(0.5) ? 'UP' : 'DOWN',
      amount: dice.whole(100, 2_000) / 100,
      ...(dice.chance(0.3) && { clientSeed: `seed ${attempts.length}` }),
    },
    acknowledged: null,
    isRefused: false,
  };
  attempts.push(attempt);
  return attempt;
}

function send({ trader, key, order }: Attempt): Promise<Answered<OrderResult>> {
  const { secret } = must(traders[trader], 'trader');
  return sandbox.api(secret).order(order, { 'Idempotency-Key': key });
}

/** Notes what the answer tells; two answers under one key must tell the same. */
function note(attempt: Attempt, answered: Answered<OrderResult>): void {
  if (answered.status === 201) {
    assert.equal(answered.text, attempt.acknowledged ?? answered.text, attempt.key);
    attempt.acknowledged = answered.text;
  } else if (codeOf(answered) !== 'idempotency_in_progress') {
    assert.match(codeOf(answered), REFUSALS, answered.text);
    attempt.isRefused = true;
  }
}

/** A few turns later, so that orders are on their way in every state when the process dies. */
async function killSoon(): Promise<void> {
  for (let turns = dice.whole(0, 8); turns > 0; turns--)
    await new Promise((resolve) => setImmediate(resolve));
  sandbox.server.run.signal('SIGKILL');
}

/** Connections that send one order after the other until the server is gone; now and then one sends it twice. */
async function loadUntilKilled(killAfter: number): Promise<void> {
  let acknowledged = 0;
  const isGone = (error: unknown): boolean => error instanceof TypeError;
  const bet = async (): Promise<boolean> => {
    const attempt = newAttempt();
    const times = dice.chance(0.1) ? 2 : 1;
    const sent = Array.from({ length: times }, async () => {
      note(attempt, await send(attempt));
      if (++acknowledged === killAfter) await killSoon();
    });
    const results = await Promise.allSettled(sent);
    const failed = results.filter((result) => result.status === 'rejected');
    for (const { reason } of failed) if (!isGone(reason)) throw reason;
    return failed.length === 0;
  };
  const connection = async (): Promise<void> => {
    while (await bet());
  };
  const settling = sandbox.closeMinute({ BTC: 67_000 + dice.whole(-5, 5) }).catch((error: unknown) => {
    if (!isGone(error)) throw error;
  });
  await Promise.all([...Array.from({ length: CONNECTIONS }, connection), settling]);
  await sandbox.server.run.ended;
}

async function ordersOf(trader: Trader): Promise<Map<string, Position>> {
  const orders = await sandbox.api(trader.secret).orders(`?limit=${LIST_MAX}`);
  assert.ok(orders.length < LIST_MAX, 'the list is the whole history');
  const byId = new Map(orders.map((order) => [order.id, order]));
  assert.equal(byId.size, orders.length, 'no bet stands twice');
  return byId;
}

const betOf = (acknowledged: string): OrderResult['bet'] =>
  (JSON.parse(acknowledged) as { data: OrderResult }).data.bet;

/** Keys are remembered for 10 minutes of the manual clock: under an older one an order would be a new bet. */
const isForgotten = ({ acknowledged }: Attempt): boolean =>
  acknowledged !== null && sandbox.nowMs - Date.parse(betOf(acknowledged).placedAt) >= IDEMPOTENCY_MS;

/** Every acknowledged bet is there with the facts of its answer. */
function checkAcknowledged(books: readonly Map<string, Position>[]): void {
  for (const { trader, acknowledged, order } of attempts) {
    if (acknowledged === null) continue;
    const bet = betOf(acknowledged);
    const found = must(must(books[trader], 'book').get(bet.id), `acknowledged ${bet.id}`);
    const { marketId, prediction, amount, oddsAtBet, potentialPayout, placedAt } = found;
    assert.deepEqual(
      { marketId, prediction, amount },
      {
        marketId: order.marketId,
        prediction: order.prediction,
        amount: order.amount,
      },
    );
    assert.deepEqual(
      [oddsAtBet, potentialPayout, placedAt],
      [bet.oddsAtBet, bet.potentialPayout, bet.placedAt],
    );
  }
}

/** Sends every order again: what was acknowledged replays, of what was not it is found out whether it was placed. */
async function retryAll(
  books: readonly Map<string, Position>[],
): Promise<{ survived: number; lost: number }> {
  let survived = 0;
  let lost = 0;
  for (const attempt of attempts) {
    if (attempt.isRefused && attempt.acknowledged === null) continue;
    if (isForgotten(attempt)) continue;
    const wasAcknowledged = attempt.acknowledged !== null;
    const answered = await send(attempt);
    note(attempt, answered);
    const isReplay = answered.headers.get('X-Idempotent-Replay') === 'true';
    if (wasAcknowledged) {
      assert.ok(answered.status === 201 && isReplay, `${attempt.key}: ${answered.text}`);
      continue;
    }
    if (isReplay) survived++;
    else lost++;
    if (answered.status !== 201) continue;
    const wasThere = must(books[attempt.trader], 'book').has(answered.data.bet.id);
    assert.equal(wasThere, isReplay, `${attempt.key} was placed before, or is placed now, not both`);
  }
  return { survived, lost };
}

/** Bets are as many as acknowledged keys, and each balance is what its bets left of the first deposit. */
async function checkBooks(): Promise<void> {
  for (const [index, trader] of traders.entries()) {
    const book = await ordersOf(trader);
    const mine = attempts.filter(
      ({ trader: owner, acknowledged }) => owner === index && acknowledged !== null,
    );
    assert.equal(book.size, mine.length, `bets of ${trader.accountId}`);
    let balance = cents(BALANCE);
    for (const { amount, payout } of book.values()) balance += cents(payout ?? 0) - cents(amount);
    assert.equal(cents(await sandbox.balance(trader.accountId)), balance, trader.accountId);
  }
  await sandbox.checkConservation();
}

for (let kill = 1; kill <= KILLS; kill++) {
  test(`kill ${kill} of ${KILLS}, seed ${seed}`, async (context) => {
    await sandbox.openRounds({ BTC: 67_000 });
    const before = attempts.length;
    const killAfter = dice.whole(ACKNOWLEDGED_MIN, ACKNOWLEDGED_MAX);
    await loadUntilKilled(killAfter);
    const fresh = attempts.slice(before);
    const acknowledged = fresh.filter((attempt) => attempt.acknowledged !== null).length;

    sandbox = await Sandbox.start({ dataDir: sandbox.server.dataDir });
    const books = await Promise.all(traders.map(ordersOf));
    checkAcknowledged(books);
    const { survived, lost } = await retryAll(books);
    await checkBooks();
    context.diagnostic(
      `killed after ${killAfter} answers: ${acknowledged} acknowledged; of ${survived + lost} others ` +
        `${survived} had been placed, ${lost} had not`,
    );
  });
}

test('after all that the open bets settle, each once', async () => {
  await sandbox.openRounds({ BTC: 67_000 });
  await sandbox.closeMinute({ BTC: 67_001 });
  for (const trader of traders) {
    for (const { marketId, status, result, payout, amount, potentialPayout } of (
      await ordersOf(trader)
    ).values()) {
      if (marketId !== 'BTC_ONE_MINUTE') continue;
      assert.equal(status, 'SETTLED');
      const pays = { WIN: potentialPayout, LOSS: 0, DRAW: amount, REFUNDED: amount }[result ?? ''];
      assert.equal(payout, pays);
    }
  }
  await checkBooks();
});
