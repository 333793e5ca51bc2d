/** The JSON of what belongs to one account: positions and the answers to orders. */
import { must } from '../../engine/base/assert.js';
import { flattenString } from '../../engine/base/flatten-string.js';
import { integerText } from '../../engine/base/integer-text.js';
import {
  ASSETS,
  assetOf,
  BET_RESULTS,
  MARKET_IDS,
  ROUND_STATUSES,
  SIDES,
  TIME_FRAMES,
  textAt,
  timeFrameOf,
} from '../../engine/model/domain.js';
import type { BetPlaced } from '../../engine/model/events.js';
import type { BetView } from '../../engine/model/views.js';
import { hundredthsText, isoText, oddsText, successText } from './wire.js';

/** What all positions on one side of one market have in common, by `market * 2 + side`. */
const POSITION_PARTS: readonly string[] = MARKET_IDS.flatMap((id, market) => {
  const crypto = textAt(ASSETS, assetOf(market));
  const frame = textAt(TIME_FRAMES, timeFrameOf(market));
  const head = `","marketId":"${id}","crypto":"${crypto}","timeFrame":"${frame}","prediction":`;
  return SIDES.map((side) => flattenString(`${head}"${side}","amount":`));
});

/** The rounds that were printed last, by market: a list has the same few again and again. */
const keptRounds = MARKET_IDS.map(() => ({ roundNumber: -1, status: -1, text: '' }));

/** `{success, data: Position[]}` as bytes; all of it is ASCII. In few pieces: see `orderResultText`. */
export function positionsBytes(bets: readonly BetView[]): Uint8Array {
  let text = '';
  for (const bet of bets) {
    text += text === '' ? '{"id":"bet_' : ',{"id":"bet_';
    text += positionRest(bet);
  }
  return Buffer.from(successText(`[${text}]`), 'latin1');
}

function positionRest(bet: BetView): string {
  return (
    `${integerText(bet.bet)}${textAt(POSITION_PARTS, bet.market * 2 + bet.side)}${hundredthsText(bet.stakeCents)},"oddsAtBet":` +
    `${oddsText(bet.oddsE4)},"potentialPayout":${hundredthsText(bet.payoutCents)}${outcomeText(bet)}` +
    `${isoText(bet.placedAtMs)}${settledAtText(bet.settledAtMs)}${roundText(bet)}`
  );
}

const BEFORE_PLACED_AT = ',"isLimitOrder":false,"placedAt":"';
const openPart = (status: BetView['status']): string =>
  flattenString(`,"status":"${status}","result":null,"payout":null,"profit":null${BEFORE_PLACED_AT}`);
const ACTIVE_PART = openPart('ACTIVE');
const SETTLING_PART = openPart('SETTLING');

/** From the payout that is possible to the time of placing. */
function outcomeText({ status, result, paidCents, stakeCents }: BetView): string {
  if (paidCents === null) return status === 'ACTIVE' ? ACTIVE_PART : SETTLING_PART;
  return (
    `,"status":"SETTLED","result":"${textAt(BET_RESULTS, result)}","payout":${hundredthsText(paidCents)},` +
    `"profit":${hundredthsText(paidCents - stakeCents)}${BEFORE_PLACED_AT}`
  );
}

const settledAtText = (settledAtMs: number | null): string =>
  settledAtMs === null ? '","settledAt":null' : `","settledAt":"${isoText(settledAtMs)}"`;

/** The round, and the end of the position. */
function roundText({ market, roundNumber, roundStatus, roundEndTimeMs }: BetView): string {
  const kept = must(keptRounds[market], 'market');
  if (kept.roundNumber !== roundNumber || kept.status !== roundStatus) {
    kept.roundNumber = roundNumber;
    kept.status = roundStatus;
    kept.text = flattenString(
      `,"round":{"roundNumber":${roundNumber},"status":"${textAt(ROUND_STATUSES, roundStatus)}",` +
        `"endTime":"${isoText(roundEndTimeMs)}"}}`,
    );
  }
  return kept.text;
}

/** What every answer to an order on one side of one market has in common, by `market * 2 + side`. */
const ORDER_PARTS: readonly string[] = MARKET_IDS.flatMap((id) =>
  SIDES.map((side) => flattenString(`","marketId":"${id}","prediction":"${side}","amount":`)),
);

/** From the entry percent to the payout, by the percent; made when first asked for. */
const PERCENT_PARTS = new Array<string | undefined>(10_001);
const percentPart = (percentE2: number): string =>
  (PERCENT_PARTS[percentE2] ??= flattenString(
    `,"entryPercent":${hundredthsText(percentE2)},"potentialPayout":`,
  ));

/** From the bet's hash to the balance: many orders share a millisecond. */
let keptTimeMs = Number.NaN;
let keptTimePart = '';
function timePart(timeMs: number): string {
  if (timeMs !== keptTimeMs) {
    keptTimePart = flattenString(`","placedAt":"${isoText(timeMs)}"},"newBalance":`);
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
    `{"success":true,"data":{"bet":{"id":"bet_${integerText(bet.bet)}${textAt(ORDER_PARTS, bet.market * 2 + bet.side)}` +
    `${hundredthsText(bet.stakeCents)},"oddsAtBet":${oddsText(bet.oddsE4)}${percentPart(bet.entryPercentE2)}` +
    `${hundredthsText(bet.payoutCents)},"status":"ACTIVE","betHash":"${betHash}${timePart(bet.timeMs)}` +
    `${hundredthsText(bet.newBalanceCents)},"limitOrdersFilled":null}}`
  );
}
