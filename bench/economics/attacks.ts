/** Bettors who are after the house's money, each with a way of their own. */
import { DOWN, LIMIT_ODDS_E4_MAX, LIMIT_ODDS_E4_MIN, UP } from '../../engine/model/domain.js';
import type { Moment, Strategy } from './desk.js';
import { LATENESS_MS } from './tape.js';

const other = (side: number): number => (side === UP ? DOWN : UP);
/** The side on which the price stands against the open price; -1 on neither. */
const leader = ({ price, openPrice }: Moment): number =>
  price > openPrice ? UP : price < openPrice ? DOWN : -1;

/** Bets of one side's published pool times `growth`, so that each moves the odds as far as the one before it. */
function climb(moment: Moment, side: number, growth: number, bets: number): void {
  for (let i = 0; i < bets; i++) moment.bet(side, Math.round(moment.poolCents(side) * growth));
}

function repeat(moment: Moment, side: number, stakeCents: number, bets: number): void {
  for (let i = 0; i < bets; i++) moment.bet(side, stakeCents);
}

/** One second before betting closes, 10 x 100 USD on the side where the price stands. */
const lateBettor: Strategy = {
  name: 'late bettor',
  lateness: 0,
  newRound: () => (moment) => {
    const side = leader(moment);
    if (moment.index === moment.count - 1 && side >= 0) repeat(moment, side, 100_00, 10);
  },
};

/** Takes every bet that pays at the quote, as large as pays best: who knows all probabilities can do no better at a moment. */
const allKnowing = (lateness: number): Strategy => ({
  name: lateness === 0 ? 'all-knowing' : `all-knowing, ${lateText(lateness)} earlier`,
  lateness,
  newRound: () => takeWhatPays,
});

function lateText(lateness: number): string {
  const ms = LATENESS_MS[lateness] ?? 0;
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

/** Bets at one moment and side: after each the house may quote anew. */
const BETS_AT_ONCE_MAX = 4;

function takeWhatPays(moment: Moment): void {
  for (const side of [UP, DOWN]) {
    for (let i = 0; i < BETS_AT_ONCE_MAX; i++) {
      const stake = bestStakeCents(moment, side, probabilityOf(moment, side));
      if (stake === 0 || !moment.bet(side, stake)) break;
    }
  }
}

export const probabilityOf = ({ probabilityUp }: Moment, side: number): number =>
  side === UP ? probabilityUp : 1 - probabilityUp;

/**
 * The stake with the greatest expected profit, 0 if none has any. With a payout of k for each dollar of probable odds, the
 * expectation is k * s * (T + s) / (A + s) - s, whose derivative is zero at (A + s)^2 = k * A * (T - A) / (1 - k).
 */
export function bestStakeCents(moment: Moment, side: number, probability: number): number {
  const own = moment.poolCents(side);
  const total = own + moment.poolCents(other(side));
  const k = probability * (1 - moment.feeBps / 10_000);
  if (k * total <= own) return 0;
  const best = Math.floor(Math.sqrt((k * own * (total - own)) / (1 - k)) - own);
  const stake = Math.min(best, moment.availableCents(side));
  if (stake < moment.minStakeCents) return 0;
  const pays = (k * (total + stake)) / (own + stake) > 1;
  return pays ? stake : 0;
}

/** DOWN climbs, then UP climbs at the odds that DOWN has made, in one moment at the beginning. */
const poolSwinger: Strategy = {
  name: 'pool swinger',
  lateness: 0,
  newRound: () => (moment) => {
    if (moment.index !== 1) return;
    climb(moment, DOWN, 0.0738, 36);
    climb(moment, UP, 0.0652, 16);
  },
};

/** 9,000 on DOWN and 2,344 on UP: UP is closed for everybody else from then on. */
const sideCloser: Strategy = {
  name: 'side closer',
  lateness: 0,
  newRound: () => (moment) => {
    if (moment.index !== 1) return;
    repeat(moment, DOWN, 1_000_00, 9);
    repeat(moment, UP, 586_00, 4);
  },
};

/** On both sides, from the beginning on, and not looked at again: whatever the odds come to is there to be taken. */
const standingLadder: Strategy = {
  name: 'resting ladder',
  lateness: 0,
  newRound: () => (moment) => {
    if (moment.index !== 1) return;
    for (const side of [UP, DOWN]) for (const odds of LADDER_ODDS) moment.rest(side, 100_00, odds * 10_000);
  },
};
const LADDER_ODDS = [2.1, 2.3, 2.6, 3, 3.5, 4.5, 6, 9, 15, 30];

/**
 * Knows all probabilities, and has orders rest at the odds that just pay by them, anew at each moment: if resting orders were
 * an option on the next price, these were the ones to hold.
 */
const restingAllKnowing: Strategy = {
  name: 'resting, all-knowing',
  lateness: 0,
  newRound: () => (moment) => {
    moment.cancelAll();
    for (const side of [UP, DOWN]) {
      const limitOddsE4 = payingOddsE4(moment, side);
      if (limitOddsE4 <= LIMIT_ODDS_E4_MAX)
        for (const stakeCents of RESTING_STAKES_CENTS) moment.rest(side, stakeCents, limitOddsE4);
    }
  },
};
const RESTING_STAKES_CENTS = [20_00, 100_00, 400_00];

/** The least odds that can be named at which a bet on the side pays. */
function payingOddsE4(moment: Moment, side: number): number {
  const odds = 1 / (probabilityOf(moment, side) * (1 - moment.feeBps / 10_000));
  const step = odds < 10 ? 100 : odds < 100 ? 1_000 : 10_000;
  return Math.max(LIMIT_ODDS_E4_MIN, (Math.floor((odds * 10_000) / step) + 1) * step);
}

/** Orders that rest. */
export const RESTING: readonly Strategy[] = [standingLadder, restingAllKnowing];
/** The four attacks of the fixed quotes. */
export const KNOWN_ATTACKS: readonly Strategy[] = [lateBettor, allKnowing(0), poolSwinger, sideCloser];
export const EARLIER: readonly Strategy[] = [1, 2, 3].map(allKnowing);
