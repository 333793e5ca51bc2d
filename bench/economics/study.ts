/**
 * One case: a path of prices, and the house's result with each strategy in the same rounds, with intervals that can be
 * trusted.
 */
import { must } from '../../engine/base/assert.js';
import { RATIO_MAX } from '../../engine/host/ticks/jumps.js';
import { YEARLY_VOLATILITY } from '../../engine/host/ticks/volatility.js';
import {
  type Asset,
  assetOf,
  LIVE,
  marketOf,
  TIME_FRAME_MS,
  TIME_FRAMES,
  type TimeFrame,
} from '../../engine/model/domain.js';
import { defaultRules, type HouseRules, type Rules } from '../../engine/model/rules.js';
import { House } from './house.js';
import { Market, type RoundResult, type Strategy } from './market.js';
import { FinePath, type PathArguments } from './paths.js';
import { type Profile, Walk } from './prices.js';

export interface Study {
  readonly asset: Asset;
  readonly frame: TimeFrame;
  readonly path?: (given: PathArguments) => FinePath;
  readonly rounds: number;
  readonly seed: number;
  /** Differences from the default way to quote. */
  readonly house?: Partial<HouseRules>;
  /** Known beforehand, for a time that begins and ends so. */
  readonly known?: (fromMs: number, untilMs: number) => Partial<Rules>;
  /** With its loss limits a case ends at them. */
  readonly limits?: boolean;
  readonly ratioMax?: number;
  /** The real volatility as a factor of the one that the house begins with, always and by the clock. */
  readonly volatility?: number;
  readonly profile?: Profile;
  /** Only one round of so many has an event, and is counted. 1 if absent. */
  readonly every?: number;
  readonly restarts?: boolean;
}

const START_PRICES: Readonly<Partial<Record<Asset, number>>> = {
  ...{ BTC: 95_000, HYPE: 38, TON: 2.2, USDJPY: 155, AUDUSD: 0.65, USDCAD: 1.4 },
};
const BEGIN_MS = Date.UTC(2026, 0, 5);
/** Ticks come for so long before the first round that counts. */
const WARM_UP_MS = 2 * 3_600_000;
const RESTART_MS = 5_000;
const MOMENTS = 136;
const LAST_MOMENT_MS = 1_000;

function rulesOf({ asset, frame, house, limits, known, rounds, every = 1 }: Study): Rules {
  const rules = defaultRules('0'.repeat(64));
  const markets = rules.markets
    .filter(({ marketId }) => marketId === `${asset}_${frame}`)
    .map((market) => ({ ...market, house: { ...market.house, ...house } }));
  const frameMs = must(TIME_FRAME_MS[TIME_FRAMES.indexOf(frame)], 'time frame');
  const untilMs = BEGIN_MS + 2 * WARM_UP_MS + (rounds + 1) * every * frameMs;
  // Thousands of rounds are many days: a limit would cut off the results to be measured.
  const most = Number.MAX_SAFE_INTEGER;
  const unlimited = { marketCents: most, assetCents: most, allCents: most };
  const lossLimits = limits === true ? rules.lossLimits : unlimited;
  return { ...rules, markets, lossLimits, ...known?.(BEGIN_MS, untilMs) };
}

