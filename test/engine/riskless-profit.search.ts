/**
 * A search for bets that win whatever happens.
 *
 * Odds are fixed when a bet is placed, so a bettor with many accounts can swing the pools: one large stake makes the
 * other side cheap, many small ones buy it up while its odds are high, and so on, each time larger. Where the house
 * quotes, no set of bets wins for sure, nor on average while the fair share is the probability. Where its seeds are
 * fixed the search does win for sure, though no more than the seeds: it looks in the right places.
 */
import { equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import { type HouseRules, RULES_VERSION } from '../../engine/model/rules.js';
import { quotedUpCents } from '../../engine/quotes/split.js';
import { byEffort } from '../support/effort.js';
import { fairHouse, fixedHouse } from '../support/engine/house-rules.js';
import { plainOrder } from '../support/engine/plain-order.js';
import { referenceOddsE4, referencePayoutCents } from '../support/reference/arithmetic.js';
import { BTC_15M, DAY_MS, rulesFor } from '../support/reference/exchange.js';
import { Rng } from '../support/reference/random/rng.js';

const SEARCHES = byEffort({ test: 60, prove: 360, night: 3_600 });
const FEE_BPS = 300;
const ACCOUNTS = 8;
const BALANCE_CENTS = 1_000_000_000_00;
const END_MS = DAY_MS + 900_000;

/** The bettors' stakes, and each side's debt to them. */
class Book {
  stakedCents = 0;
  readonly owedCents: [number, number] = [0, 0];
  bets = 0;
  bestGuaranteedCents = 0;

  add(side: number, stakeCents: number, payoutCents: number): void {
    this.stakedCents += stakeCents;
    this.owedCents[side === 0 ? 0 : 1] += payoutCents;
    this.bets += 1;
    const guaranteedCents = Math.min(...this.owedCents) - this.stakedCents;
    this.bestGuaranteedCents = Math.max(this.bestGuaranteedCents, guaranteedCents);
  }
}

/** `place` gives the payout of an accepted bet, or null. */
class Table {
  readonly engine = new Engine();
  readonly seedCents: number;
  readonly feeBps: number;
  fairShareE6 = 500_000;
  readonly #rng: Rng;

  constructor(house: HouseRules, feeBps: number, rng: Rng) {
    const { seedCents } = house;
    this.seedCents = seedCents;
    this.feeBps = feeBps;
    this.#rng = rng;
    const timeMs = DAY_MS;
    const market = { house, minStakeCents: 1, maxStakeCents: BALANCE_CENTS };
    const rules = rulesFor([BTC_15M], { market, rules: { feeBps } });
    const tiers = rules.tiers.map((tier) => ({ ...tier, maxStakeCents: BALANCE_CENTS }));
    this.engine.apply({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules: { ...rules, tiers } });
    this.engine.apply({ kind: 'depositHouse', timeMs, amountCents: 10 * seedCents, reference: 'capital' });
    for (let account = 0; account < ACCOUNTS; account++) {
      this.engine.apply({ kind: 'createAccount', timeMs, name: null, tier: 4, balanceCents: BALANCE_CENTS });
    }
    const opening = { asset: 0, price: 100, priceTimeMs: timeMs, source: null, evidence: '' };
    equal(this.engine.apply({ kind: 'openLate', timeMs, ...opening }).status, 'accepted');
  }

  /** As they are offered now. */
  get pools(): [number, number] {
    const round = must(this.engine.currentRound(BTC_15M), 'round');
    const upCents = quotedUpCents(round, this.fairShareE6);
    return [upCents, round.poolUpCents + round.poolDownCents - upCents];
  }

  place(side: number, stakeCents: number): number | null {
    const outcome = this.engine.apply(
      plainOrder({
        timeMs: DAY_MS,
        account: this.#rng.integer(1, ACCOUNTS),
        market: BTC_15M,
        side,
        stakeCents,
        fairShareE6: this.fairShareE6,
      }),
    );
    const event = outcome.status === 'accepted' ? outcome.events[0] : undefined;
    return event?.type === 'betPlaced' ? event.payoutCents : null;
  }

  finish(closePrice: number | null): { houseGainCents: number; bettorsGainCents: number } {
    const timeMs = END_MS;
    this.engine.apply({ kind: 'suspendMarket', timeMs: DAY_MS, market: BTC_15M, suspended: true });
    this.engine.apply({ kind: 'advance', timeMs });
    const priceTimeMs = closePrice === null ? null : timeMs;
    const price = { price: closePrice, priceTimeMs, source: null, evidence: '' };
    this.engine.apply({ kind: 'boundaryPrice', timeMs, asset: 0, boundaryMs: timeMs, ...price });
    this.engine.apply({ kind: 'settle', timeMs, betsMax: 1_000_000 });
    equal(this.engine.unsettledRounds().length, 0);
    const { houseCents, accountsCents } = this.engine.totals();
    const bettorsGainCents = accountsCents - ACCOUNTS * BALANCE_CENTS;
    return { houseGainCents: houseCents - 10 * this.seedCents, bettorsGainCents };
  }
}

/** A refused bet is halved, and so on down to a cent. */
function bet(table: Table, book: Book, side: number, wishedCents: number): void {
  let stakeCents = Math.min(Math.max(1, Math.floor(wishedCents)), BALANCE_CENTS / 1_000);
  while (stakeCents >= 1) {
    const payoutCents = table.place(side, stakeCents);
    if (payoutCents !== null) {
      book.add(side, stakeCents, payoutCents);
      return;
    }
    stakeCents = Math.floor(stakeCents / 2);
  }
}

type Strategy = (table: Table, book: Book, rng: Rng) => void;

const poolOn = (table: Table, side: number): number => (side === 0 ? table.pools[0] : table.pools[1]);

/** One side leaps, the other climbs after it in small steps; then the other way round, further up. */
const ladder: Strategy = (table, book, rng) => {
  const leap = 3 + rng.next() * 60;
  const step = 1.02 + rng.next() * 0.3;
  const height = 0.05 + rng.next() * 0.95;
  let side = rng.integer(0, 1);
  for (let turns = rng.integer(2, 6); turns > 0 && book.bets < 400; turns--) {
    const climber = 1 - side;
    bet(table, book, side, poolOn(table, climber) * leap - poolOn(table, side));
    const isLast = turns === 1;
    const goalCents = poolOn(table, side) * (isLast ? height : 1);
    for (let steps = 0; steps < 150 && poolOn(table, climber) < goalCents; steps++) {
      bet(table, book, climber, poolOn(table, climber) * (step - 1));
    }
    side = climber;
  }
};

/** Takes, of some chance bets, the one that does most for the worse result; now and then any. */
const greedy: Strategy = (table, book, rng) => {
  for (let count = 0; count < 80; count++) {
    const [up, down] = table.pools;
    const candidates = Array.from({ length: 8 }, () => {
      const side = rng.integer(0, 1);
      const stakeCents = Math.max(1, Math.floor((up + down) * 2 ** (rng.next() * 12 - 9)));
      const own = (side === 0 ? up : down) + stakeCents;
      const oddsE4 = referenceOddsE4(up + down + stakeCents, own);
      const payoutCents = referencePayoutCents(stakeCents, oddsE4, table.feeBps);
      const owed = book.owedCents.map((cents, index) => cents + (index === side ? payoutCents : 0));
      return { side, stakeCents, worstCents: Math.min(...owed) - book.stakedCents - stakeCents };
    });
    candidates.sort((a, b) => b.worstCents - a.worstCents);
    const { side, stakeCents } = must(rng.chance(0.7) ? candidates[0] : rng.pick(candidates), 'bet');
    bet(table, book, side, stakeCents);
  }
};

/** One leap, then always a little on the side that would win less. */
const chase: Strategy = (table, book, rng) => {
  const step = 0.005 + rng.next() * 0.3;
  const first = rng.integer(0, 1);
  bet(table, book, first, poolOn(table, 1 - first) * 2 ** (rng.next() * 10));
  for (let count = rng.integer(10, 250); count > 0; count--) {
    const side = book.owedCents[0] < book.owedCents[1] ? 0 : 1;
    bet(table, book, side, poolOn(table, side) * step);
  }
};

/** One side climbs in small steps, which buys it at every odds on the way; then always the side that would win less. */
const climb: Strategy = (table, book, rng) => {
  const step = 0.01 + rng.next() * 0.1;
  const height = 1 + rng.next() * 14;
  const first = rng.integer(0, 1);
  for (let steps = 0; steps < 150 && poolOn(table, first) < height * poolOn(table, 1 - first); steps++) {
    bet(table, book, first, poolOn(table, first) * step);
  }
  for (let count = rng.integer(10, 120); count > 0; count--) {
    const side = book.owedCents[0] < book.owedCents[1] ? 0 : 1;
    bet(table, book, side, poolOn(table, side) * step);
  }
};

const chance: Strategy = (table, book, rng) => {
  for (let count = rng.integer(1, 120); count > 0; count--) {
    bet(table, book, rng.integer(0, 1), table.seedCents * 2 ** (rng.next() * 18 - 6));
  }
};

const STRATEGIES: readonly Strategy[] = [ladder, climb, chase, climb, greedy, chance];
const SEEDS_CENTS: readonly number[] = [1, 7, 10_00, 1_000_00];
const CLOSE_PRICES: readonly (number | null)[] = [101, 99, 100, null];

/** Up to three strategies, one after the other; `before` each of them. */
function playAll(table: Table, rng: Rng, before: () => void = () => {}): Book {
  const book = new Book();
  for (let parts = rng.integer(1, 3); parts > 0; parts--) {
    before();
    rng.pick(STRATEGIES)(table, book, rng);
  }
  return book;
}

function checkEnd(table: Table, book: Book, rng: Rng, name: string): void {
  const seedsCents = 2 * table.seedCents;
  for (const owedCents of book.owedCents) ok(owedCents - book.stakedCents <= seedsCents, name);
  const closePrice = rng.pick(CLOSE_PRICES);
  const { houseGainCents, bettorsGainCents } = table.finish(closePrice);
  ok(houseGainCents >= -seedsCents, `${name}: the house gained ${houseGainCents}`);
  equal(bettorsGainCents + houseGainCents, 0, name);
  if (closePrice === 100 || closePrice === null) equal(houseGainCents, 0, name);
  else equal(bettorsGainCents, book.owedCents[closePrice > 100 ? 0 : 1] - book.stakedCents, name);
}

/** Shades of all kinds, and none: whether anybody wins for sure does not depend on them. */
function anyFairHouse(rng: Rng, feeBps: number): HouseRules {
  return fairHouse({
    seedCents: rng.pick(SEEDS_CENTS),
    shadeE6: rng.pick([600_000, 600_000, 0, 100_000, 1_000_000]),
    clampE6: Math.min(20_000, feeBps * 100),
  });
}

test('where the house quotes, no set of bets wins for sure or costs the house more than its seeds', () => {
  let bets = 0;
  for (let search = 0; search < SEARCHES; search++) {
    const rng = new Rng(search);
    const feeBps = rng.pick([FEE_BPS, FEE_BPS, 0]);
    const table = new Table(anyFairHouse(rng, feeBps), feeBps, rng);
    table.fairShareE6 = rng.pick([500_000, rng.integer(0, 1_000_000)]);
    const book = playAll(table, rng);
    bets += book.bets;
    equal(book.bestGuaranteedCents, 0, `search ${search}`);
    checkEnd(table, book, rng, `search ${search}`);
  }
  ok(bets > 20 * SEARCHES, `${bets} bets were placed`);
});

/** On average if `upE6` is the probability that UP wins, in millionths of a cent. */
const meanGainE6 = (book: Book, upE6: number): bigint =>
  BigInt(book.owedCents[0]) * BigInt(upE6) +
  BigInt(book.owedCents[1]) * BigInt(1_000_000 - upE6) -
  BigInt(book.stakedCents) * 1_000_000n;

test('where the house quotes, no strategy gains on average, however the price moves by chance', () => {
  const MOVES = 5;
  for (let search = 0; search < SEARCHES / 6; search++) {
    // Every path of a fair share that goes up or down by the same: each as likely as any other.
    let sumE6 = 0n;
    for (let path = 0; path < 2 ** MOVES; path++) {
      const rng = new Rng(search);
      const feeBps = rng.pick([FEE_BPS, 0]);
      const table = new Table(anyFairHouse(rng, feeBps), feeBps, rng);
      table.fairShareE6 = rng.integer(300_000, 700_000);
      const stepE6 = rng.integer(1, 60_000);
      const book = new Book();
      for (let move = 0; move < MOVES; move++) {
        rng.pick(STRATEGIES)(table, book, rng);
        table.fairShareE6 += (path >> move) % 2 === 0 ? stepE6 : -stepE6;
      }
      sumE6 += meanGainE6(book, table.fairShareE6);
    }
    ok(sumE6 <= 0n, `search ${search}: ${sumE6}`);
  }
});

test('where the seeds are fixed, bets win for sure, but no more than the seeds', () => {
  let best = 0;
  for (let search = 0; search < SEARCHES; search++) {
    const rng = new Rng(search);
    const table = new Table(fixedHouse(rng.pick(SEEDS_CENTS)), rng.pick([FEE_BPS, FEE_BPS, 0]), rng);
    const book = playAll(table, rng);
    const name = `search ${search}`;
    ok(book.bestGuaranteedCents <= 2 * table.seedCents, name);
    best = Math.max(best, book.bestGuaranteedCents / (2 * table.seedCents));
    checkEnd(table, book, rng, name);
  }
  ok(best > 0.1, `at best ${best} of the seeds`);
});
