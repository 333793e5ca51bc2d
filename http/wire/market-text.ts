/** The JSON of a market and its round, assembled from parts that change at different times. */
import { must } from '../../engine/base/assert.js';
import { flattenString } from '../../engine/base/flatten-string.js';
import { oddsE4, percentUpE2 } from '../../engine/base/money.js';
import {
  ASSETS,
  assetOf,
  marketId,
  ROUND_STATUSES,
  roundId,
  TIME_FRAMES,
  textAt,
  timeFrameOf,
  UPCOMING,
} from '../../engine/model/domain.js';
import type { MarketRules } from '../../engine/model/rules.js';
import type { RoundView } from '../../engine/model/views.js';
import { hundredthsText, isoText, oddsText } from './wire.js';

/** Odds and percent without a round: those of even pools, with which every round opens. */
const EVEN_POOLS =
  '"poolUp":0,"poolDown":0,"totalPool":0,"oddsUp":2,"oddsDown":2,"percentUp":50,"percentDown":50';

/** A market's current round as shown to clients: status, open price and bets are durable. */
export interface ShownRound {
  readonly round: RoundView;
  readonly status: number;
  /** The constant fields of the round, up to `bettingClosesAt`. */
  readonly head: string;
  readonly openPriceText: string;
  readonly durable: DurableBets;
}

/** Number and sum of a round's durable bets; updated in place. */
export interface DurableBets {
  bets: number;
  volumeCents: number;
}

export function shownRound(round: RoundView, status: number, durable: DurableBets): ShownRound {
  const openPrice = status === UPCOMING ? null : must(round.openPrice, 'open price of a round that opened');
  return { round, status, head: roundHead(round), openPriceText: `${openPrice}`, durable };
}

/** The fields of a market that never change. */
export function marketHead(market: number): string {
  const crypto = textAt(ASSETS, assetOf(market));
  const frame = textAt(TIME_FRAMES, timeFrameOf(market));
  return flattenString(`{"id":"${marketId(market)}","crypto":"${crypto}","timeFrame":"${frame}",`);
}

/** JSON of a Market. */
export function marketText(
  head: string,
  shown: ShownRound | null,
  rules: MarketRules,
  tick: number | null,
  nowMs: number,
): string {
  // The limits of the current round: new rules apply only to rounds that open after them.
  const { minStakeCents, maxStakeCents } = shown === null ? rules : shown.round;
  const limits = `"minBet":${hundredthsText(minStakeCents)},"maxBet":${hundredthsText(maxStakeCents)}`;
  const pools = shown === null ? EVEN_POOLS : poolsText(shown.round);
  const round = shown === null ? 'null' : currentRoundText(shown, tick, nowMs);
  return `${head}${pools},${limits},"currentRound":${round}}`;
}

function poolsText({ poolUpCents, poolDownCents }: RoundView): string {
  const totalCents = poolUpCents + poolDownCents;
  if (totalCents === 0) return EVEN_POOLS;
  const upE2 = percentUpE2(poolUpCents, totalCents);
  return (
    `"poolUp":${hundredthsText(poolUpCents)},"poolDown":${hundredthsText(poolDownCents)},` +
    `"totalPool":${hundredthsText(totalCents)},` +
    `"oddsUp":${oddsText(oddsE4(totalCents, poolUpCents))},` +
    `"oddsDown":${oddsText(oddsE4(totalCents, poolDownCents))},` +
    `"percentUp":${hundredthsText(upE2)},"percentDown":${hundredthsText(10_000 - upE2)}`
  );
}

function currentRoundText(
  { round, status, head, openPriceText, durable }: ShownRound,
  tick: number | null,
  nowMs: number,
): string {
  return (
    `${head}${remainingText(round, nowMs)},"openPrice":${openPriceText},"currentPrice":${tick},` +
    `"status":"${ROUND_STATUSES[status]}","totalBets":${durable.bets},` +
    `"totalVolume":${hundredthsText(durable.volumeCents)}}`
  );
}

/** The opening brace of a Round and its constant fields; the caller closes the object. */
function roundHead(round: RoundView): string {
  return flattenString(
    `{"id":"${roundId(round.market, round.roundNumber)}","roundNumber":${round.roundNumber},` +
      `"startTime":"${isoText(round.startTimeMs)}","lockTime":"${isoText(round.lockTimeMs)}",` +
      `"endTime":"${isoText(round.endTimeMs)}","bettingClosesAt":"${isoText(round.bettingClosesMs)}",`,
  );
}

/** All stop at 0. Seconds are rounded down, so that the answer never promises time that is not left. */
function remainingText(round: RoundView, nowMs: number): string {
  const seconds = Math.floor(Math.max(round.endTimeMs - nowMs, 0) / 1000);
  return (
    `"timeRemaining":${seconds},"timeToLock":${Math.max(round.lockTimeMs - nowMs, 0)},` +
    `"timeToBettingClose":${Math.max(round.bettingClosesMs - nowMs, 0)}`
  );
}
