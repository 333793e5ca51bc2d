/**
 * The reference model of the house's quote (design, section 2): how it splits its seeds, and what a round may come to
 * owe. It looks at every bet of the round each time, and shares no arithmetic with the engine.
 */
import { houseOf } from '../../../engine/model/rules.js';
import { poolOf, type ReferenceRound, stakesOn } from './state.js';

const MILLION = 1_000_000n;

export const isQuoted = (round: ReferenceRound): boolean => houseOf(round.rules).policy === 'fair';

export function payoutsOn(round: ReferenceRound, side: number): number {
  return round.bets
    .filter((bet) => bet.placed.side === side)
    .reduce((sum, bet) => sum + bet.placed.payoutCents, 0);
}

/** The pools of UP and DOWN as the house offers them at this fair share. */
export function offeredPools(round: ReferenceRound, fairShareE6: number): [number, number] {
  const totalCents = poolOf(round, 0) + poolOf(round, 1);
  const upCents = isQuoted(round) ? stakesOn(round, 0) + upSeedAt(round, fairShareE6) : poolOf(round, 0);
  return [upCents, totalCents - upCents];
}

/** The most seeds on UP with which its share is not above the one wanted; each side keeps a cent. */
export function upSeedAt(round: ReferenceRound, fairShareE6: number): number {
  const { seedCents, shadeE6, clampE6 } = houseOf(round.rules);
  const total = BigInt(poolOf(round, 0) + poolOf(round, 1));
  // A quotient of BigInts is rounded towards 0: the shade is the same for either side.
  const moreOnUp = BigInt(payoutsOn(round, 0)) - BigInt(payoutsOn(round, 1));
  const shaded = BigInt(fairShareE6) + (moreOnUp * BigInt(shadeE6)) / BigInt(2 * seedCents);
  const [least, most] = [BigInt(clampE6), MILLION - BigInt(clampE6)];
  const wanted = shaded < least ? least : shaded > most ? most : shaded;
  const isAbove = (upSeed: number): boolean => BigInt(stakesOn(round, 0) + upSeed) * MILLION > wanted * total;
  let low = 1;
  let high = 2 * seedCents;
  while (low < high - 1) {
    const middle = Math.floor((low + high) / 2);
    if (isAbove(middle)) high = middle;
    else low = middle;
  }
  return low;
}

/** What one bet earns on average where UP's fair share is this, rounded down to the cent. */
export function edgeOf(side: number, stakeCents: number, payoutCents: number, fairShareE6: number): bigint {
  const share = side === 0 ? BigInt(fairShareE6) : MILLION - BigInt(fairShareE6);
  const worth = BigInt(payoutCents) * share;
  const roundedUp = worth % MILLION === 0n ? worth / MILLION : worth / MILLION + 1n;
  return BigInt(stakeCents) - roundedUp;
}

/** What the round's bets earn on average, each at its own fair share. */
export const edgeOfRound = (round: ReferenceRound): bigint =>
  round.bets.reduce(
    (sum, { placed }) => sum + edgeOf(placed.side, placed.stakeCents, placed.payoutCents, placed.fairShareE6),
    0n,
  );
