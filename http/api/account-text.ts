/** The JSON of what belongs to one account: positions and the answers to orders. */
import {
  ASSETS,
  assetOf,
  BET_RESULTS,
  betId,
  MARKET_IDS,
  marketId,
  ROUND_STATUSES,
  SIDES,
  TIME_FRAMES,
  textAt,
  timeFrameOf,
} from '../../engine/domain.js';
import type { BetPlaced } from '../../engine/events.js';
import type { BetView } from '../../engine/views.js';
import { wholeText } from '../../engine/whole-text.js';
import { hundredthsText, isoText, oddsText, successText } from './wire.js';

/** `{success, data: Position[]}`. */
export function positionsText(bets: readonly BetView[]): string {
  let text = '';
  for (const bet of bets) text += text === '' ? positionText(bet) : `,${positionText(bet)}`;
  return successText(`[${text}]`);
}

function positionText(bet: BetView): string {
  const { market, stakeCents } = bet;
  return (
    `{"id":"${betId(bet.bet)}","marketId":"${marketId(market)}","crypto":"${textAt(ASSETS, assetOf(market))}",` +
    `"timeFrame":"${textAt(TIME_FRAMES, timeFrameOf(market))}","prediction":"${textAt(SIDES, bet.side)}",` +
    `"amount":${hundredthsText(stakeCents)},"oddsAtBet":${oddsText(bet.oddsE4)},` +
    `"potentialPayout":${hundredthsText(bet.payoutCents)},"status":"${bet.status}",${outcomeText(bet)},` +
    `"isLimitOrder":false,"placedAt":"${isoText(bet.placedAtMs)}",` +
    `"settledAt":${bet.settledAtMs === null ? 'null' : `"${isoText(bet.settledAtMs)}"`},` +
    `"round":{"roundNumber":${bet.roundNumber},"status":"${textAt(ROUND_STATUSES, bet.roundStatus)}",` +
    `"endTime":"${isoText(bet.roundEndTimeMs)}"}}`
  );
}

function outcomeText({ result, paidCents, stakeCents }: BetView): string {
  if (paidCents === null) return '"result":null,"payout":null,"profit":null';
  return (
    `"result":"${textAt(BET_RESULTS, result)}","payout":${hundredthsText(paidCents)},` +
    `"profit":${hundredthsText(paidCents - stakeCents)}`
  );
}

/** What every answer to an order on one side of one market has in common, by `market * 2 + side`. */
const ORDER_PARTS: readonly string[] = MARKET_IDS.flatMap((id) =>
  SIDES.map((side) => `","marketId":"${id}","prediction":"${side}","amount":`),
);

/** From the entry percent to the payout, by the percent; made when first asked for. */
const PERCENT_PARTS = new Array<string | undefined>(10_001);
const percentPart = (percentE2: number): string =>
  (PERCENT_PARTS[percentE2] ??= `,"entryPercent":${hundredthsText(percentE2)},"potentialPayout":`);

/** From the bet's hash to the balance: many orders share a millisecond. */
let keptTimeMs = Number.NaN;
let keptTimePart = '';
function timePart(timeMs: number): string {
  if (timeMs !== keptTimeMs) {
    keptTimePart = `","placedAt":"${isoText(timeMs)}"},"newBalance":`;
    keptTimeMs = timeMs;
  }
  return keptTimePart;
}

/**
 * `{success, data: OrderResult}`: from the facts of the bet alone, so that a replay is the same byte for byte. In few
 * pieces, because each costs 100 instructions until it stands in its place in the answer.
 */
export function orderResultText(bet: BetPlaced, betHash: string): string {
  return (
    `{"success":true,"data":{"bet":{"id":"bet_${wholeText(bet.bet)}${textAt(ORDER_PARTS, bet.market * 2 + bet.side)}` +
    `${hundredthsText(bet.stakeCents)},"oddsAtBet":${oddsText(bet.oddsE4)}${percentPart(bet.entryPercentE2)}` +
    `${hundredthsText(bet.payoutCents)},"status":"ACTIVE","betHash":"${betHash}${timePart(bet.timeMs)}` +
    `${hundredthsText(bet.newBalanceCents)},"limitOrdersFilled":null}}`
  );
}
