/** The JSON of an account's data: positions and answers to orders. */
import type { BetHashes } from '../../crypto/bet-hashes.js';
import { must } from '../../engine/base/assert.js';
import { flattenString } from '../../engine/base/flatten-string.js';
import { integerText } from '../../engine/base/integer-text.js';
import { isoText } from '../../engine/base/iso-text.js';
import {
  ASSETS,
  assetOf,
  BET_RESULTS,
  MARKET_IDS,
  NO_LIMIT,
  ROUND_STATUSES,
  roundId,
  SIDES,
  TIME_FRAMES,
  textAt,
  timeFrameOf,
} from '../../engine/model/domain.js';
import type { LimitFills, OrderTerms } from '../../engine/model/events.js';
import type { BetView, OfferView, PartsQuote } from '../../engine/model/views.js';
import type { OrderRefusal, QuoteInParts } from './account-types.js';
import { hundredthsText, oddsText, successText } from './wire.js';

/** Shared by all positions on one side of a market, by `market * 2 + side`. */
const POSITION_PARTS: readonly string[] = MARKET_IDS.flatMap((id, market) => {
  const crypto = textAt(ASSETS, assetOf(market));
  const frame = textAt(TIME_FRAMES, timeFrameOf(market));
  const head = `","marketId":"${id}","crypto":"${crypto}","timeFrame":"${frame}","prediction":`;
  return SIDES.map((side) => flattenString(`${head}"${side}","amount":`));
});

/** The round last printed of each market: lists repeat the same few. */
const keptRounds = MARKET_IDS.map(() => ({ roundNumber: -1, status: -1, text: '' }));

/** `{success, data: Position[], nextCursor}` as bytes, all ASCII. Built from few pieces, see `orderResultText`. */
export function positionsBytes(
  bets: readonly BetView[],
  nextCursor: string | null,
  hashes: BetHashes,
): Uint8Array {
  let text = '';
  for (const bet of bets) {
    text += text === '' ? '{"id":"bet_' : ',{"id":"bet_';
    text += positionRest(bet, hashes);
  }
  const next = nextCursor === null ? 'null' : `"${nextCursor}"`;
  return Buffer.from(`{"success":true,"data":[${text}],"nextCursor":${next}}`, 'latin1');
}

export const positionText = (bet: BetView, hashes: BetHashes): string =>
  `{"id":"bet_${positionRest(bet, hashes)}`;

function positionRest(bet: BetView, hashes: BetHashes): string {
  return (
    `${integerText(bet.bet)}${nameText(bet.clientOrderId)}${textAt(POSITION_PARTS, bet.market * 2 + bet.side)}${hundredthsText(bet.stakeCents)},"oddsAtBet":` +
    `${oddsText(bet.oddsE4)},"potentialPayout":${hundredthsText(bet.payoutCents)}${outcomeText(bet)}` +
    `${isoText(bet.placedAtMs)}${settledAtText(bet.settledAtMs)}${entryText(bet, hashes)}${roundText(bet)}`
  );
}

/** Between the number of an order and the quote behind its id. */
const nameText = (clientOrderId: string | null): string =>
  clientOrderId === null ? '' : `","clientOrderId":${JSON.stringify(clientOrderId).slice(0, -1)}`;

const NO_ENTRY = ',"entryPercent":null,"betHash":null';

function entryText(view: BetView, hashes: BetHashes): string {
  const { entryPercentE2 } = view;
  if (entryPercentE2 === null) return NO_ENTRY;
  return `,"entryPercent":${hundredthsText(entryPercentE2)},"betHash":"${hashes.ofView(view, entryPercentE2)}"`;
}

const BEFORE_PLACED_AT = ',"isLimitOrder":false,"placedAt":"';
const noResult = (status: BetView['status']): string =>
  `,"status":"${status}","result":null,"payout":null,"profit":null`;
const ACTIVE_PART = flattenString(noResult('ACTIVE') + BEFORE_PLACED_AT);
const SETTLING_PART = flattenString(noResult('SETTLING') + BEFORE_PLACED_AT);

/** The fields between `potentialPayout` and the value of `placedAt`. */
function outcomeText(bet: BetView): string {
  const { status, result, paidCents, stakeCents, limitOddsE4 } = bet;
  if (limitOddsE4 === NO_LIMIT && paidCents === null)
    return status === 'ACTIVE' ? ACTIVE_PART : SETTLING_PART;
  const resultText =
    paidCents === null
      ? noResult(status)
      : `,"status":"SETTLED","result":"${textAt(BET_RESULTS, result)}","payout":${hundredthsText(paidCents)},` +
        `"profit":${hundredthsText(paidCents - stakeCents)}`;
  return resultText + (limitOddsE4 === NO_LIMIT ? BEFORE_PLACED_AT : limitText(bet));
}

function limitText({ limitOddsE4, filledAtMs, validUntilMs }: BetView): string {
  const filledAt = filledAtMs === null ? 'null' : `"${isoText(filledAtMs)}"`;
  const validUntil = validUntilMs === null ? '' : `,"validUntil":"${isoText(validUntilMs)}"`;
  return `,"isLimitOrder":true,"limitOdds":${oddsText(limitOddsE4)},"filledAt":${filledAt}${validUntil},"placedAt":"`;
}

const settledAtText = (settledAtMs: number | null): string =>
  settledAtMs === null ? '","settledAt":null' : `","settledAt":"${isoText(settledAtMs)}"`;

