/**
 * The reference model of the house's quote: how it splits its seeds, and what a round may come to owe. It looks at
 * every bet of the round each time, and shares no arithmetic with the engine.
 */
import { must } from '../../../engine/base/assert.js';
import type { BetPlaced } from '../../../engine/model/events.js';
import type { HouseRules } from '../../../engine/model/rules.js';
import { poolOf, type ReferenceRound, stakesOn } from './state.js';

const MILLION = 1_000_000n;

export const isQuoted = (round: ReferenceRound): boolean => round.rules.house.policy === 'fair';

export function payoutsOn(round: ReferenceRound, side: number): number {
  return round.bets
    .filter((bet) => bet.placed.side === side)
    .reduce((sum, bet) => sum + bet.placed.payoutCents, 0);
}

/** UP and DOWN as the house offers them at this fair share. */
export function offeredPools(round: ReferenceRound, fairShareE6: number): [number, number] {
  const totalCents = poolOf(round, 0) + poolOf(round, 1);
  const upCents = isQuoted(round) ? stakesOn(round, 0) + upSeedAt(round, fairShareE6) : poolOf(round, 0);
  return [upCents, totalCents - upCents];
}

export interface Quoted {
  readonly fairShareE6: number;
  readonly owedUp: bigint;
  readonly owedDown: bigint;
  readonly edge: bigint;
  readonly feeBps: number;
  readonly house: Pick<HouseRules, 'seedCents' | 'shadeE6' | 'clampE6'>;
}

/** UP's share, in millionths. Where the house owes less, the bettor is offered more. */
export function offeredShareE6(quoted: Quoted): bigint {
  const { owedUp, owedDown, edge, feeBps, house } = quoted;
  const seed = BigInt(house.seedCents);
  const shadeE6 = BigInt(house.shadeE6);
  const clamp = BigInt(house.clampE6);
  const kept = BigInt(10_000 - feeBps);
  const isUp = owedUp < owedDown;
  const fair = isUp ? BigInt(quoted.fairShareE6) : MILLION - BigInt(quoted.fairShareE6);
  const middle = (fair * kept) / 10_000n + BigInt(feeBps) * 50n;
  const shaded = middle - ((isUp ? owedDown - owedUp : owedUp - owedDown) * shadeE6) / (2n * seed);
  const worth = roundedUp(fair * kept, 10_000n);
  const fitting = (seed * 11n) / 10n;
  const bearable = roundedUp(worth * fitting, fitting + edge);
  const least = bearable < middle ? bearable : middle;
  const cheap = shaded > least ? shaded : least;
  const offered = cheap < clamp ? clamp : cheap > MILLION - clamp ? MILLION - clamp : cheap;
  return isUp ? offered : MILLION - offered;
}

const roundedUp = (a: bigint, b: bigint): bigint => (a + b - 1n) / b;

/** The most seeds on UP with which its share is not above the one wanted; each side keeps a cent. */
function upSeedOf(quoted: Quoted, stakesUpCents: number, totalCents: number): number {
  const wanted = offeredShareE6(quoted);
  const total = BigInt(totalCents);
  const isAbove = (upSeed: number): boolean => BigInt(stakesUpCents + upSeed) * MILLION > wanted * total;
  let low = 1;
  let high = 2 * quoted.house.seedCents;
  while (low < high - 1) {
    const middle = Math.floor((low + high) / 2);
    if (isAbove(middle)) high = middle;
    else low = middle;
  }
  return low;
}

export function upSeedAt(round: ReferenceRound, fairShareE6: number): number {
  const quoted: Quoted = {
    fairShareE6,
    owedUp: BigInt(payoutsOn(round, 0)),
    owedDown: BigInt(payoutsOn(round, 1)),
    edge: edgeOfRound(round),
    feeBps: round.feeBps,
    house: round.rules.house,
  };
  return upSeedOf(quoted, stakesOn(round, 0), poolOf(round, 0) + poolOf(round, 1));
}

/** One bet's average earnings at this fair share of UP, rounded down to the cent. */
export function edgeOf(side: number, stakeCents: number, payoutCents: number, fairShareE6: number): bigint {
  const share = side === 0 ? BigInt(fairShareE6) : MILLION - BigInt(fairShareE6);
  const worth = BigInt(payoutCents) * share;
  return BigInt(stakeCents) - roundedUp(worth, MILLION);
}

export const edgeOfRound = (round: ReferenceRound): bigint =>
  round.bets.reduce(
    (sum, { placed }) => sum + edgeOf(placed.side, placed.stakeCents, placed.payoutCents, placed.fairShareE6),
    0n,
  );

/**
 * Pool and edge bear a bet of this stake and of every smaller one, be it of parts of a cent, its odds not rounded: what it
 * leaves is a square function of the stake, which may fall below 0 before it rises.
 */
export function isAvailable(round: ReferenceRound, bet: BetPlaced, fairShareE6: number): boolean {
  const pools = offeredPools(round, fairShareE6);
  const total = BigInt(pools[0] + pools[1]);
  const own = BigInt(must(pools[bet.side], 'pool'));
  const stake = BigInt(bet.stakeCents);
  const bears = (spare: bigint, worth: bigint, whole: bigint): boolean => {
    const square = whole - worth;
    const linear = whole * (spare + own) - worth * total;
    const constant = whole * spare * own;
    const isPastLeast = linear < 0n && 2n * square * stake > -linear;
    if (isPastLeast) return linear * linear < 4n * square * constant;
    return square * stake * stake + linear * stake + constant >= 0n;
  };
  const kept = BigInt(10_000 - round.feeBps);
  if (!bears(total - BigInt(payoutsOn(round, bet.side)), kept, 10_000n)) return false;
  const share = BigInt(bet.side === 0 ? fairShareE6 : 1_000_000 - fairShareE6);
  return !isQuoted(round) || bears(edgeOfRound(round), kept * share, 10_000n * MILLION);
}
