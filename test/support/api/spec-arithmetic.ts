/**
 * The specification's and the design's arithmetic in BigInt, from published numbers alone, as a distrustful client
 * computes it (specification, section 1; design, section 2).
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Bet, Market, RoundDetail } from './spec.js';

/** A published amount in cents; fails where it has more than two decimals. */
export function cents(dollars: number): bigint {
  return scaled(dollars, 2);
}

/** A published number times 10^decimals; fails where it has more decimals than that. */
export function scaled(value: number, decimals: number): bigint {
  const [whole = '', fraction = ''] = Math.abs(value).toFixed(decimals).split('.');
  const digits = BigInt(whole + fraction);
  assert.equal(Number(digits) / 10 ** decimals, Math.abs(value), `${value} has at most ${decimals} decimals`);
  return value < 0 ? -digits : digits;
}

/** totalPool / sidePool in 1e-4, rounded down. */
export const oddsE4 = (total: bigint, side: bigint): bigint => (total * 10_000n) / side;

/** UP's share in hundredths of a percent, rounded half up. */
export const percentUpE2 = (up: bigint, total: bigint): bigint => (up * 20_000n + total) / (2n * total);

/** amount * oddsAtBet * 0.97 in cents, rounded down. */
export const payoutCents = (amount: bigint, odds: bigint): bigint => (amount * odds * 97n) / 1_000_000n;

/** The odds and percents of a market that has pools follow from its pools. */
export function checkMarketArithmetic(market: Market): void {
  const up = cents(market.poolUp);
  const down = cents(market.poolDown);
  assert.equal(cents(market.totalPool), up + down, `${market.id}: totalPool`);
  if (up + down === 0n) return;
  assert.equal(scaled(market.oddsUp, 4), oddsE4(up + down, up), `${market.id}: oddsUp`);
  assert.equal(scaled(market.oddsDown, 4), oddsE4(up + down, down), `${market.id}: oddsDown`);
  assert.equal(scaled(market.percentUp, 2), percentUpE2(up, up + down), `${market.id}: percentUp`);
  assert.equal(
    scaled(market.percentDown, 2),
    10_000n - scaled(market.percentUp, 2),
    `${market.id}: percentDown`,
  );
}

/** A bet's odds, percent and payout follow from the pools before it and its amount. */
export function checkBetArithmetic(bet: Bet, before: Market): void {
  const amount = cents(bet.amount);
  const isUp = bet.prediction === 'UP';
  const up = cents(before.poolUp) + (isUp ? amount : 0n);
  const down = cents(before.poolDown) + (isUp ? 0n : amount);
  const odds = oddsE4(up + down, isUp ? up : down);
  const upE2 = percentUpE2(up, up + down);
  assert.equal(scaled(bet.oddsAtBet, 4), odds, `${bet.id}: oddsAtBet`);
  assert.equal(scaled(bet.entryPercent, 2), isUp ? upE2 : 10_000n - upE2, `${bet.id}: entryPercent`);
  assert.equal(cents(bet.potentialPayout), payoutCents(amount, odds), `${bet.id}: potentialPayout`);
}

/** The provably-fair hash of a bet from what the API has published (docs/api.md). */
export function betHash(
  bet: Bet,
  clientSeed: string | null,
  round: Pick<RoundDetail, 'id' | 'seed'>,
): string {
  const fields = [
    'tote-bet-1',
    round.seed ?? '',
    round.id,
    bet.id,
    bet.prediction,
    `${cents(bet.amount)}`,
    `${scaled(bet.oddsAtBet, 4)}`,
    `${scaled(bet.entryPercent, 2)}`,
    `${cents(bet.potentialPayout)}`,
    bet.placedAt,
    ...(clientSeed === null ? [] : [clientSeed]),
  ];
  const hash = createHash('sha256');
  for (const field of fields) hash.update(`${Buffer.byteLength(field)}:${field}`);
  return hash.digest('hex');
}
