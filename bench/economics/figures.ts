/** Means with intervals that hold where rounds after each other are alike. */
import type { RoundResult } from './desk.js';

/** Rounds of one batch share the volatility of their hours; batches hardly do. */
const BATCHES = 40;
/** Two-sided, 95 %, 39 degrees of freedom. */
const STUDENT_T = 2.023;

export interface Figures {
  readonly rounds: number;
  /** The house's profit a round, in USD, and half of its 95 % interval. */
  readonly profit: number;
  readonly interval: number;
  readonly worst: number;
  /** Profit of what was staked. */
  readonly margin: number;
  readonly stakedPerRound: number;
  readonly betsPerRound: number;
  readonly refusedShare: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function figuresOf(results: readonly RoundResult[]): Figures {
  const profits = results.map(({ houseCents }) => houseCents / 100);
  const profit = sum(profits) / profits.length;
  const staked = sum(results.map(({ stakedCents }) => stakedCents)) / 100;
  const bets = sum(results.map((result) => result.bets));
  const refused = sum(results.map((result) => result.refused));
  return {
    rounds: results.length,
    profit,
    interval: halfInterval(profits),
    worst: Math.min(...profits),
    margin: staked === 0 ? 0 : sum(profits) / staked,
    stakedPerRound: staked / results.length,
    betsPerRound: bets / results.length,
    refusedShare: bets + refused === 0 ? 0 : refused / (bets + refused),
  };
}

/** Half of the 95 % interval of the mean, from the means of batches. */
function halfInterval(values: readonly number[]): number {
  const size = Math.floor(values.length / BATCHES);
  if (size === 0) return Number.POSITIVE_INFINITY;
  const means = Array.from(
    { length: BATCHES },
    (_, batch) => sum(values.slice(batch * size, (batch + 1) * size)) / size,
  );
  const mean = sum(means) / BATCHES;
  const variance = sum(means.map((value) => (value - mean) ** 2)) / (BATCHES - 1);
  return STUDENT_T * Math.sqrt(variance / BATCHES);
}