function roundText({ market, roundNumber, roundStatus, roundEndTimeMs }: BetView): string {
  const kept = must(keptRounds[market], 'market');
  if (kept.roundNumber !== roundNumber || kept.status !== roundStatus) {
    kept.roundNumber = roundNumber;
    kept.status = roundStatus;
    kept.text = flattenString(
      `,"round":{"id":"${roundId(market, roundNumber)}","roundNumber":${roundNumber},"status":"${textAt(ROUND_STATUSES, roundStatus)}",` +
        `"endTime":"${isoText(roundEndTimeMs)}"}}`,
    );
  }
  return kept.text;
}

/** Shared by all answers to orders on one side of a market, by `market * 2 + side`. */
const ORDER_PARTS: readonly string[] = MARKET_IDS.flatMap((id) =>
  SIDES.map((side) => flattenString(`","marketId":"${id}","prediction":"${side}","amount":`)),
);

/** The fields between the stake and the payout, by entry percent; built on first use. */
const PERCENT_PARTS = new Array<string | undefined>(10_001);
const percentPart = (percentE2: number): string =>
  (PERCENT_PARTS[percentE2] ??= flattenString(
    `,"entryPercent":${hundredthsText(percentE2)},"potentialPayout":`,
  ));

/** The text between the bet's hash and the balance, cached because many orders share a millisecond. */
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
 * Built from the bet alone, so a replay is the same byte for byte. Built from few pieces, because concatenating each
 * has a cost. `betHash` is null for an order that rests.
 */
export function orderResultText(bet: OrderTerms, betHash: string | null): string {
  if (bet.limitOddsE4 !== NO_LIMIT) return limitResultText(bet, betHash);
  return (
    `{"bet":{"id":"bet_${integerText(bet.bet)}${nameText(bet.clientOrderId)}${textAt(ORDER_PARTS, bet.market * 2 + bet.side)}` +
    `${hundredthsText(bet.stakeCents)},"oddsAtBet":${oddsText(bet.oddsE4)}${percentPart(bet.entryPercentE2)}` +
    `${hundredthsText(bet.payoutCents)},"status":"ACTIVE","betHash":"${betHash}${timePart(bet.timeMs)}` +
    `${hundredthsText(bet.newBalanceCents)},"limitOrdersFilled":${filledText(bet.filled)}}`
  );
}

function limitResultText(bet: OrderTerms, betHash: string | null): string {
  const percent = betHash === null ? 'null' : hundredthsText(bet.entryPercentE2);
  return (
    `{"bet":{"id":"bet_${integerText(bet.bet)}${nameText(bet.clientOrderId)}${textAt(ORDER_PARTS, bet.market * 2 + bet.side)}` +
    `${hundredthsText(bet.stakeCents)},"oddsAtBet":${oddsText(bet.oddsE4)},"entryPercent":${percent},"potentialPayout":` +
    `${hundredthsText(bet.payoutCents)},"status":"${betHash === null ? 'PENDING' : 'ACTIVE'}","betHash":` +
    `${betHash === null ? 'null' : `"${betHash}"`},"placedAt":"${isoText(bet.timeMs)}","limitOdds":${oddsText(bet.limitOddsE4)}},` +
    `"newBalance":${hundredthsText(bet.newBalanceCents)},"limitOrdersFilled":${filledText(bet.filled)}}`
  );
}

function filledText(filled: LimitFills | null): string {
  if (filled === null) return 'null';
  const of = (orders: number, cents: number): string =>
    `{"orders":${orders},"amount":${hundredthsText(cents)}}`;
  return `{"up":${of(filled.upOrders, filled.upCents)},"down":${of(filled.downOrders, filled.downCents)}}`;
}

const refusalText = (refusal: OrderRefusal | null): string =>
  refusal === null ? 'null' : `{"code":"${refusal.code}","detail":${JSON.stringify(refusal.detail)}}`;

type PartsWithRefusal = Omit<PartsQuote, 'refusal'> & Pick<QuoteInParts, 'refusal'>;

const partsText = ({ stakeCents, placed, resting, refusal, odds, payoutCents }: PartsWithRefusal): string =>
  `{"amount":${hundredthsText(stakeCents)},"placed":${placed},"resting":${resting},"refusal":${refusalText(refusal)},` +
  `"meanOdds":${odds === null ? null : oddsText(odds.meanE4)},"leastOdds":${odds === null ? null : oddsText(odds.leastE4)},` +
  `"potentialPayout":${hundredthsText(payoutCents)}}`;

export function orderQuoteText(
  market: number,
  timeMs: number,
  offer: OfferView | null,
  refusal: OrderRefusal | null,
  rests: boolean | null,
  inParts: PartsWithRefusal | null,
): string {
  const offerText =
    offer === null
      ? '"roundId":null,"percent":null,"oddsAtBet":null,"entryPercent":null,"potentialPayout":null'
      : `"roundId":"${roundId(market, offer.roundNumber)}","percent":${hundredthsText(offer.percentE2)},` +
        `"oddsAtBet":${oddsText(offer.oddsE4)},"entryPercent":${hundredthsText(offer.entryPercentE2)},` +
        `"potentialPayout":${hundredthsText(offer.payoutCents)}`;
  const restsText = rests === null ? '' : `,"rests":${rests}`;
  const inPartsText = inParts === null ? '' : `,"inParts":${partsText(inParts)}`;
  return successText(
    `{"refusal":${refusalText(refusal)},${offerText}${restsText}${inPartsText},"quotedAt":"${isoText(timeMs)}"}`,
  );
}
