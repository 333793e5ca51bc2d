/**
 * A family of strategies, and a search for its best: each has three steps, and a step says when it bets, on which side,
 * at which odds, how much and how often. The known attacks are members of it, and so is much that nobody has thought of.
 */
import { DOWN, UP } from '../../engine/model/domain.js';
import { probabilityOf } from './attacks.js';
import type { Moment, Strategy } from './desk.js';
import type { Random } from './random.js';

const STEPS = 3;
const GENES = 9;
const LENGTH = STEPS * GENES;
/** Numbers in [0, 1). */
export type Genome = Float64Array;

interface Step {
  readonly from: number;
  readonly until: number;
  readonly sideOf: (moment: Moment) => number;
  /** The true probability of the side lies between these. */
  readonly least: number;
  readonly most: number;
  /** What a dollar on the side pays on average, the least at which it bets. */
  readonly payMin: number;
  /** In cents, or as a share of the side's pool. */
  readonly stake: number;
  readonly isShare: boolean;
  readonly betsMax: number;
}

const other = (side: number): number => (side === UP ? DOWN : UP);
const leader = ({ price, openPrice }: Moment): number => (price >= openPrice ? UP : DOWN);
/** The side that pays more on average. */
const cheap = (moment: Moment): number => (payOf(moment, UP) >= payOf(moment, DOWN) ? UP : DOWN);

/** What a first dollar on the side pays on average. */
function payOf(moment: Moment, side: number): number {
  const own = moment.poolCents(side);
  const odds = (own + moment.poolCents(other(side))) / own;
  return probabilityOf(moment, side) * odds * (1 - moment.feeBps / 10_000);
}

const SIDES: readonly Step['sideOf'][] = [
  () => UP,
  () => DOWN,
  leader,
  (moment) => other(leader(moment)),
  cheap,
  (moment) => other(cheap(moment)),
];

function stepOf(genome: Genome, step: number): Step {
  const gene = (i: number): number => genome[step * GENES + i] as number;
  const from = gene(0);
  const isShare = gene(5) < 0.4;
  return {
    from,
    until: from + gene(1) ** 2 * (1 - from),
    sideOf: SIDES[Math.floor(gene(2) * SIDES.length)] as Step['sideOf'],
    least: gene(3) < 0.5 ? 0 : gene(3) * 2 - 1,
    most: gene(4) < 0.5 ? 1 : 2 - gene(4) * 2,
    payMin: gene(8) < 0.4 ? 0 : 0.8 + 0.4 * gene(8),
    stake: isShare ? 10 ** (-3 + 3.5 * gene(6)) : 10 ** (2 + 4 * gene(6)),
    isShare,
    betsMax: Math.ceil(40 ** gene(7)),
  };
}

function take(moment: Moment, step: Step, betsLeft: number): number {
  const share = moment.index / (moment.count - 1);
  if (betsLeft === 0 || share < step.from || share > step.until) return 0;
  let bets = 0;
  while (bets < betsLeft) {
    const side = step.sideOf(moment);
    const probability = probabilityOf(moment, side);
    if (probability < step.least || probability > step.most || payOf(moment, side) < step.payMin) break;
    const wanted = step.isShare ? moment.poolCents(side) * step.stake : step.stake;
    const stake = Math.min(Math.round(wanted), moment.availableCents(side));
    if (stake < moment.minStakeCents || !moment.bet(side, stake)) break;
    bets++;
  }
  return bets;
}

export function memberOf(genome: Genome): Strategy {
  const steps = Array.from({ length: STEPS }, (_, step) => stepOf(genome, step));
  return {
    name: 'the best found',
    lateness: 0,
    newRound: () => {
      const left = steps.map(({ betsMax }) => betsMax);
      return (moment) => {
        steps.forEach((step, i) => {
          const betsLeft = left[i] as number;
          left[i] = betsLeft - take(moment, step, betsLeft);
        });
      };
    },
  };
}

/** What a strategy is worth to the bettor: the greater the better. */
export type Worth = (strategy: Strategy) => number;

/** The best are kept and varied. */
const KEPT = 24;
const RANDOM_SHARE = 0.25;

/** The best of so many members, found by trying and varying what did well. */
export function searchBest(worth: Worth, evaluations: number, random: Random): Genome {
  const best: { genome: Genome; worth: number }[] = [];
  for (let i = 0; i < evaluations; i++) {
    const parent = best[random.below(Math.max(best.length, 1))]?.genome;
    const isNew = parent === undefined || best.length < KEPT || random.next() < RANDOM_SHARE;
    const genome = isNew ? randomGenome(random) : varied(parent, best[random.below(KEPT)]?.genome, random);
    const found = { genome, worth: worth(memberOf(genome)) };
    const place = best.findIndex((kept) => kept.worth < found.worth);
    if (place >= 0) best.splice(place, 0, found);
    else if (best.length < KEPT) best.push(found);
    if (best.length > KEPT) best.pop();
  }
  return best[0]?.genome ?? randomGenome(random);
}

const randomGenome = (random: Random): Genome => Float64Array.from({ length: LENGTH }, () => random.next());

/** Some steps from another parent, some genes moved a little or a lot. */
function varied(parent: Genome, mate: Genome | undefined, random: Random): Genome {
  const genome = Float64Array.from(parent);
  if (mate !== undefined && random.next() < 0.3) {
    const step = random.below(STEPS) * GENES;
    genome.set(mate.subarray(step, step + GENES), step);
  }
  const share = random.next() < 0.5 ? 0.08 : 0.3;
  for (let i = 0; i < LENGTH; i++) {
    if (random.next() >= share) continue;
    const moved = (genome[i] as number) + 0.15 * random.normal();
    genome[i] = random.next() < 0.2 ? random.next() : Math.min(Math.max(moved, 0), 0.999999);
  }
  return genome;
}
