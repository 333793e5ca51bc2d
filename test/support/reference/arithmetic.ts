/**
 * The rules of money written once more, word for word, in BigInt: the reference model must not share a line of
 * arithmetic with the engine that it checks.
 */

/** totalPool / sidePool as whole 1e-4, rounded down. */
export function referenceOddsE4(totalCents: number, sideCents: number): number {
  return Number((BigInt(totalCents) * 10_000n) / BigInt(sideCents));
}

/** In hundredths of a percent, rounded half up. */
export function referencePercentUpE2(upCents: number, downCents: number): number {
  const totalCents = BigInt(upCents) + BigInt(downCents);
  const doubled = (BigInt(upCents) * 20_000n) / totalCents;
  // One more bit than the result needs: the half decides, and a half goes up.
  return Number((doubled + 1n) / 2n);
}

/** `side` 0 is UP. DOWN is the rest of 100 percent. */
export function referencePercentE2(side: number, upCents: number, downCents: number): number {
  const up = referencePercentUpE2(upCents, downCents);
  return side === 0 ? up : 10_000 - up;
}

/** Amount times published odds less the fee, rounded down to the cent. */
export function referencePayoutCents(stakeCents: number, oddsE4: number, feeBps: number): number {
  return Number((BigInt(stakeCents) * BigInt(oddsE4) * BigInt(10_000 - feeBps)) / 100_000_000n);
}
