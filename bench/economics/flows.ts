/** Bettors who bet for other reasons than to win the house's money. */
import { DOWN, UP } from '../../engine/model/domain.js';
import type { Moment, Strategy } from './desk.js';
import { Random } from './random.js';

const STAKE_USD = { least: 5, most: 500 } as const;

/** Which side a bettor takes. `share` is how much of the round has passed. */
type Taste = (moment: Moment, random: Random, share: number) => number;

const sideWith = (probabilityUp: number, random: Random): number =>
  random.next() < probabilityUp ? UP : DOWN;

const TASTES: Readonly<Record<string, Taste>> = {
  /** As many on each side. */
  fair: (_, random) => sideWith(0.5, random),
  'herd of 90 %': (_, random) => sideWith(0.9, random),
  'herd that turns': (_, random, share) => sideWith(share < 0.5 ? 0.9 : 0.1, random),
  /** As many on each side as the price makes probable. */
  'with the odds': ({ probabilityUp }, random) => sideWith(probabilityUp, random),
  /** Nine of ten follow the price. */
  momentum: ({ price, openPrice }, random) =>
    sideWith(price > openPrice ? 0.9 : price < openPrice ? 0.1 : 0.5, random),
};

function flow(taste: string, bets: number, seed: number): Strategy {
  const random = new Random(seed, `${taste} ${bets}`);
  const sideOf = TASTES[taste] as Taste;
  return {
    name: `${taste}, ${bets} bets`,
    lateness: 0,
    newRound: () => {
      const due: number[] = [];
      return (moment) => {
        if (moment.index === 0) for (let i = 0; i < bets; i++) due.push(random.below(moment.count));
        for (const index of due) {
          if (index !== moment.index) continue;
          const side = sideOf(moment, random, moment.index / moment.count);
          const usd = Math.round(STAKE_USD.least * (STAKE_USD.most / STAKE_USD.least) ** random.next());
          moment.bet(side, usd * 100);
        }
      };
    },
  };
}

export const flows = (seed: number): Strategy[] =>
  Object.keys(TASTES).flatMap((taste) => [20, 100, 500].map((bets) => flow(taste, bets, seed)));

/** The attack, in rounds in which others bet, too: what these overpay is there to be taken. */
export function beside(attack: Strategy, seed: number): Strategy {
  const others = flow('fair', 100, seed);
  return {
    name: `${attack.name} beside 100 fair bets`,
    lateness: attack.lateness,
    newRound: () => {
      const [theirs, own] = [others.newRound(), attack.newRound()];
      return (moment) => {
        theirs(moment);
        own(moment);
      };
    },
  };
}
