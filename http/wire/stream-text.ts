/** The JSON of the stream's messages. Those for many are put together from parts that are made once. */
import { integerText } from '../../engine/base/integer-text.js';
import { isoText } from '../../engine/base/iso-text.js';
import {
  ASSETS,
  BET_RESULTS,
  keyId,
  marketId,
  ROUND_RESULTS,
  ROUND_STATUSES,
  roundId,
  SIDES,
  textAt,
} from '../../engine/model/domain.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import type { SignedRoot } from '../../engine/model/proofs/proof-views.js';
import { availableText, poolsText, type ShownRound } from './market-text.js';
import type { JournalHead } from './proof-types.js';
import type { Channel } from './stream-requests.js';
import { hundredthsText, oddsText } from './wire.js';

export interface Moment {
  readonly seq: number;
  readonly timeMs: number;
}

const head = (type: string, { seq, timeMs }: Moment): string =>
  `{"type":"${type}","seq":${integerText(seq)},"time":"${isoText(timeMs)}"`;

/**
 * `ages` are by asset, in milliseconds; null if it has no price. `signed` is the journal's head, or null to leave it
 * out.
 */
export function heartbeatText(
  moment: Moment,
  ages: readonly (number | null)[],
  signed: JournalHead | null,
): string {
  const texts = ages.map((ageMs, asset) => `"${textAt(ASSETS, asset)}":${ageMs}`);
  const headText = signed === null ? '' : `,"head":${JSON.stringify(signed)}`;
  return `${head('heartbeat', moment)},"priceAgeMs":{${texts.join(',')}}${headText}}`;
}

interface SubscribedFields {
  readonly id: number;
  readonly channel: Channel;
  readonly markets: readonly string[] | null;
}

/** `from` is where the events begin; state channels have none. */
export function subscribedText(
  moment: Moment,
  { id, channel, markets }: SubscribedFields,
  from: { readonly since: number; readonly run: string } | null = null,
): string {
  const { since, run } = from ?? { since: null, run: null };
  return `${head('subscribed', moment)},"id":${id},"channel":"${channel}","markets":${JSON.stringify(markets)},"since":${since},"run":${JSON.stringify(run)}}`;
}

export const unsubscribedText = (moment: Moment, id: number, channel: Channel): string =>
  `${head('unsubscribed', moment)},"id":${id},"channel":"${channel}"}`;

export const pongText = (moment: Moment, id: number): string => `${head('pong', moment)},"id":${id}}`;

export interface ErrorFields {
  readonly code: ErrorCode;
  readonly detail: string;
  /** JSON of further members, each behind a comma, or ''. */
  readonly extension?: string;
}

export function errorMessageText(
  moment: Moment,
  id: number | null,
  { code, detail, extension = '' }: ErrorFields,
  retryAfterSeconds = 0,
): string {
  const retry = retryAfterSeconds === 0 ? '' : `,"retryAfterSeconds":${retryAfterSeconds}`;
  return `${head('error', moment)},"id":${id},"code":"${code}","message":${JSON.stringify(detail)}${extension}${retry}}`;
}

/** `dataText` is the JSON of an OrderResult. */
export const orderMessageText = (moment: Moment, id: number, isReplay: boolean, dataText: string): string =>
  `${head('order', moment)},"id":${id},"replayed":${isReplay},"data":${dataText}}`;

/** `dataText` is the JSON of a Position. */
export const doneMessageText = (
  type: 'cancelled' | 'cancelledAll' | 'deadman',
  moment: Moment,
  id: number,
  dataText: string,
): string => `${head(type, moment)},"id":${id},"data":${dataText}}`;

/** `parts` are the JSON of the channel's elements. */
export const stateText = (
  channel: 'markets' | 'prices',
  moment: Moment,
  isSnapshot: boolean,
  parts: readonly string[],
): string => `${head(channel, moment)},"snapshot":${isSnapshot},"data":[${parts.join(',')}]}`;

export function accountText(
  moment: Moment,
  isSnapshot: boolean,
  balanceCents: number,
  newKeys: readonly number[],
): string {
  const keys = newKeys.length === 0 ? '' : `,"newKeys":${JSON.stringify(newKeys.map(keyId))}`;
  return `${head('account', moment)},"snapshot":${isSnapshot},"data":{"balance":${hundredthsText(balanceCents)}${keys}}}`;
}

/** `parts` are the JSON of the channel's events. */
export const eventsText = (channel: 'rounds' | 'fills', moment: Moment, parts: readonly string[]): string =>
  `${head(channel, moment)},"data":[${parts.join(',')}]}`;

export function marketStateText(market: number, round: ShownRound | null, nowMs: number): string {
  const ofRound =
    round === null
      ? '"roundId":null,"status":null,"bettingClosesAt":null,"openPrice":null'
      : `"roundId":"${roundId(market, round.roundNumber)}","status":"${textAt(ROUND_STATUSES, round.status)}",` +
        `"bettingClosesAt":"${isoText(round.bettingClosesMs)}","openPrice":${round.openPrice}`;
  return (
    `{"id":"${marketId(market)}",${ofRound},${poolsText(round)},${availableText(round, nowMs)},` +
    `"totalBets":${round?.bets ?? 0},"totalVolume":${hundredthsText(round?.volumeCents ?? 0)}}`
  );
}

