/** Random orders that look for the limits: of stake, balance, exposure, slippage and repetition. */
import { must } from '../../../../engine/base/assert.js';
import type { Command, IdempotencyDigest, PlaceOrder } from '../../../../engine/model/commands.js';
import { LIMIT_ODDS_E4_MAX, LIMIT_ODDS_E4_MIN, NO_END, UP } from '../../../../engine/model/domain.js';
import { type ErrorCode, NO_SHARE_CODES } from '../../../../engine/model/errors.js';
import { plainOrder } from '../../engine/plain-order.js';
import { referenceOddsE4, referencePayoutCents, referencePercentE2 } from '../arithmetic.js';
import { edgeOf, edgeOfRound, isQuoted, offeredPools, payoutsOn } from '../quotes.js';
import { bettableRounds } from '../reads.js';
import {
  accountOf,
  poolOf,
  type ReferenceBet,
  type ReferenceRound,
  type ReferenceState,
  rulesOf,
} from '../state.js';
import type { Rng } from './rng.js';
import { type Move, WORLD_MARKETS, type World } from './world.js';

const GATES: readonly ErrorCode[] = ['clock_unsynchronised', 'journal_backlog', 'disk_reserve'];

export function order(world: World, rng: Rng): Move | null {
  if (world.state.accounts.length === 0) return null;
  const bettable = bettableRounds(world.state, world.nowMs);
  const round = bettable.length > 0 && rng.chance(0.93) ? rng.pick(bettable) : null;
  const account = rng.integer(1, world.state.accounts.length);
  const side = rng.integer(0, 1);
  const market = round?.market ?? rng.pick([-1, 69, ...WORLD_MARKETS]);
  const fairShareE6 = fairShare(world, market);
  const command = plainOrder({
    timeMs: world.nowMs,
    account,
    market,
    side,
    stakeCents: Math.max(
      1,
      round === null ? 100_00 : stake(world, rng, { round, account, side, fairShareE6 }),
    ),
    fairShareE6,
    expectedPercentE6: round === null ? -1 : expectedPercent(rng, round, side, fairShareE6),
    idempotency: idempotency(world, rng),
    clientSeed: rng.chance(0.7) ? null : rng.pick(['', 'seed', 'Ünï "quoted" \\ ', 'x'.repeat(128)]),
  });
  const chosen = rng.chance(0.06) ? (repeated(world, rng) ?? command) : command;
  const move = { command: chosen, gate: gate(rng) };
  // Drawn last, so that it changes nothing else of a stream.
  const clientOrderId = rng.chance(0.7) ? null : rng.pick(['a', '"q"\\~', '!'.repeat(64)]);
  return { ...move, command: { ...chosen, clientOrderId, key: rng.integer(1, 2) } };
}

/** Names odds around those of the moment, or of a moment ago. */
export function limitOrder(world: World, rng: Rng): Move | null {
  const made = order(world, rng);
  if (made === null || made.command.kind !== 'placeOrder') return null;
  const command = rng.chance(0.5) ? resting(world, rng, made.command) : made.command;
  const round = world.state.markets[command.market]?.current ?? null;
  const wanted = round === null ? 20_000 : limitOddsE4(rng, round, command);
  const limit = Math.min(Math.max(wanted, LIMIT_ODDS_E4_MIN), LIMIT_ODDS_E4_MAX);
  const validUntilMs = rng.chance(0.6) ? NO_END : world.nowMs + rng.pick([0, 1, 500, rng.integer(0, 60_000)]);
  return {
    command: { ...command, expectedPercentE6: -1, limitOddsE4: limit, validUntilMs },
    gate: made.gate,
  };
}

/** Small, at a share that favours its side, beside an order on the other: both fit together at another share. */
function resting(world: World, rng: Rng, order: PlaceOrder): PlaceOrder {
  const rounds = roundsWithResting(world.state).filter(isQuoted);
  const round = rounds.length > 0 ? rng.pick(rounds) : (world.state.markets[order.market]?.current ?? null);
  if (round === null) return order;
  const side = 1 - (round.resting.at(-1)?.placed.side ?? order.side);
  const smallCents = Math.ceil((poolOf(round, 0) + poolOf(round, 1)) / 20);
  const stakeCents = Math.max(Math.min(order.stakeCents, smallCents), round.rules.minStakeCents);
  const farE6 = side === UP ? rng.integer(600_000, 900_000) : rng.integer(100_000, 400_000);
  const fairShareE6 = order.fairShareE6 < 0 ? order.fairShareE6 : farE6;
  return { ...order, market: round.market, side, stakeCents, fairShareE6 };
}

