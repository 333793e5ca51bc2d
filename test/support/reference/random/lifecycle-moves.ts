import { must } from '../../../../engine/base/assert.js';
import type { Command } from '../../../../engine/model/commands.js';
import { assetOf, LOCKED, timeFrameMs, UPCOMING } from '../../../../engine/model/domain.js';
import type { PriceEstimate } from '../../../../engine/model/prices.js';
import type { ReferenceRound } from '../state.js';
import { marketRulesOf, rulesOf } from '../state.js';
import type { Rng } from './rng.js';
import { WORLD_ASSETS, WORLD_MARKETS, type World } from './world.js';

const currentRounds = (world: World): ReferenceRound[] =>
  world.state.markets.flatMap(({ current }) => (current === null ? [] : [current]));

/** By a little, to an instant at which something changes, or over a downtime. */
export function passTime(world: World, rng: Rng): null {
  const frameMs = timeFrameMs(rng.pick(WORLD_MARKETS));
  const atMs = rng.weighted<() => number>([
    [10, () => world.nowMs + rng.integer(0, 50)],
    [8, () => world.nowMs + rng.integer(0, 4_000)],
    [8, () => rng.pick(instants(world)) + rng.integer(-1, 1)],
    [1, () => world.nowMs + rng.integer(1, 3 * frameMs)],
    [1, () => (Math.floor(world.nowMs / frameMs) + rng.integer(1, 3)) * frameMs + rng.integer(-1, 1)],
  ])();
  world.nowMs = Math.max(world.nowMs, atMs);
  return null;
}

function instants(world: World): number[] {
  const rules = rulesOf(world.state);
  const ofRounds = currentRounds(world).flatMap((round) => [
    round.bettingClosesMs,
    round.lockTimeMs,
    round.endTimeMs,
    round.bettingClosesMs - rules.lateOpenBettingMs,
  ]);
  const ofVacant = rules.markets.map((market, index) => {
    const frameMs = timeFrameMs(must(WORLD_MARKETS[index % WORLD_MARKETS.length], 'market'));
    const endMs = (Math.floor(world.nowMs / frameMs) + 1) * frameMs;
    return endMs - market.lockLeadMs - rules.cutoffMs - rules.lateOpenBettingMs;
  });
  const ofEntries = world.state.idempotency.slice(-5).map((entry) => entry.timeMs + rules.idempotencyTtlMs);
  const ofKeys = world.state.keys.flatMap((key) => (key.expiresAtMs === null ? [] : [key.expiresAtMs]));
  const all = [...ofRounds, ...ofRounds, ...ofVacant, ...ofEntries, ...ofKeys];
  const toCome = all.filter((atMs) => atMs >= world.nowMs);
  return toCome.length === 0 ? [world.nowMs + 1_000] : toCome;
}

/** `[asset, boundaryMs]` for which rounds wait, to be closed or to be opened. */
export function awaitedBoundaries(world: World): (readonly [number, number])[] {
  const closing = world.state.settling
    .filter((round) => round.resolvedAtMs === null)
    .map((round) => [assetOf(round.market), round.endTimeMs] as const);
  const opening = currentRounds(world)
    .filter((round) => round.status === UPCOMING)
    .map((round) => [assetOf(round.market), round.startTimeMs] as const);
  return [...closing, ...opening];
}

export function boundaryPrice(world: World, rng: Rng): Command {
  const awaited = awaitedBoundaries(world);
  const [asset, boundaryMs] =
    awaited.length > 0 && rng.chance(0.95)
      ? rng.pick(awaited)
      : [rng.pick(WORLD_ASSETS), Math.floor(world.nowMs / 60_000) * 60_000];
  const ageMs = rng.weighted([
    [8, rng.integer(0, 900)],
    [2, rng.pick([0, 3_000, 10_000])],
    [1, rng.pick([1, 3_001, 10_001])],
    [1, 60_000],
  ]);
  const isKnown = rng.chance(0.95);
  return {
    kind: 'boundaryPrice',
    timeMs: world.nowMs,
    asset,
    boundaryMs,
    price: isKnown ? nextPrice(world, rng, asset) : null,
    priceTimeMs: isKnown ? boundaryMs - ageMs : null,
    source: null,
    evidence: rng.pick(['', 'test', 'näher "beschrieben"']),
    ...(rng.chance(0.7) ? { estimate: anyEstimate(rng) } : {}),
  };
}

