/**
 * What resting limit orders cost: orders in their round, the search for one that can be filled, and memory. The worst orders
 * stand just out of reach, each a cent too large for its limit, at every limit that can be named below the odds.
 */
import { assert } from '../../engine/base/assert.js';
import type { PlaceOrder } from '../../engine/model/commands.js';
import { DOWN, marketOf, UP } from '../../engine/model/domain.js';
import { availableCents } from '../../engine/quotes/exposure.js';
import { quotedUpCents } from '../../engine/quotes/split.js';
import { openScenario, type Scenario, START_MS } from './scenario.js';

const MARKET = marketOf('BTC_FIFTEEN_MINUTES');
const ACCOUNTS = 1_000;
/** UP's fair share at which orders rest and searches are made. */
const EVEN_E6 = 500_000;
const UNEVEN_E6 = 50_000;
const BETS = 20_000;
const WARMUP_BETS = 5_000;
const SEARCHES = 20_000;
const STEP_E4 = 100;
const FAR_E4 = 100_000;

export interface RestingCost {
  readonly resting: number;
  /** CPU time of a bet, in a round without resting orders, and in one with so many whose limits are far away. */
  readonly betAloneUs: number;
  readonly betBesideUs: number;
  /** CPU time of a search that finds nothing: limits far away; just out of reach, at even odds and at long ones. */
  readonly farSearchUs: number;
  readonly reachSearchUs: number;
  readonly longSearchUs: number;
  readonly bytesPerOrder: number;
}

export function restingCost(resting: number): RestingCost {
  betsUs(openScenario(ACCOUNTS, resting + BETS), WARMUP_BETS);
  const alone = openScenario(ACCOUNTS, resting + BETS);
  const betAloneUs = betsUs(alone, BETS);
  const beside = openScenario(ACCOUNTS, resting + BETS);
  const before = heldBytes();
  restFar(beside, resting);
  const bytesPerOrder = (heldBytes() - before) / resting;
  const farSearchUs = searchUs(beside, EVEN_E6);
  const betBesideUs = betsUs(beside, BETS);
  assert(beside.engine.restingOrders === resting, 'orders far away rest on');
  return {
    resting,
    betAloneUs,
    betBesideUs,
    farSearchUs,
    reachSearchUs: searchUs(withinReach(resting, EVEN_E6), EVEN_E6),
    longSearchUs: searchUs(withinReach(resting, UNEVEN_E6), UNEVEN_E6),
    bytesPerOrder,
  };
}

function rest(
  { engine }: Scenario,
  index: number,
  side: number,
  stakeCents: number,
  limitOddsE4: number,
): void {
  const outcome = engine.apply({
    kind: 'placeLimitOrder',
    timeMs: START_MS,
    account: 1 + (index % ACCOUNTS),
    key: 1 + (index % ACCOUNTS),
    market: MARKET,
    side,
    stakeCents,
    fairShareE6: EVEN_E6,
    idempotency: { keyHigh: index, keyLow: index, body: 1 },
    clientSeed: null,
    limitOddsE4,
  });
  assert(outcome.status === 'accepted', `a limit order is accepted: ${JSON.stringify(outcome)}`);
}

/** On both sides, at 900 limits from 10 on. */
function restFar(scenario: Scenario, count: number): void {
  for (let index = 0; index < count; index++)
    rest(scenario, index, index % 2, 1_00 + (index % 977), FAR_E4 + (index % 900) * 1_000);
}

/** Orders that are a cent too large for their limits at this share, at all limits at which that is within what is available. */
function withinReach(count: number, fairShareE6: number): Scenario {
  const scenario = openScenario(ACCOUNTS, count);
  const round = scenario.engine.currentRound(MARKET);
  assert(round !== null, 'the market has a round');
  const totalCents = round.poolUpCents + round.poolDownCents;
  const upCents = quotedUpCents(round, fairShareE6);
  const places = [UP, DOWN].flatMap((side) => {
    const sideCents = side === UP ? upCents : totalCents - upCents;
    const most = availableCents(round, side, fairShareE6);
    const oddsE4 = Math.floor((totalCents * 10_000) / sideCents);
    const limits = Array.from(
      { length: Math.floor((oddsE4 - 10_000) / STEP_E4) },
      (_, at) => 10_000 + (at + 1) * STEP_E4,
    );
    return limits.flatMap((limit) => {
      const stakeCents = Math.floor((totalCents * 10_000 - limit * sideCents) / (limit - 10_000)) + 1;
      return stakeCents >= 1_00 && stakeCents <= most && fitsAlone(limit)
        ? [{ side, limit, stakeCents }]
        : [];
    });
  });
  assert(places.length > 0, 'there are limits within reach');
  // They are placed at a share at which none of them is filled at once.
  const quiet = places.filter(({ side, limit, stakeCents }) => !isPlaced(round, side, stakeCents, limit));
  for (let index = 0; index < count; index++) {
    const place = quiet[index % quiet.length];
    assert(place !== undefined, 'there are limits that rest');
    rest(scenario, index, place.side, place.stakeCents, place.limit);
  }
  assert(scenario.engine.restingOrders === count, 'all of them rest');
  return scenario;
}

/** Whether a limit of three digits is one. */
const fitsAlone = (limitE4: number): boolean => limitE4 < 100_000 || limitE4 % 1_000 === 0;

function isPlaced(
  round: Parameters<typeof quotedUpCents>[0],
  side: number,
  stakeCents: number,
  limitE4: number,
): boolean {
  const totalCents = round.poolUpCents + round.poolDownCents;
  const upCents = quotedUpCents(round, EVEN_E6);
  const sideCents = side === UP ? upCents : totalCents - upCents;
  return ((totalCents + stakeCents) * 10_000) / (sideCents + stakeCents) >= limitE4;
}

const bet = (index: number): PlaceOrder => ({
  kind: 'placeOrder',
  timeMs: START_MS,
  account: 1 + (index % ACCOUNTS),
  key: 1 + (index % ACCOUNTS),
  market: MARKET,
  side: index % 2,
  stakeCents: 1_00,
  fairShareE6: EVEN_E6,
  expectedPercentE6: -1,
  idempotency: { keyHigh: 1_000_000 + index, keyLow: 1_000_000 + index, body: 1 },
  clientSeed: null,
});

/** CPU time of each of so many bets, in microseconds. */
function betsUs({ engine }: Scenario, count: number): number {
  const bets = Array.from({ length: count }, (_, index) => bet(index));
  const before = process.cpuUsage();
  for (const one of bets) assert(engine.apply(one).status === 'accepted', 'a bet is accepted');
  return usSince(before) / count;
}

function searchUs({ engine }: Scenario, fairShareE6: number): number {
  const before = process.cpuUsage();
  for (let search = 0; search < SEARCHES; search++)
    assert(!engine.isFillable(MARKET, fairShareE6, START_MS), 'nothing is within reach');
  return usSince(before) / SEARCHES;
}

function usSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Heap and typed arrays, after a collection where the process may ask for one (`--expose-gc`). */
function heldBytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
