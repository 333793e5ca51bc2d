/**
 * What a world is like, from its seed: few or many assets, small or large limits, quiet or busy clients. Worlds differ
 * in what they do often ("swarm"), because a mixture that does a little of everything never fills a queue or a limit.
 */
import { ASSETS, assetOf, MARKET_IDS, type TimeFrame } from '../../engine/model/domain.js';
import { defaultRules, type MarketRules, type Rules } from '../../engine/model/rules.js';
import type { RateLimitSettings } from '../../http/limits/settings.js';
import type { Dice } from '../support/reference/rng.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface WorldConfig {
  readonly startMs: number;
  /** How long faults go on, in milliseconds of true time; a calm follows. */
  readonly stormMs: number;
  /** Mean time between two faults. */
  readonly faultEveryMs: number;
  readonly assets: readonly number[];
  readonly frames: readonly TimeFrame[];
  readonly bettors: number;
  /** Mean time between two actions of one bettor. */
  readonly actEveryMs: number;
  readonly operatorEveryMs: number;
  readonly tickEveryMs: number;
  /** Prices come in steps of this: coarse ones give draws. */
  readonly priceStep: number;
  readonly pumpEveryMs: number;
  readonly limits: RateLimitSettings | null;
  readonly houseCapitalCents: number;
  readonly backlogCommandsMax: number;
  readonly settleBetsMax: number;
  readonly commitMs: number;
  /** How often a request or its reply is lost. */
  readonly lossChance: number;
  readonly snapshotEveryCommands: number;
  /** Whether the journal before the oldest snapshot is deleted. */
  readonly deletesJournal: boolean;
  readonly idempotencyTtlMs: number;
}

export function worldConfig(dice: Dice, hours: number): WorldConfig {
  const crypto = ASSETS.map((_, asset) => asset).filter((asset) => ![5, 6, 7, 8, 9, 10, 11].includes(asset));
  const others = [5, 6, 7, 8, 9, 10, 11];
  const count = dice.pick([1, 3, 7, 7]);
  const assets = [
    ...shuffled(crypto, dice).slice(0, count),
    ...shuffled(others, dice).slice(0, dice.whole(0, Math.floor(count / 2))),
  ];
  const isTight = dice.chance(0.2);
  return {
    startMs: someDayMs(dice) + someTimeMs(dice),
    stormMs: Math.round(hours * 60 * MINUTE_MS),
    faultEveryMs: dice.pick([15_000, 30_000, 60_000]),
    assets: assets.sort((a, b) => a - b),
    frames: [
      'ONE_MINUTE',
      ...(dice.chance(0.5) ? ['FIVE_MINUTES' as const] : []),
      ...(dice.chance(0.1) ? ['FIFTEEN_MINUTES' as const] : []),
    ],
    bettors: dice.whole(6, 24),
    actEveryMs: dice.pick([300, 700, 1_500]),
    operatorEveryMs: dice.pick([2_000, 6_000, 20_000]),
    tickEveryMs: dice.pick([400, 1_000, 2_500]),
    priceStep: dice.pick([0.01, 0.01, 2]),
    pumpEveryMs: dice.pick([50, 150, 250]),
    limits: isTight
      ? {
          keyRead: dice.whole(20, 200),
          keyWrite: dice.whole(20, 200),
          account: dice.whole(40, 400),
          ip: dice.whole(100, 2_000),
        }
      : null,
    houseCapitalCents: dice.pick([50_000_00, 1_000_000_00, 20_000_000_00]),
    backlogCommandsMax: dice.pick([20, 200, 50_000]),
    settleBetsMax: dice.pick([1, 7, 500]),
    commitMs: dice.pick([0, 1, 4, 20]),
    lossChance: dice.pick([0, 0.01, 0.08]),
    snapshotEveryCommands: dice.pick([200, 1_000, 4_000]),
    deletesJournal: dice.chance(0.5),
    idempotencyTtlMs: dice.pick([600_000, 600_000, 90_000]),
  };
}

/** A day around the change to daylight saving; one in five is any day of the week, the others are workdays. */
function someDayMs(dice: Dice): number {
  const mondayMs = Date.UTC(2026, 2, 2) + dice.whole(0, 12) * 7 * DAY_MS;
  return mondayMs + dice.whole(0, dice.chance(0.2) ? 6 : 3) * DAY_MS;
}

/** Mostly any time of day; one in four is shortly before metals and currencies close. */
function someTimeMs(dice: Dice): number {
  return dice.chance(0.25) ? 20 * 60 * MINUTE_MS + 45 * MINUTE_MS : dice.whole(0, DAY_MS);
}

/** Rules small enough that every limit is met. `fingerprint` is that of the master secret. */
export function worldRules(config: WorldConfig, dice: Dice, fingerprint: string): Rules {
  const defaults = defaultRules(fingerprint);
  const openBetsMax = dice.weighted([
    [1, 4],
    [2, 60],
    [4, 10_000],
  ]);
  const historyBetsMax = dice.pick([3, 12, 40]);
  const tierMax = dice.pick([30_00, 100_00, 1_000_00]);
  return {
    ...defaults,
    markets: defaults.markets.filter(isWanted(config)).map((market) => marketRules(market, dice)),
    tiers: defaults.tiers.map((tier, index) => ({
      ...tier,
      maxStakeCents: index === 0 ? 0 : tierMax * index,
      activeKeysMax: tier.activeKeysMax + dice.whole(0, 1),
    })),
    feeBps: dice.pick([300, 300, 0, 250]),
    cutoffMs: dice.pick([20_000, 20_000, 5_000]),
    slippageE2: dice.pick([1_500, 1_500, 300]),
    openBetsMax,
    historyBetsMax,
    settledRoundsMax: dice.pick([2, 5, 30]),
    idempotencyTtlMs: config.idempotencyTtlMs,
    idempotencyEntriesMax: dice.weighted([
      [0.6, 40],
      [3, 4_000],
      [6, 20_000_000],
    ]),
  };
}

const isWanted =
  (config: WorldConfig) =>
  ({ marketId }: MarketRules): boolean => {
    const market = MARKET_IDS.indexOf(marketId);
    return config.assets.includes(assetOf(market)) && config.frames.some((frame) => marketId.endsWith(frame));
  };

function marketRules(market: MarketRules, dice: Dice): MarketRules {
  return {
    ...market,
    lockLeadMs: Math.min(market.lockLeadMs, dice.pick([5_000, 3_000])),
    minStakeCents: dice.pick([1_00, 1, 2_50]),
    maxStakeCents: dice.pick([50_00, 500_00, 10_000_00]),
    seedCents: dice.pick([1_000_00, 100_00, 10_00, 1]),
    maxPriceAgeMs: dice.pick([10_000, 5_000]),
  };
}

export function shuffled<T>(list: readonly T[], dice: Dice): T[] {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = dice.whole(0, i);
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
