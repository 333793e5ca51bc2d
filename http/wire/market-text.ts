/** The JSON of a market and of its round, as GET /markets and the stream show them. */
import { isoText } from '../../engine/base/iso-text.js';
import { oddsE4, percentUpE2 } from '../../engine/base/money.js';
import {
  ASSETS,
  assetOf,
  LIVE,
  marketId,
  ROUND_STATUSES,
  roundId,
  TIME_FRAMES,
  textAt,
  timeFrameOf,
} from '../../engine/model/domain.js';
import { hundredthsText, oddsText } from './wire.js';

/** An even pool, with which a round opens, stands for no pools. */
const EVEN_POOLS =
  '"poolUp":0,"poolDown":0,"totalPool":0,"oddsUp":2,"oddsDown":2,"percentUp":50,"percentDown":50';

const NO_POOLS = { poolUpCents: 0, poolDownCents: 0 };

export interface ShownRound {
  readonly roundNumber: number;
  /** Index into `ROUND_STATUSES`. */
  readonly status: number;
  readonly startTimeMs: number;
  readonly lockTimeMs: number;
  readonly endTimeMs: number;
  readonly bettingClosesMs: number;
  /** null while UPCOMING. */
  readonly openPrice: number | null;
  readonly poolUpCents: number;
  readonly poolDownCents: number;
  readonly bets: number;
  readonly volumeCents: number;
  readonly availableUpCents: number;
  readonly availableDownCents: number;
  /** Set by the market and the house; betting may be closed all the same. */
  readonly takesOrders: boolean;
}

export interface ShownMarket {
  readonly minStakeCents: number;
  readonly maxStakeCents: number;
  readonly round: ShownRound | null;
}

export function marketText(
  market: number,
  { minStakeCents, maxStakeCents, round }: ShownMarket,
  tick: number | null,
  nowMs: number,
): string {
  const crypto = textAt(ASSETS, assetOf(market));
  const frame = textAt(TIME_FRAMES, timeFrameOf(market));
  const current = round === null ? 'null' : currentRoundText(market, round, tick, nowMs);
  return (
    `{"id":"${marketId(market)}","crypto":"${crypto}","timeFrame":"${frame}",${poolsText(round)},` +
    `"minBet":${hundredthsText(minStakeCents)},"maxBet":${hundredthsText(maxStakeCents)},` +
    `${availableText(round, nowMs)},"currentRound":${current}}`
  );
}

export function availableText(round: ShownRound | null, nowMs: number): string {
  const accepts = round?.takesOrders === true && round.status === LIVE && nowMs < round.bettingClosesMs;
  const [up, down] = accepts ? [round.availableUpCents, round.availableDownCents] : [0, 0];
  return `"acceptsOrders":${accepts},"availableUp":${hundredthsText(up)},"availableDown":${hundredthsText(down)}`;
}

/** Without pools, as between rounds, for null. */
export function poolsText(round: ShownRound | null): string {
  const { poolUpCents, poolDownCents } = round ?? NO_POOLS;
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

/** Clocks stop at 0. Whole seconds are rounded down: the answer never promises time that is not there. */
function currentRoundText(market: number, round: ShownRound, tick: number | null, nowMs: number): string {
  const seconds = Math.floor(Math.max(round.endTimeMs - nowMs, 0) / 1000);
  return (
    `{"id":"${roundId(market, round.roundNumber)}","roundNumber":${round.roundNumber},` +
    `"startTime":"${isoText(round.startTimeMs)}","lockTime":"${isoText(round.lockTimeMs)}",` +
    `"endTime":"${isoText(round.endTimeMs)}","bettingClosesAt":"${isoText(round.bettingClosesMs)}",` +
    `"timeRemaining":${seconds},"timeToLock":${Math.max(round.lockTimeMs - nowMs, 0)},` +
    `"timeToBettingClose":${Math.max(round.bettingClosesMs - nowMs, 0)},"openPrice":${round.openPrice},` +
    `"currentPrice":${tick},"status":"${ROUND_STATUSES[round.status]}","totalBets":${round.bets},` +
    `"totalVolume":${hundredthsText(round.volumeCents)}}`
  );
}
