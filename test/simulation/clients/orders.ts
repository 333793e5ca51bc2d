/** Orders as clients write them: sensible ones, ones at every limit, and ones that are no orders at all. */
import { marketOf, timeFrameMs } from '../../../engine/model/domain.js';
import type { MarketRules } from '../../../engine/model/rules.js';
import type { OrderRequest } from '../../support/api/spec.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { ClientRequest } from '../machine/network.js';
import type { ClientWorld } from './client-world.js';

export interface OrderBody extends OrderRequest {
  readonly prediction: 'UP' | 'DOWN';
  readonly limitOdds?: number;
}

export function somebodysMarket(world: ClientWorld, rng: Rng): MarketRules {
  return rng.pick(world.rules().markets);
}

/** By the clock; null if the client finds no market that takes bets. */
function openMarket(world: ClientWorld, rng: Rng): MarketRules | null {
  const { nowMs } = world.scheduler;
  for (let i = 0; i < 3; i++) {
    const market = somebodysMarket(world, rng);
    const frameMs = timeFrameMs(marketOf(market.marketId));
    const leftMs = frameMs - (nowMs % frameMs) - market.lockLeadMs - world.rules().cutoffMs;
    if (leftMs > 0) return market;
  }
  return null;
}

export function timelyOrder(world: ClientWorld, rng: Rng): OrderBody | null {
  const market = openMarket(world, rng);
  if (market === null) return rng.chance(0.1) ? sensibleOrder(world, rng) : null;
  return sensibleOrder(world, rng, market);
}

export function sensibleOrder(world: ClientWorld, rng: Rng, market = somebodysMarket(world, rng)): OrderBody {
  return {
    marketId: market.marketId,
    prediction: rng.pick(['UP', 'DOWN'] as const),
    amount: amountOf(market, rng),
    ...(rng.chance(0.15) && { expectedPercent: rng.chance(0.8) ? rng.integer(40, 60) : rng.integer(0, 100) }),
    ...(rng.chance(0.1) && guards(world, rng, market)),
    ...(rng.chance(0.1) && { clientSeed: rng.pick(['a', 'saat', 'é'.repeat(60), `${rng.next()}`]) }),
  };
}

/** Mostly such as the order meets if it arrives soon. */
function guards(
  { scheduler: { nowMs } }: ClientWorld,
  rng: Rng,
  { marketId }: MarketRules,
): Partial<OrderBody> {
  const round = Math.floor(nowMs / timeFrameMs(marketOf(marketId)));
  return {
    ...(rng.chance(0.6) && { roundId: `${marketId}_${round - (rng.chance(0.2) ? 1 : 0)}` }),
    ...(rng.chance(0.6) && { validUntil: new Date(nowMs + rng.integer(-5, 200)).toISOString() }),
    ...(rng.chance(0.6) && { minOdds: rng.pick([1, 1.2, 1.5, 1.9, 2.5]) }),
  };
}

/** Mostly small, sometimes exactly at a limit or a cent beyond it. */
function amountOf({ minStakeCents, maxStakeCents }: MarketRules, rng: Rng): number {
  const cents = rng.weighted([
    [50, Math.min(minStakeCents + rng.integer(0, 8_00), maxStakeCents)],
    [5, minStakeCents],
    [1, Math.max(1, minStakeCents - 1)],
    [1, maxStakeCents],
    [1, maxStakeCents + 1],
    [2, rng.pick([30_00, 60_00, 90_00, 30_01, 1_000_00])],
  ]);
  return cents / 100;
}

export function badBody(world: ClientWorld, rng: Rng): string {
  const order = sensibleOrder(world, rng);
  return rng.pick([
    '',
    '{',
    '[]',
    'null',
    JSON.stringify({ ...order, amount: -1 }),
    JSON.stringify({ ...order, amount: 1.005 }),
    JSON.stringify({ ...order, amount: '5' }),
    JSON.stringify({ ...order, prediction: 'SIDEWAYS' }),
    JSON.stringify({ ...order, expectedPercent: 101 }),
    JSON.stringify({ ...order, expectedPercnt: 50 }),
    JSON.stringify({ ...order, clientSeed: 'x'.repeat(129) }),
    JSON.stringify({ marketId: order.marketId }),
    `${JSON.stringify(order).slice(0, -1)},"amount":1e999}`,
  ]);
}

export function orderRequest(
  secret: string,
  body: OrderBody | string,
  idempotencyKey: string | null,
  address: string,
): ClientRequest {
  return {
    port: 'public',
    method: 'POST',
    path: '/v1/orders',
    apiKey: secret,
    idempotencyKey,
    address,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    contentType: 'application/json',
  };
}

/** A market's round changes at these instants: bots race for them. */
export function instantsOf(
  world: ClientWorld,
  { marketId, lockLeadMs }: MarketRules,
  nowMs: number,
): number[] {
  const frameMs = timeFrameMs(marketOf(marketId));
  const endMs = (Math.floor(nowMs / frameMs) + 1) * frameMs;
  const lockMs = endMs - lockLeadMs;
  const closesMs = lockMs - world.rules().cutoffMs;
  return [closesMs, closesMs, lockMs, endMs].filter((atMs) => atMs > nowMs + 5);
}
