/** One time frame: the same rounds for every strategy, what the house makes of each, and intervals that can be trusted. */
import { must } from '../../engine/base/assert.js';
import { marketOf, TIME_FRAME_MS, TIME_FRAMES, type TimeFrame } from '../../engine/model/domain.js';
import { defaultRules, type HouseRules, type Rules } from '../../engine/model/rules.js';
import { Market, type RoundResult, recordRounds, type Strategy, type Tape } from './market.js';
import { RestlessPath } from './prices.js';

export interface Study {
  readonly frame: TimeFrame;
  readonly rounds: number;
  readonly seed: number;
  /** What differs from the default way to quote. */
  readonly house: Partial<HouseRules>;
}

const ASSET = 'BTC';

/** The default rules with this one market, and its house's way to quote. */
function rulesOf({ frame, house }: Study): Rules {
  const rules = defaultRules('0'.repeat(64));
  const markets = rules.markets
    .filter(({ marketId }) => marketId === `${ASSET}_${frame}`)
    .map((market) => ({ ...market, house: { ...market.house, ...house } }));
  return { ...rules, markets };
}

export function record(study: Study): Tape[] {
  const { frame, rounds, seed } = study;
  const rules = rulesOf(study);
  const frameMs = must(TIME_FRAME_MS[TIME_FRAMES.indexOf(frame)], 'time frame');
  const closedMs = must(rules.markets[0], 'the market').lockLeadMs + rules.cutoffMs;
  // Rounds of a day have fewer ticks, or thousands of them would take too long.
  const path = new RestlessPath(seed, ASSET, frame === 'ONE_DAY' ? 1_000 : 250);
  return recordRounds(path, ASSET, frameMs, closedMs, rounds);
}

/** What the house makes of a strategy on these rounds. */
export function playAll(study: Study, tapes: readonly Tape[], strategy: Strategy): RoundResult[] {
  const market = new Market(rulesOf(study), marketOf(`${ASSET}_${study.frame}`));
  return tapes.map((tape) => market.play(tape, strategy));
}

/** Rounds of one batch share the volatility of their hours; batches hardly do. */
const BATCHES = 40;
/** Two-sided, 95 %, 39 degrees of freedom. */
const STUDENT_T = 2.023;

export interface Figures {
  /** The house's profit a round, in USD, and half of its 95 % interval. */
  readonly profit: number;
  readonly interval: number;
  readonly worst: number;
  /** Profit of what was staked. */
  readonly margin: number;
  /** USD and bets a round. */
  readonly staked: number;
  readonly bets: number;
  readonly refusedShare: number;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function figuresOf(results: readonly RoundResult[]): Figures {
  const profits = results.map(({ houseCents }) => houseCents / 100);
  const staked = sum(results.map(({ stakedCents }) => stakedCents)) / 100;
  const bets = sum(results.map((result) => result.bets));
  const refused = sum(results.map((result) => result.refused));
  return {
    profit: sum(profits) / profits.length,
    interval: halfInterval(profits),
    worst: Math.min(...profits),
    margin: staked === 0 ? 0 : sum(profits) / staked,
    staked: staked / results.length,
    bets: bets / results.length,
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
