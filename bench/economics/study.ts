/** One time frame on one kind of price path: the same rounds for every strategy, and what the house makes of each. */
import { must } from '../../engine/base/assert.js';
import { type Asset, marketOf, TIME_FRAMES, type TimeFrame } from '../../engine/model/domain.js';
import { defaultRules, type HouseRules, type Rules } from '../../engine/model/rules.js';
import { EARLIER, KNOWN_ATTACKS, RESTING } from './attacks.js';
import { Desk, type RoundResult, type Strategy } from './desk.js';
import { memberOf, searchBest } from './family.js';
import { type Figures, figuresOf } from './figures.js';
import { beside, flows } from './flows.js';
import { type PricePath, RestlessPath, SimulatedPath, SteadyPath } from './paths.js';
import { Quoter } from './quoter.js';
import { Random } from './random.js';
import { LATENESS_MS, Recorder, type Tape } from './tape.js';

export const PATH_NAMES = ['simulated', 'restless'] as const;
export type PathName = (typeof PATH_NAMES)[number];

export interface Study {
  readonly frame: TimeFrame;
  readonly path: PathName;
  readonly asset: Asset;
  readonly rounds: number;
  readonly seed: number;
  /** What differs from the default way to quote. */
  readonly house: Partial<HouseRules>;
  /** Members of the family that are tried; 0: none. */
  readonly evaluations: number;
  /** Only strategies whose names have it are played. */
  readonly bettors: string;
}

/** Who plays: after the house's money, the same with earlier prices, or for other reasons. */
export type Kind = 'attack' | 'earlier' | 'honest';
export interface Row extends Figures {
  readonly kind: Kind;
  readonly name: string;
}

/** Rounds of a day have fewer ticks, or thousands of them would take too long. */
const TICK_MS: Readonly<Record<TimeFrame, number>> = {
  ONE_MINUTE: 250,
  FIVE_MINUTES: 250,
  FIFTEEN_MINUTES: 250,
  FOUR_HOURS: 250,
  ONE_DAY: 1_000,
};
/** Rounds on which the search tries; what it finds plays all others. */
const SEARCH_ROUNDS = 200;

/** The feed's own prices in short rounds; in those of hours prices of the same law that are drawn faster. */
function pathOf({ path, frame, asset, seed }: Study): PricePath {
  const tickMs = TICK_MS[frame];
  if (path === 'restless') return new RestlessPath(seed, asset, tickMs);
  const isShort = frame !== 'FOUR_HOURS' && frame !== 'ONE_DAY';
  return isShort ? new SimulatedPath(seed, asset) : new SteadyPath(seed, asset, tickMs);
}

/** The default rules with this one market, and its house's way to quote. */
export function rulesOf({ asset, frame, house }: Pick<Study, 'asset' | 'frame' | 'house'>): Rules {
  const rules = defaultRules('0'.repeat(64));
  const markets = rules.markets
    .filter(({ marketId }) => marketId === `${asset}_${frame}`)
    .map((market) => ({ ...market, house: { ...market.house, ...house } }));
  return { ...rules, markets };
}

export function recordRounds(study: Study): Tape[] {
  const rules = rulesOf(study);
  const recorder = new Recorder({
    frame: TIME_FRAMES.indexOf(study.frame),
    path: pathOf(study),
    newQuoter: () => new Quoter(study.asset),
    closedMs: must(rules.markets[0], 'the market').lockLeadMs + rules.cutoffMs,
  });
  return Array.from({ length: study.rounds }, () => recorder.record());
}

/** What the house makes of a strategy on these rounds. */
export function playAll(study: Study, tapes: readonly Tape[], strategy: Strategy): RoundResult[] {
  const desk = newDesk(study);
  return tapes.map((tape) => desk.play(tape, strategy));
}

const newDesk = (study: Study): Desk => new Desk(rulesOf(study), marketOf(`${study.asset}_${study.frame}`));

/** Strategies that are asked for, and for which this frame's ticks are fine enough. */
const isPlayed =
  ({ frame, bettors }: Study) =>
  ({ lateness, name }: Strategy): boolean =>
    name.includes(bettors) && (lateness === 0 || (LATENESS_MS[lateness] ?? 0) >= TICK_MS[frame]);

/** Every strategy's figures, handed out as they are known. */
export function* rowsOf(study: Study): Generator<Row> {
  const tapes = recordRounds(study);
  const players: readonly (readonly [Kind, readonly Strategy[]])[] = [
    ['attack', KNOWN_ATTACKS],
    ['attack', RESTING],
    ['attack', [...KNOWN_ATTACKS.slice(0, 2), ...RESTING].map((attack) => beside(attack, study.seed))],
    ['earlier', EARLIER],
    ['honest', flows(study.seed)],
  ];
  for (const [kind, strategies] of players) {
    for (const strategy of strategies.filter(isPlayed(study))) {
      yield { kind, name: strategy.name, ...figuresOf(playAll(study, tapes, strategy)) };
    }
  }
  if (study.evaluations === 0) return;
  const best = bestFound(study, tapes.slice(0, SEARCH_ROUNDS));
  const fresh = playAll(study, tapes.slice(SEARCH_ROUNDS), best);
  yield { kind: 'attack', name: best.name, ...figuresOf(fresh) };
}

/** Searches for the greatest mean profit, less its standard error: a lucky round is no strategy. */
function bestFound(study: Study, tapes: readonly Tape[]): Strategy {
  const desk = newDesk(study);
  const worth = (strategy: Strategy): number => {
    const gains = tapes.map((tape) => -desk.play(tape, strategy).houseCents);
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
    const squares = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0);
    return mean - Math.sqrt(squares) / gains.length;
  };
  return memberOf(searchBest(worth, study.evaluations, new Random(study.seed, 'search')));
}
