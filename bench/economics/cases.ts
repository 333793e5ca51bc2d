/** The cases of the study: prices as they should be in each time frame, and prices as they are. */
import { TIME_FRAMES, type TimeFrame } from '../../engine/model/domain.js';
import type { HouseRules, NewsRule } from '../../engine/model/rules.js';
import { beside, fairFlow, INFORMED, KNOWN_ATTACKS, PUBLIC, RESTING } from './bettors.js';
import type { Strategy } from './market.js';
import {
  CoarsePath,
  FailoverPath,
  JumpPath,
  LatePath,
  RarePath,
  SmoothedPath,
  StallPath,
  TradesPath,
} from './paths.js';
import type { Profile } from './prices.js';
import type { Study } from './study.js';

export interface Case extends Study {
  readonly name: string;
  readonly strategies: readonly Strategy[];
  /** Bettors to be served: more than one refused order in a hundred is a fault. */
  readonly flows: readonly Strategy[];
  /** Prices can be foretold at these sights, whatever the house does: only the loss limits bound the winnings. */
  readonly foretold?: readonly Strategy['sight'][];
}

export interface Wanted {
  readonly rounds: number;
  readonly seed: number;
  readonly house: Partial<HouseRules>;
  readonly limits: boolean;
}

type Plan = Omit<Study, 'rounds' | 'seed' | 'frame'> & {
  readonly name: string;
  readonly frames: readonly TimeFrame[];
  /** A part of the wanted rounds, where a round takes long. */
  readonly share?: number;
} & Pick<Case, 'foretold'>;

const MINUTE_MS = 60_000;
const SHORT: readonly TimeFrame[] = ['ONE_MINUTE', 'FIVE_MINUTES'];
const NEWS: Profile = {
  slotMs: MINUTE_MS,
  factors: Array.from({ length: 30 }, (_, minute) => (minute === 2 ? 8 : 1)),
};
const NEWS_RULES: Plan['known'] = (fromMs, untilMs) => {
  const count = Math.ceil((untilMs - fromMs) / (30 * MINUTE_MS));
  const news = Array.from({ length: count }, (_, at): [string, NewsRule] => {
    const atMs = fromMs + (30 * at + 2) * MINUTE_MS;
    return [`${at}`, { at: '', atMs, minutes: 1, assets: ['BTC'], factor: 8 }];
  });
  return { news: Object.fromEntries(news) };
};
/** Quiet nights, and afternoons three times as restless. */
const HOURS: Profile = {
  slotMs: 60 * MINUTE_MS,
  factors: Array.from({ length: 24 }, (_, hour) => 1 - 0.5 * Math.cos((2 * Math.PI * (hour - 3)) / 24)),
};

type Path = NonNullable<Plan['path']>;
const short = (asset: Plan['asset'], name: string, path: Path): Plan => ({
  name,
  asset,
  frames: SHORT,
  path,
});
/** The house hears old prices: who sees the real ones can foretell them. */
const behind = (name: string, path: Path): Plan => ({ ...short('BTC', name, path), foretold: ['informed'] });

const PATHS: readonly Plan[] = [
  short('USDJPY', 'steps of 0.01', (given) => new CoarsePath(0.01, given)),
  short('AUDUSD', 'steps of 0.00005', (given) => new CoarsePath(0.00005, given)),
  short('USDCAD', 'draws, steps of 0.0001', (given) => new CoarsePath(0.0001, given)),
  behind('a change each 12 s', (given) => new RarePath(12_250, given)),
  short('TON', 'trades, 3 bp half spread', (given) => new TradesPath(0.0003, given)),
  short('HYPE', 'trades, 3 bp half spread', (given) => new TradesPath(0.0003, given)),
  short('BTC', 'trades, 0.5 bp half spread', (given) => new TradesPath(0.00005, given)),
  behind('250 ms late', (given) => new LatePath(250, 250, given)),
  behind('1 s late', (given) => new LatePath(1_000, 250, given)),
  behind('2 s late, each second', (given) => new LatePath(1_750, 1_000, given)),
  { ...behind('5 s late', (given) => new LatePath(5_000, 250, given)), frames: ['FIFTEEN_MINUTES'] },
  behind('a stall of 11 s', (given) => new StallPath(11_000, given)),
  {
    ...{ name: 'jumps of 2 %, held back', asset: 'BTC', frames: ['FIVE_MINUTES'], share: 0.25, every: 4 },
    ratioMax: 1.01,
    path: (given) => new JumpPath(...given),
  },
  short('BTC', 'smoothed over 1 s', (given) => new SmoothedPath(1_000, given)),
  {
    ...{ name: 'failover, 5 bp apart', asset: 'BTC', frames: ['FIVE_MINUTES'], share: 0.5, every: 3 },
    // Until quotes end, 2 s after the last price, that the other source decides.
    foretold: ['informed'],
    path: (given) => new FailoverPath(0.0005, given),
  },
  {
    ...{ name: 'a minute of news', asset: 'BTC', frames: ['FIVE_MINUTES'], share: 0.25, every: 6 },
    ...{ foretold: ['public', 'informed'], profile: NEWS },
  },
  {
    ...{ name: 'a minute of news, in the calendar', asset: 'BTC', frames: ['FIVE_MINUTES'] },
    ...{ share: 0.25, every: 6, profile: NEWS, known: NEWS_RULES },
  },
  { name: 'hours of the day', asset: 'BTC', frames: ['ONE_DAY'], share: 0.1, profile: HOURS },
  {
    ...{ name: 'hours of the day, in the profile', asset: 'BTC', frames: ['ONE_DAY'], share: 0.1 },
    ...{ profile: HOURS, known: () => ({ profiles: { BTC: { hours: HOURS.factors } } }) },
  },
  {
    ...{ name: 'restarts, 3 times as volatile', asset: 'BTC', frames: ['ONE_MINUTE'], share: 0.5, every: 10 },
    ...{ volatility: 3, restarts: true },
  },
];

const SHARES: Readonly<Partial<Record<TimeFrame, number>>> = { FOUR_HOURS: 0.25, ONE_DAY: 0.1 };

const roundsOf = (wanted: number, share = 1): number => Math.max(1, Math.round(wanted * share));

export function casesOf({ rounds, seed, ...rest }: Wanted): Case[] {
  const flows = [20, 100, 500].map((bets) => fairFlow(bets, seed));
  const attacks = [...KNOWN_ATTACKS, ...RESTING];
  const beasides = attacks.map((attack) => beside(attack, seed));
  const strategies = [...attacks, ...beasides, ...flows];
  const fine = TIME_FRAMES.map((frame): Case => {
    const common = { name: 'fine', asset: 'BTC' as const, frame, seed, ...rest, strategies, flows };
    return { ...common, rounds: roundsOf(rounds, SHARES[frame]) };
  });
  const others = PATHS.flatMap(({ frames, share, ...plan }) =>
    frames.map((frame): Case => {
      const common = { ...plan, frame, seed, ...rest, strategies: [PUBLIC, INFORMED], flows: [] };
      return { ...common, rounds: roundsOf(rounds, share) };
    }),
  );
  return [...fine, ...others];
}