const anyEstimate = (rng: Rng): PriceEstimate => ({
  fast: rng.next() / 1e12,
  slow: rng.next() / 1e12,
  products: rng.next() - 0.5,
  squares: rng.next(),
  changes: rng.next() * 1e6,
  intervals: rng.next() * 1e9,
  intervalSquares: rng.next() * 1e12,
  leastNow: rng.next(),
  leastBefore: rng.pick([0, 0.01, rng.next()]),
  changesNow: rng.integer(0, 63),
});

/** Stays the same often enough for draws. */
function nextPrice(world: World, rng: Rng, asset: number): number {
  const price = world.price(asset) * (rng.chance(0.2) ? 1 : 1 + (rng.next() - 0.5) / 50);
  world.prices.set(asset, price);
  return price;
}

export function openLate(world: World, rng: Rng): Command {
  const asset = rng.pick(WORLD_ASSETS);
  const market = rng.pick(WORLD_MARKETS.filter((one) => assetOf(one) === asset));
  const maxAgeMs = marketRulesOf(world.state, market)?.maxPriceAgeMs ?? 10_000;
  const ageMs = rng.pick([0, 0, rng.integer(0, maxAgeMs), maxAgeMs, maxAgeMs + 1]);
  const opening = { asset, price: nextPrice(world, rng, asset), priceTimeMs: world.nowMs - ageMs };
  return { kind: 'openLate', timeMs: world.nowMs, ...opening, source: null, evidence: 'test' };
}

/** Rounds whose bets are final and that have no root. */
export const rootless = ({ state }: World): ReferenceRound[] =>
  [
    ...state.markets.flatMap(({ current }) => (current?.status === LOCKED ? [current] : [])),
    ...state.settling,
  ].filter(({ rootBy }) => rootBy === null);

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');

export function publishRoot(world: World, rng: Rng): Command {
  const settled = world.state.markets.flatMap((market) => market.settledRounds.slice(-2));
  const unknown = { market: rng.pick(WORLD_MARKETS), roundNumber: rng.integer(0, 40_000_000), bets: [] };
  const locked = rootless(world);
  const round =
    locked.length > 0 && rng.chance(0.9)
      ? rng.pick(locked)
      : rng.pick([unknown, ...currentRounds(world), ...settled]);
  return {
    kind: 'publishRoot',
    timeMs: world.nowMs,
    market: round.market,
    roundNumber: round.roundNumber,
    merkleRoot: hex(rng.integer(0, 2 ** 48), 64),
    treeSize: round.bets.length + (rng.chance(0.95) ? 0 : 1),
    keyId: hex(rng.integer(0, 2 ** 48), 16),
    signature: hex(rng.integer(0, 2 ** 48), 128),
  };
}

export const settle = (world: World, rng: Rng): Command => ({
  kind: 'settle',
  timeMs: world.nowMs,
  betsMax: rng.pick([1, 1, 2, 3, 7, 1_000]),
});

export const advance = (world: World): Command => ({ kind: 'advance', timeMs: world.nowMs });

export function voidRound(world: World, rng: Rng): Command {
  const settled = world.state.markets.flatMap((market) => market.settledRounds.slice(-6));
  const unknown = { market: rng.pick(WORLD_MARKETS), roundNumber: rng.integer(0, 40_000_000) };
  const { market, roundNumber } = rng.weighted<() => { market: number; roundNumber: number }>([
    [5, () => rng.pick([unknown, ...currentRounds(world)])],
    [3, () => rng.pick([unknown, ...world.state.settling])],
    [2, () => rng.pick([unknown, ...settled])],
  ])();
  const reason = rng.pick(['', 'feed broke']);
  return { kind: 'voidRound', timeMs: world.nowMs, market, roundNumber, reason };
}
