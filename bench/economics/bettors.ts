/** Bettors who are after the house's money, each in a way of their own, and some who bet for other reasons. */
import { must } from '../../engine/base/assert.js';
import { DOWN, LIMIT_ODDS_E4_MAX, LIMIT_ODDS_E4_MIN, UP } from '../../engine/model/domain.js';
import { Random } from '../client/random.js';
import type { Market, Strategy } from './market.js';

const other = (side: number): number => (side === UP ? DOWN : UP);
const probabilityOf = ({ probabilityUp }: Market, side: number): number =>
  side === UP ? probabilityUp : 1 - probabilityUp;

function repeat(moment: Market, side: number, stakeCents: number, bets: number): void {
  for (let i = 0; i < bets; i++) moment.order(side, stakeCents);
}

/** Bets grow with the side's pool, so that each moves the odds as far as the one before it. */
function climb(moment: Market, side: number, growth: number, bets: number): void {
  for (let i = 0; i < bets; i++) moment.order(side, Math.round(moment.poolCents(side) * growth));
}

const always = (
  name: string,
  play: (moment: Market) => void,
  sight: Strategy['sight'] = 'informed',
): Strategy => ({
  name,
  sight,
  newRound: () => play,
});

/** One second before betting closes, 10 x 100 USD on the side where the price stands. */
const lateBettor = always('late bettor', (moment) => {
  const { price, index, count } = moment.scene;
  const openPrice = must(moment.round.openPrice, 'open price');
  if (index === count - 1 && price !== openPrice) repeat(moment, price > openPrice ? UP : DOWN, 100_00, 10);
});

/** Bets at one moment and side: after each the house may quote anew. */
const BETS_AT_ONCE_MAX = 4;

/**
 * Takes every bet that pays at the quote, as large as pays best: with all probabilities known nothing is better at a
 * moment.
 */
function takeWhatPays(moment: Market): void {
  for (const side of [UP, DOWN]) {
    for (let i = 0; i < BETS_AT_ONCE_MAX; i++) {
      const stake = bestStakeCents(moment, side);
      if (stake === 0 || !moment.order(side, stake)) break;
    }
  }
}

/**
 * The stake with the greatest expected profit, 0 if none has any. With a payout of k for each dollar of probable odds, the
 * expectation is k * s * (T + s) / (A + s) - s, whose derivative is zero at (A + s)^2 = k * A * (T - A) / (1 - k).
 */
function bestStakeCents(moment: Market, side: number): number {
  const own = moment.poolCents(side);
  const total = own + moment.poolCents(other(side));
  const k = probabilityOf(moment, side) * (1 - moment.round.feeBps / 10_000);
  if (!(k * total > own)) return 0;
  const best = Math.floor(Math.sqrt((k * own * (total - own)) / (1 - k)) - own);
  const stake = Math.min(best, moment.availableCents(side));
  const pays = (k * (total + stake)) / (own + stake) > 1;
  return pays && stake >= moment.round.minStakeCents ? stake : 0;
}

export const PUBLIC = always('public', takeWhatPays, 'public');
export const INFORMED = always('informed', takeWhatPays);

/** DOWN climbs, then UP climbs at the odds that DOWN has made, in one moment at the beginning. */
const poolSwinger = always('pool swinger', (moment) => {
  if (moment.scene.index !== 1) return;
  climb(moment, DOWN, 0.0738, 36);
  climb(moment, UP, 0.0652, 16);
});

/** 9,000 on DOWN and 2,344 on UP: UP is closed for everybody else from then on. */
const sideCloser = always('side closer', (moment) => {
  if (moment.scene.index !== 1) return;
  repeat(moment, DOWN, 1_000_00, 9);
  repeat(moment, UP, 586_00, 4);
});

const LADDER_ODDS = [2.1, 2.3, 2.6, 3, 3.5, 4.5, 6, 9, 15, 30];

/** On both sides, from the beginning on, and never looked at again: any odds can be taken. */
const restingLadder = always('resting ladder', (moment) => {
  if (moment.scene.index !== 1) return;
  for (const side of [UP, DOWN]) for (const odds of LADDER_ODDS) moment.order(side, 100_00, odds * 10_000);
});

const RESTING_STAKES_CENTS = [20_00, 100_00, 400_00];

/**
 * Knows all probabilities, and has orders rest at the odds that just pay by them, anew at each moment: if resting orders were
 * an option on the next price, these were the ones to hold.
 */
const restingAllKnowing = always('resting, informed', (moment) => {
  moment.cancelAll();
  for (const side of [UP, DOWN]) {
    const limitOddsE4 = payingOddsE4(moment, side);
    if (limitOddsE4 > LIMIT_ODDS_E4_MAX) continue;
    for (const stakeCents of RESTING_STAKES_CENTS) moment.order(side, stakeCents, limitOddsE4);
  }
});

/** The least odds that can be named at which a bet on the side pays. */
function payingOddsE4(moment: Market, side: number): number {
  const odds = 1 / (probabilityOf(moment, side) * (1 - moment.round.feeBps / 10_000));
  const step = odds < 10 ? 100 : odds < 100 ? 1_000 : 10_000;
  return Math.max(LIMIT_ODDS_E4_MIN, (Math.floor((odds * 10_000) / step) + 1) * step);
}

export const KNOWN_ATTACKS: readonly Strategy[] = [lateBettor, INFORMED, poolSwinger, sideCloser];
export const RESTING: readonly Strategy[] = [restingLadder, restingAllKnowing];

const STAKE_USD = { least: 5, most: 500 } as const;

/** Bets on either side alike, at any moment, most of them small. */
export function fairFlow(bets: number, seed: number): Strategy {
  const random = new Random(seed, `fair ${bets}`);
  return {
    name: `fair, ${bets} bets`,
    sight: 'public',
    newRound: () => {
      const due: number[] = [];
      return (moment) => {
        if (moment.scene.index === 0)
          for (let i = 0; i < bets; i++) due.push(random.below(moment.scene.count));
        for (const index of due) {
          if (index !== moment.scene.index) continue;
          const usd = Math.round(STAKE_USD.least * (STAKE_USD.most / STAKE_USD.least) ** random.next());
          moment.order(random.next() < 0.5 ? UP : DOWN, usd * 100);
        }
      };
    },
  };
}

/** Others bet in the same rounds: the attack may take the money that they overpay. */
export function beside(attack: Strategy, seed: number): Strategy {
  const others = fairFlow(100, seed);
  return {
    name: `${attack.name} beside 100 fair bets`,
    sight: attack.sight,
    newRound: () => {
      const [theirs, own] = [others.newRound(), attack.newRound()];
      return (moment) => {
        theirs(moment);
        own(moment);
      };
    },
  };
}