export type TimedPrice = { readonly price: number; readonly timeMs: number } | null;

export function priceStateText(asset: number, tick: TimedPrice, open: TimedPrice): string {
  const timed = (name: string, at: string, it: TimedPrice): string =>
    it === null ? `"${name}":null,"${at}":null` : `"${name}":${it.price},"${at}":"${isoText(it.timeMs)}"`;
  return `{"crypto":"${textAt(ASSETS, asset)}",${timed('price', 'priceTime', tick)},${timed('openPrice', 'openTime', open)}}`;
}

const ofRound = (event: string, market: number, roundNumber: number): string =>
  `{"event":"${event}","marketId":"${marketId(market)}","roundId":"${roundId(market, roundNumber)}","roundNumber":${roundNumber}`;

interface OpenedFields {
  readonly openPrice: number;
  readonly startTimeMs: number;
  readonly bettingClosesMs: number;
  readonly lockTimeMs: number;
  readonly endTimeMs: number;
}

export const openedText = (market: number, roundNumber: number, opened: OpenedFields): string =>
  `${ofRound('opened', market, roundNumber)},"openPrice":${opened.openPrice},"startTime":"${isoText(opened.startTimeMs)}",` +
  `"bettingClosesAt":"${isoText(opened.bettingClosesMs)}","lockTime":"${isoText(opened.lockTimeMs)}",` +
  `"endTime":"${isoText(opened.endTimeMs)}"}`;

export const lockedText = (market: number, roundNumber: number): string =>
  `${ofRound('locked', market, roundNumber)}}`;

export const rootText = (market: number, roundNumber: number, root: SignedRoot): string =>
  `${ofRound('root', market, roundNumber)},"merkleRoot":"${root.merkleRoot}","treeSize":${root.treeSize},` +
  `"keyId":"${root.keyId}","signature":"${root.signature}"}`;

interface BetsOfRound {
  readonly bets: number;
  readonly volumeCents: number;
}

const betsText = ({ bets, volumeCents }: BetsOfRound): string =>
  `"totalBets":${bets},"totalVolume":${hundredthsText(volumeCents)}}`;

export const settledText = (
  market: number,
  roundNumber: number,
  settled: BetsOfRound & {
    readonly result: number;
    readonly openPrice: number;
    readonly closePrice: number;
  },
): string =>
  `${ofRound('settled', market, roundNumber)},"result":"${textAt(ROUND_RESULTS, settled.result)}",` +
  `"openPrice":${settled.openPrice},"closePrice":${settled.closePrice},${betsText(settled)}`;

export const voidedText = (market: number, roundNumber: number, voided: BetsOfRound): string =>
  `${ofRound('voided', market, roundNumber)},${betsText(voided)}`;

interface FillFields {
  readonly bet: number;
  /** `market * 2 + side`. */
  readonly marketSide: number;
  readonly roundNumber: number;
  readonly stakeCents: number;
  readonly payoutCents: number;
  readonly balanceCents: number;
  readonly clientOrderId: string | null;
}

function ofBet(event: string, fill: FillFields): string {
  const { bet, marketSide, roundNumber, stakeCents, balanceCents, clientOrderId } = fill;
  const name = clientOrderId === null ? '' : `"clientOrderId":${JSON.stringify(clientOrderId)},`;
  const market = marketSide >> 1;
  return (
    `{"event":"${event}","id":"bet_${integerText(bet)}",${name}"marketId":"${marketId(market)}","roundId":"${roundId(market, roundNumber)}",` +
    `"roundNumber":${roundNumber},"prediction":"${textAt(SIDES, marketSide & 1)}","amount":${hundredthsText(stakeCents)},` +
    `"newBalance":${hundredthsText(balanceCents)}`
  );
}

/** `filled`: a limit order that has rested. */
export const placedText = (
  bet: FillFields & { readonly oddsE4: number; readonly entryPercentE2: number },
  event: 'placed' | 'filled' = 'placed',
): string =>
  `${ofBet(event, bet)},"oddsAtBet":${oddsText(bet.oddsE4)},"entryPercent":${hundredthsText(bet.entryPercentE2)},` +
  `"potentialPayout":${hundredthsText(bet.payoutCents)}}`;

export const pendingText = (order: FillFields & { readonly oddsE4: number }): string =>
  `${ofBet('pending', order)},"limitOdds":${oddsText(order.oddsE4)},"potentialPayout":${hundredthsText(order.payoutCents)}}`;

export const unfilledText = (order: FillFields, isCancelled: boolean): string =>
  `${ofBet(isCancelled ? 'cancelled' : 'expired', order)}}`;

/** `result` is an index into `BET_RESULTS`. */
export function paidText(bet: FillFields & { readonly result: number }): string {
  const result = textAt(BET_RESULTS, bet.result);
  return (
    `${ofBet(result === 'REFUNDED' ? 'refunded' : 'settled', bet)},"result":"${result}","payout":${hundredthsText(bet.payoutCents)},` +
    `"profit":${hundredthsText(bet.payoutCents - bet.stakeCents)}}`
  );
}
