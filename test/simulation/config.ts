/**
 * A world's properties, from its seed: few or many assets, small or large limits, quiet or busy clients. Worlds
 * differ in what they do often ("swarm"), because a mixture that does a little of everything never fills a queue or a
 * limit.
 */
import { ASSETS, assetOf, MARKET_IDS, type TimeFrame } from '../../engine/model/domain.js';
import { defaultRules, type MarketRules, type Rules } from '../../engine/model/rules.js';
import { fairHouse, fixedHouse } from '../support/engine/house-rules.js';
import type { Rng } from '../support/reference/random/rng.js';
import type { Chances } from './chance.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const FRAMES: readonly TimeFrame[] = ['ONE_MINUTE', 'FIVE_MINUTES', 'FIFTEEN_MINUTES'];
/** The smallest rings that hold the longest message, so that they fill up, or ones like the server's; the longest list fits. */
const RINGS = [
  { ringCells: { requests: 512, replies: 1_024 }, listLimitMax: 7 },
  { ringCells: { requests: 512, replies: 32_768 }, listLimitMax: 200 },
  { ringCells: { requests: 65_536, replies: 131_072 }, listLimitMax: 200 },
] as const;

export type WorldConfig = ReturnType<typeof worldConfig>;

/** `threads` and `limits` have chances of their own, which change nothing else that is drawn of a world. */
export function worldConfig(
  { config: rng, threads, limits: ofLimits }: Pick<Chances, 'config' | 'threads' | 'limits'>,
  hours: number,
) {
  const crypto = ASSETS.map((_, asset) => asset).filter((asset) => ![5, 6, 7, 8, 9, 10, 11].includes(asset));
  const others = [5, 6, 7, 8, 9, 10, 11];
  const count = rng.pick([1, 3, 7, 7]);
  const assets = [
    ...shuffled(crypto, rng).slice(0, count),
    ...shuffled(others, rng).slice(0, rng.integer(0, Math.floor(count / 2))),
  ];
  const isTight = rng.chance(0.2);
  return {
    startMs: someDayMs(rng) + someTimeMs(rng),
    /** Faults go on for so long, in true time; a calm follows. */
    stormMs: Math.round(hours * 60 * MINUTE_MS),
    faultEveryMs: rng.pick([15_000, 30_000, 60_000]),
    assets: assets.sort((a, b) => a - b),
    frames: FRAMES.filter((_, at) => at === 0 || rng.chance(at === 1 ? 0.5 : 0.1)),
    bettors: rng.integer(6, 24),
    actEveryMs: rng.pick([300, 700, 1_500]),
    limitTraders: ofLimits.weighed([1, 2, 1], [0, 4, 16]),
    isQuoting: ofLimits.chance(0.5),
    operatorEveryMs: rng.pick([2_000, 6_000, 20_000]),
    tickEveryMs: rng.pick([400, 1_000, 2_500]),
    /** Coarse steps give draws. */
    priceStep: rng.pick([0.01, 0.01, 2]),
    pumpEveryMs: rng.pick([50, 150, 250]),
    limits: isTight
      ? {
          keyRead: rng.integer(20, 200),
          keyWrite: rng.integer(20, 200),
          keyCancel: 200,
          account: rng.integer(40, 400),
          ip: rng.integer(100, 2_000),
        }
      : null,
    houseCapitalCents: rng.pick([50_000_00, 1_000_000_00, 20_000_000_00]),
    backlogCommandsMax: rng.pick([20, 200, 50_000]),
    settleBetsMax: rng.pick([1, 7, 500]),
    commitMs: rng.pick([0, 1, 4, 20]),
    lossChance: rng.pick([0, 0.01, 0.08]),
    snapshotEveryCommands: rng.pick([200, 1_000, 4_000]),
    deletesJournal: rng.chance(0.5),
    idempotencyTtlMs: rng.pick([600_000, 600_000, 90_000]),
    /** 0: the engine's thread has the only gateway. */
    gateways: threads.integer(0, 4),
    ...threads.pick(RINGS),
  };
}

/** A day around the change to daylight saving; one in five is any day of the week, the others are workdays. */
function someDayMs(rng: Rng): number {
  const mondayMs = Date.UTC(2026, 2, 2) + rng.integer(0, 12) * 7 * DAY_MS;
  return mondayMs + rng.integer(0, rng.chance(0.2) ? 6 : 3) * DAY_MS;
}

/** One in four is shortly before metals and currencies close. */
function someTimeMs(rng: Rng): number {
  return rng.chance(0.25) ? 20 * 60 * MINUTE_MS + 45 * MINUTE_MS : rng.integer(0, DAY_MS);
}

/** Small enough that every limit is met. `fingerprint` is that of the master secret. */
export function worldRules(config: WorldConfig, rng: Rng, fingerprint: string): Rules {
  const defaults = defaultRules(fingerprint);
  const openBetsMax = rng.weighed([1, 2, 4], [4, 60, 10_000]);
  const historyBetsMax = rng.pick([3, 12, 40]);
  const tierMax = rng.pick([30_00, 100_00, 1_000_00]);
  const rules = {
    ...defaults,
    markets: defaults.markets.filter(isSelected(config)).map((market) => marketRules(market, rng)),
    tiers: defaults.tiers.map((tier, index) => ({
      ...tier,
      maxStakeCents: index === 0 ? 0 : tierMax * index,
      activeKeysMax: tier.activeKeysMax + rng.integer(0, 1),
    })),
    feeBps: rng.pick([300, 300, 0, 250]),
    cutoffMs: rng.pick([20_000, 20_000, 5_000]),
    slippageE2: rng.pick([1_500, 1_500, 300]),
    openBetsMax,
    historyBetsMax,
    settledRoundsMax: rng.pick([2, 5, 30]),
    idempotencyTtlMs: config.idempotencyTtlMs,
    idempotencyEntriesMax: rng.weighed([0.6, 3, 6], [40, 4_000, 20_000_000]),
  };
  return config.isQuoting ? quoting(rules) : rules;
}

function quoting(rules: Rules): Rules {
  const clampE6 = Math.min(20_000, rules.feeBps * 100);
  const markets = rules.markets.map((market) => ({
    ...market,
    house: fairHouse({ seedCents: market.house.seedCents, clampE6 }),
  }));
  return { ...rules, markets };
}

const isSelected =
  (config: WorldConfig) =>
  ({ marketId }: MarketRules): boolean => {
    const market = MARKET_IDS.indexOf(marketId);
    return config.assets.includes(assetOf(market)) && config.frames.some((frame) => marketId.endsWith(frame));
  };

function marketRules(market: MarketRules, rng: Rng): MarketRules {
  return {
    ...market,
    lockLeadMs: Math.min(market.lockLeadMs, rng.pick([5_000, 3_000])),
    minStakeCents: rng.pick([1_00, 1, 2_50]),
    maxStakeCents: rng.pick([50_00, 500_00, 10_000_00]),
    house: fixedHouse(rng.pick([1_000_00, 100_00, 10_00, 1])),
    maxPriceAgeMs: rng.pick([10_000, 5_000]),
  };
}

export function shuffled<T>(list: readonly T[], rng: Rng): T[] {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = rng.integer(0, i);
    [copy[i], copy[j]] = [copy[j] as T, copy[i] as T];
  }
  return copy;
}