function limitOddsE4(
  rng: Rng,
  round: ReferenceRound,
  { side, stakeCents, fairShareE6 }: Pick<PlaceOrder, 'side' | 'stakeCents' | 'fairShareE6'>,
): number {
  const oddsE4 = oddsAt(round, side, stakeCents, Math.max(fairShareE6, 0));
  return rng.weighted<() => number>([
    [3, () => oddsE4],
    [3, () => oddsE4 + 1],
    [8, () => oddsE4 + rng.integer(1, 3_000)],
    [4, () => Math.ceil(oddsE4 / 1_000) * 1_000],
    [1, () => rng.integer(LIMIT_ODDS_E4_MIN, 60_000)],
  ])();
}

function oddsAt(round: ReferenceRound, side: number, stakeCents: number, shareE6: number): number {
  const pools = offeredPools(round, shareE6);
  return referenceOddsE4(pools[0] + pools[1] + stakeCents, must(pools[side], 'pool') + stakeCents);
}

export function cancelOrder(world: World, rng: Rng): Move | null {
  const { accounts, bets } = world.state;
  if (accounts.length === 0) return null;
  const resting = bets.filter((bet) => bet.round.resting.includes(bet));
  const chosen = resting.length > 0 && rng.chance(0.7) ? rng.pick(resting) : bets.at(-rng.integer(1, 8));
  const account = rng.chance(0.9) ? chosen?.placed.account : undefined;
  const command = {
    kind: 'cancelOrder',
    timeMs: world.nowMs,
    account: account ?? rng.integer(1, accounts.length),
    key: 1,
    bet: chosen?.placed.bet ?? 1,
  } as const;
  return { command, gate: gate(rng) };
}

export function cancelOrders(world: World, rng: Rng): Move | null {
  const { accounts, bets } = world.state;
  if (accounts.length === 0) return null;
  const resting = bets.filter((bet) => bet.round.resting.includes(bet));
  const chosen = resting.length > 0 && rng.chance(0.8) ? rng.pick(resting).placed : null;
  const command = {
    kind: 'cancelOrders',
    timeMs: world.nowMs,
    account: chosen?.account ?? rng.integer(1, accounts.length),
    key: 1,
    market: rng.chance(0.5) ? (chosen?.market ?? rng.pick(WORLD_MARKETS)) : null,
    side: rng.chance(0.5) ? (chosen?.side ?? rng.integer(0, 1)) : null,
    placedBy: rng.chance(0.4) ? rng.integer(1, 2) : null,
    ordersMax: rng.pick([1, 2, 100]),
  } as const;
  return { command, gate: gate(rng) };
}

export function setDeadman(world: World, rng: Rng): Move {
  const key = rng.integer(1, world.state.keys.length + 1);
  const command = { kind: 'setDeadman', timeMs: world.nowMs, key, seconds: rng.pick([0, 1, 300]) } as const;
  return { command, gate: gate(rng) };
}

/** The share at which the order just gets the odds that it names, or one that also fits others on its side. */
function fillingShare(rng: Rng, round: ReferenceRound, { placed, limitOddsE4 }: ReferenceBet): number {
  let [best, worst] = placed.side === UP ? [0, 1_000_000] : [1_000_000, 0];
  while (Math.abs(best - worst) > 1) {
    const middle = Math.floor((best + worst) / 2);
    if (oddsAt(round, placed.side, placed.stakeCents, middle) >= limitOddsE4) best = middle;
    else worst = middle;
  }
  const more = rng.pick([0, rng.integer(0, 200_000)]);
  return Math.min(Math.max(placed.side === UP ? best - more : best + more, 0), 1_000_000);
}

export const roundsWithResting = ({ markets }: ReferenceState): ReferenceRound[] =>
  markets.flatMap(({ current }) => (current !== null && current.resting.length > 0 ? [current] : []));

export function fillOrders(world: World, rng: Rng): Command {
  const rounds = roundsWithResting(world.state);
  const round = rounds.length > 0 && rng.chance(0.95) ? rng.pick(rounds) : null;
  const market = round?.market ?? rng.pick(WORLD_MARKETS);
  const isWandering = round === null || rng.chance(0.3);
  const fairShareE6 = isWandering
    ? fairShare(world, market)
    : fillingShare(rng, round, rng.pick(round.resting));
  const ordersMax = rng.pick([1, 2, 100]);
  return { kind: 'fillOrders', timeMs: world.nowMs, market, fairShareE6, ordersMax };
}

export const expireOrders = (world: World, rng: Rng): Command => ({
  kind: 'expireOrders',
  timeMs: world.nowMs,
  ordersMax: rng.pick([1, 2, 100]),
});

const gate = (rng: Rng): ErrorCode | null => (rng.chance(0.02) ? rng.pick(GATES) : null);