export function playAll(study: Study, strategies: readonly Strategy[]): RoundResult[][] {
  const { asset, frame, rounds, seed, every = 1 } = study;
  const rules = rulesOf(study);
  const frameMs = must(TIME_FRAME_MS[TIME_FRAMES.indexOf(frame)], 'time frame');
  const bettingMs = frameMs - must(rules.markets[0], 'the market').lockLeadMs - rules.cutoffMs;
  // Long rounds have fewer ticks, or hundreds of them would take too long.
  const tickMs = frameMs > 900_000 ? 1_000 : 250;
  const market = marketOf(`${asset}_${frame}`);
  const markets = strategies.map((strategy) => new Market(market, strategy));
  const house = new House(rules, market, study.ratioMax ?? RATIO_MAX, BEGIN_MS, (command) => {
    for (const each of markets) each.follow(command);
  });
  const walk = new Walk(seed, {
    startPrice: must(START_PRICES[asset], 'a price of the asset'),
    yearly: YEARLY_VOLATILITY[asset] * (study.volatility ?? 1),
    tickMs,
    ...(study.profile === undefined ? {} : { profile: study.profile }),
  });
  const given: PathArguments = [walk, { asset: assetOf(market), frameMs, bettingMs, every }, seed];
  const path = study.path?.(given) ?? new FinePath(...given);
  let nowMs = BEGIN_MS;
  path.start((tick) => house.offer(tick, nowMs));
  const momentsMs = momentsOf(bettingMs, tickMs);
  const beginMs = Math.ceil((BEGIN_MS + WARM_UP_MS) / frameMs / every) * frameMs * every;
  const endMs = beginMs + rounds * every * frameMs;
  while (nowMs < endMs + tickMs || (house.round?.startTimeMs ?? endMs) < endMs) {
    nowMs += tickMs;
    if (study.restarts === true && (nowMs + RESTART_MS) % (frameMs * every) === 0) house.restart(nowMs);
    path.advance(nowMs);
    house.pump(nowMs);
    const { round, tick } = house;
    const index = momentsMs.get(nowMs % frameMs);
    if (index === undefined || nowMs < beginMs || round?.status !== LIVE || tick === null) continue;
    const about = {
      openPrice: must(round.openPrice, 'open price'),
      nowMs,
      endMs: round.endTimeMs,
      tick,
    };
    const beliefs = { public: path.publicly(about), informed: path.informed(about) };
    const scene = {
      nowMs,
      index,
      count: momentsMs.size,
      price: tick.price,
      fairShareE6: house.fairShareE6(nowMs),
      beliefs,
    };
    for (const each of markets) each.act(scene);
  }
  return markets.map(({ results }) =>
    results.filter(({ beginMs: ms }) => (ms / frameMs) % every === 0).slice(0, rounds),
  );
}

/**
 * Moments are spread evenly over the time in which bets are taken, each at a tick: index by milliseconds since the
 * beginning. The first tick after that opens the round.
 */
function momentsOf(bettingMs: number, tickMs: number): ReadonlyMap<number, number> {
  const lastTick = Math.floor((bettingMs - LAST_MOMENT_MS) / tickMs);
  const ticks = Array.from(
    { length: MOMENTS },
    (_, i) => 1 + Math.round((i * (lastTick - 1)) / (MOMENTS - 1)),
  );
  return new Map([...new Set(ticks)].map((tick, index) => [tick * tickMs, index]));
}

/** Rounds of one batch share the volatility of their hours; batches hardly do. */
const BATCHES = 40;
/** Two-sided, 95 %, 39 degrees of freedom. */
const STUDENT_T = 2.023;

export type Figures = ReturnType<typeof figuresOf>;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export function figuresOf(results: readonly RoundResult[]) {
  const profits = results.map(({ houseCents }) => houseCents / 100);
  const staked = sum(results.map(({ stakedCents }) => stakedCents)) / 100;
  const bets = sum(results.map((result) => result.bets));
  const refused = sum(results.map((result) => result.refused));
  let [total, most, drawdown] = [0, 0, 0];
  for (const profit of profits) {
    total += profit;
    most = Math.max(most, total);
    drawdown = Math.max(drawdown, most - total);
  }
  return {
    /** The house's profit a round, in USD, and half of its 95 % interval. */
    profit: total / profits.length,
    interval: halfInterval(profits),
    worst: Math.min(...profits),
    /** The house's greatest fall from a peak, in USD. */
    drawdown,
    margin: staked === 0 ? 0 : total / staked,
    staked: staked / results.length,
    bets: bets / results.length,
    refusedShare: bets + refused === 0 ? 0 : refused / (bets + refused),
  };
}

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
