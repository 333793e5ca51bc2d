/**
 * Money (specification, section 1; design, section 2): seeded random bets of many accounts over several rounds. The
 * test keeps its own books in cents from what the API publishes, and the server's must be the same to the cent.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { codeOf } from '../../support/api/api-client.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { type Bet, SEED } from '../../support/api/spec.js';
import { cents, checkBetArithmetic } from '../../support/api/spec-arithmetic.js';
import { Rng } from '../../support/reference/random/rng.js';

const MARKET = 'BTC_ONE_MINUTE';
const TRADERS = 6;
const ROUNDS = 6;
const BETS_A_ROUND = 30;
const TEST_SEED = 20_261_121;

let sandbox: Sandbox;

before(async () => {
  sandbox = await Sandbox.shared();
});

interface Book {
  readonly trader: Trader;
  balance: bigint;
}
interface Entry {
  readonly book: Book;
  readonly bet: Bet;
}

/** One bet; the books are kept from the answer, and the answer is held against the pools before it. */
async function bet(book: Book, prediction: string, amount: number): Promise<Entry | null> {
  const { api } = book.trader;
  const before = await api.market(MARKET);
  const answered = await api.order({ marketId: MARKET, prediction, amount });
  if (answered.status !== 201) {
    assert.match(codeOf(answered), /^(round_exposure_limit|insufficient_balance)$/, answered.text);
    assert.deepEqual(await api.market(MARKET), before);
    return null;
  }
  const { bet: placed, newBalance } = answered.data;
  checkBetArithmetic(placed, before);
  book.balance -= cents(amount);
  assert.equal(cents(newBalance), book.balance, 'newBalance');
  const after = await api.market(MARKET);
  const [side, otherSide] =
    prediction === 'UP' ? (['poolUp', 'poolDown'] as const) : (['poolDown', 'poolUp'] as const);
  assert.equal(cents(after[side]), cents(before[side]) + cents(amount));
  assert.equal(after[otherSide], before[otherSide]);
  return { book, bet: placed };
}

const PAYS: Readonly<Record<string, (bet: Bet) => bigint>> = {
  UP: (bet) => (bet.prediction === 'UP' ? cents(bet.potentialPayout) : 0n),
  DOWN: (bet) => (bet.prediction === 'DOWN' ? cents(bet.potentialPayout) : 0n),
  DRAW: (bet) => cents(bet.amount),
  VOID: (bet) => cents(bet.amount),
};

test(`random bets, seed ${TEST_SEED}: every balance, the house and the total are right to the cent`, async () => {
  const rng = new Rng(TEST_SEED);
  const books: Book[] = [];
  for (let n = 0; n < TRADERS; n++) {
    books.push({ trader: await sandbox.trader({ tier: 'PLATINUM', balance: 5_000 }), balance: 500_000n });
  }
  let house = cents((await sandbox.house()).balance);
  for (let n = 0; n < ROUNDS; n++) {
    await sandbox.openRounds({ BTC: 60_000 });
    const { openSeeds } = await sandbox.house();
    const { id } = must((await must(books[0], 'book').trader.api.market(MARKET)).currentRound, 'round');
    const entries: Entry[] = [];
    for (let k = 0; k < BETS_A_ROUND; k++) {
      const book = rng.pick(books);
      const entry = await bet(book, rng.chance(1 / 3) ? 'UP' : 'DOWN', rng.integer(100, 60_000) / 100);
      if (entry !== null) entries.push(entry);
    }
    await sandbox.checkConservation();
    const outcome = must(['UP', 'DOWN', 'DRAW', 'VOID'][n % 4], 'outcome');
    if (outcome === 'VOID') await sandbox.operator.post(`/rounds/${id}/void`, { reason: 'a test' });
    else await sandbox.closeMinute({ BTC: { UP: 60_001, DOWN: 59_999, DRAW: 60_000 }[outcome] ?? 0 });
    const round = await must(books[0], 'book').trader.api.round(id);
    assert.equal(round.voided ? 'VOID' : round.result, outcome);

    let stakes = 0n;
    let paid = 0n;
    for (const { book, bet: placed } of entries) {
      const pays = must(PAYS[outcome], outcome)(placed);
      book.balance += pays;
      paid += pays;
      stakes += cents(placed.amount);
    }
    const pool = stakes + 2n * cents(SEED);
    assert.equal(cents(round.totalPool), pool);
    assert.equal(cents(round.totalVolume), stakes);
    assert.equal(round.totalBets, entries.length);
    assert.ok(paid <= pool, `${id} paid ${paid} of ${pool}`);
    for (const { trader, balance } of books) {
      assert.equal(cents(await sandbox.balance(trader.accountId)), balance, trader.accountId);
    }
    // The house has what it had, less the seeds in open rounds now, plus what it won or lost.
    house += stakes - paid;
    const now = await sandbox.house();
    const seedsOutside = cents(now.openSeeds);
    assert.ok(seedsOutside % (2n * cents(SEED)) === 0n, `${openSeeds}`);
    assert.equal(cents(now.balance) + seedsOutside, house);
    await sandbox.checkConservation();
  }
});