/** Wanders from bet to bet, now and then to the ends, and is seldom missing. */
function fairShare(world: World, market: number): number {
  const rng = world.quoteRng;
  const last = world.fairShares.get(market) ?? 500_000;
  const share = rng.weighted<() => number>([
    [6, () => last],
    [6, () => Math.min(Math.max(last + rng.integer(-100_000, 100_000), 0), 1_000_000)],
    [1, () => rng.pick([0, 1, 19_999, 20_000, 980_000, 1_000_000])],
    [1, () => rng.integer(0, 1_000_000)],
  ])();
  world.fairShares.set(market, share);
  const round = world.state.markets[market]?.current ?? null;
  // Where seeds are fixed, there is never a share, and no other reason for that.
  const reasons = round !== null && isQuoted(round) ? NO_SHARE_CODES.length : 1;
  return rng.chance(0.02) ? -rng.integer(1, reasons) : share;
}

interface Wish {
  readonly round: ReferenceRound;
  readonly account: number;
  readonly side: number;
  readonly fairShareE6: number;
}

function stake(world: World, rng: Rng, { round, account, side, fairShareE6 }: Wish): number {
  const { balanceCents, tier } = must(accountOf(world.state, account), 'account');
  const tierMaxCents = must(rulesOf(world.state).tiers[tier], 'tier').maxStakeCents;
  const minCents = round.rules.minStakeCents;
  const maxCents = Math.max(minCents, Math.min(balanceCents, tierMaxCents, round.rules.maxStakeCents));
  const near = rng.integer(-1, 1);
  const stakeCents = rng.weighted<() => number>([
    [6, () => rng.integer(minCents, 300_00)],
    [4, () => rng.integer(minCents, maxCents)],
    [5, () => exposureLimit(round, side, fairShareE6) + rng.integer(0, 1)],
    [1, () => minCents + near],
    [1, () => round.rules.maxStakeCents + near],
    [1, () => tierMaxCents + near],
    [1, () => balanceCents + near],
  ])();
  return rng.chance(0.12) ? stakeCents : Math.min(Math.max(stakeCents, minCents), maxCents);
}

/** The largest stake, or one of the largest, that the side can take now without the round's coming to owe too much. */
function exposureLimit(round: ReferenceRound, side: number, fairShareE6: number): number {
  const share = Math.max(fairShareE6, 0);
  const pools = offeredPools(round, share);
  const [own, other] = side === 0 ? pools : [pools[1], pools[0]];
  const owedCents = payoutsOn(round, side);
  const fits = (stakeCents: number): boolean => {
    const odds = referenceOddsE4(own + other + stakeCents, own + stakeCents);
    const payoutCents = referencePayoutCents(stakeCents, odds, round.feeBps);
    if (owedCents + payoutCents > own + other + stakeCents) return false;
    return !isQuoted(round) || edgeOfRound(round) + edgeOf(side, stakeCents, payoutCents, share) >= 0n;
  };
  let low = 1;
  let high = 2;
  while (fits(high) && high < 100_000_000_00) high *= 2;
  while (low < high - 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function expectedPercent(rng: Rng, round: ReferenceRound, side: number, fairShareE6: number): number {
  const [upCents, downCents] = offeredPools(round, Math.max(fairShareE6, 0));
  const publishedE6 = referencePercentE2(side, upCents, downCents) * 10_000;
  const toleranceE6 = round.slippageE2 * 10_000;
  const direction = rng.pick([-1, 1]);
  const expectedE6 = rng.weighted<() => number>([
    [8, () => -1],
    [2, () => publishedE6],
    [2, () => publishedE6 + direction * toleranceE6],
    [1, () => publishedE6 + direction * (toleranceE6 + 1)],
    [1, () => rng.integer(0, 100_000_000)],
  ])();
  return expectedE6 < 0 || expectedE6 > 100_000_000 ? -1 : expectedE6;
}

function idempotency(world: World, rng: Rng): IdempotencyDigest | null {
  if (rng.chance(0.4)) return null;
  const known = world.state.idempotency;
  if (known.length > 0 && rng.chance(0.12)) {
    const { keyHigh, keyLow, body } = rng.pick(known);
    return { keyHigh, keyLow, body: rng.chance(0.5) ? body : body + 1 };
  }
  world.counter += 1;
  return { keyHigh: 0xffff_ffff_ff00 + (world.counter % 3), keyLow: world.counter, body: rng.integer(0, 2) };
}

/** An earlier order, sent again with its key, by its account or by another one. */
function repeated(world: World, rng: Rng): PlaceOrder | null {
  if (world.state.idempotency.length === 0) return null;
  const { event, keyHigh, keyLow, body } = rng.pick(world.state.idempotency.slice(-8));
  const { market, side, stakeCents, clientSeed } = event;
  const account = rng.chance(0.9) ? event.account : rng.integer(1, world.state.accounts.length);
  const idempotency = { keyHigh, keyLow, body: rng.chance(0.8) ? body : body + 1 };
  const facts = { timeMs: world.nowMs, account, key: 2, market, side, stakeCents };
  return plainOrder({ ...facts, idempotency, clientSeed });
}
