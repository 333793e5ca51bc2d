/** The JSON of the stream's messages. Those for many are put together from parts that are made once. */
import { integerText } from '../../engine/base/integer-text.js';
import { isoText } from '../../engine/base/iso-text.js';
import {
  ASSETS,
  BET_RESULTS,
  END_CANCELLED,
  keyId,
  marketId,
  ROUND_RESULTS,
  ROUND_STATUSES,
  roundId,
  SIDES,
  textAt,
} from '../../engine/model/domain.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import * as R from '../broadcast/records.js';
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

/** `record` is one of rounds. */
export function roundEventText(record: Float64Array): string {
  const field = (at: number): number => record[at] as number;
  const [market, roundNumber] = [field(R.MARKET), field(R.ROUND_NUMBER)];
  const of = (event: string): string =>
    `{"event":"${event}","marketId":"${marketId(market)}","roundId":"${roundId(market, roundNumber)}","roundNumber":${roundNumber}`;
  const bets = (): string =>
    `"totalBets":${field(R.BETS)},"totalVolume":${hundredthsText(field(R.VOLUME_CENTS))}}`;
  const time = (at: number): string => `"${isoText(field(at))}"`;
  switch (field(R.KIND)) {
    case R.OPENED:
      return (
        `${of('opened')},"openPrice":${field(R.OPEN_PRICE)},"startTime":${time(R.START_TIME_MS)},` +
        `"bettingClosesAt":${time(R.BETTING_CLOSES_MS)},"lockTime":${time(R.LOCK_TIME_MS)},` +
        `"endTime":${time(R.END_TIME_MS)}}`
      );
    case R.LOCKED:
      return `${of('locked')}}`;
    case R.ROOT: {
      const { merkleRoot, treeSize, keyId, signature } = R.readRoot(record);
      return (
        `${of('root')},"merkleRoot":"${merkleRoot}","treeSize":${treeSize},` +
        `"keyId":"${keyId}","signature":"${signature}"}`
      );
    }
    case R.VOIDED:
      return `${of('voided')},${bets()}`;
    default:
      return (
        `${of('settled')},"result":"${textAt(ROUND_RESULTS, field(R.RESULT))}",` +
        `"openPrice":${field(R.OPEN_PRICE)},"closePrice":${field(R.CLOSE_PRICE)},${bets()}`
      );
  }
}

/** `record` is one of bets; null if it tells of none. `clientOrderId` is in the record before it. */
export function betEventText(record: Float64Array, clientOrderId: string | null): string | null {
  const field = (at: number): number => record[at] as number;
  const payoutCents = field(R.PAYOUT_CENTS);
  const of = (event: string): string => ofBet(event, record, clientOrderId);
  const placed = (event: string): string =>
    `${of(event)},"oddsAtBet":${oddsText(field(R.ODDS_E4))},"entryPercent":${hundredthsText(field(R.ENTRY_PERCENT_E2))},` +
    `"potentialPayout":${hundredthsText(payoutCents)}}`;
  switch (field(R.KIND)) {
    case R.BET_PLACED:
      return placed('placed');
    case R.ORDER_FILLED:
      return placed('filled');
    case R.ORDER_PENDING:
      return `${of('pending')},"limitOdds":${oddsText(field(R.ODDS_E4))},"potentialPayout":${hundredthsText(payoutCents)}}`;
    case R.ORDER_ENDED:
      return `${of(field(R.BET_RESULT) === END_CANCELLED ? 'cancelled' : 'expired')}}`;
    case R.BET_SETTLED: {
      const result = textAt(BET_RESULTS, field(R.BET_RESULT));
      return (
        `${of(result === 'REFUNDED' ? 'refunded' : 'settled')},"result":"${result}","payout":${hundredthsText(payoutCents)},` +
        `"profit":${hundredthsText(payoutCents - field(R.STAKE_CENTS))}}`
      );
    }
    default:
      return null;
  }
}

function ofBet(event: string, record: Float64Array, clientOrderId: string | null): string {
  const name = clientOrderId === null ? '' : `"clientOrderId":${JSON.stringify(clientOrderId)},`;
  const marketSide = record[R.MARKET_SIDE] as number;
  const market = marketSide >> 1;
  const roundNumber = record[R.BET_ROUND_NUMBER] as number;
  return (
    `{"event":"${event}","id":"bet_${integerText(record[R.BET] as number)}",${name}"marketId":"${marketId(market)}",` +
    `"roundId":"${roundId(market, roundNumber)}","roundNumber":${roundNumber},"prediction":"${textAt(SIDES, marketSide & 1)}",` +
    `"amount":${hundredthsText(record[R.STAKE_CENTS] as number)},"newBalance":${hundredthsText(record[R.BALANCE_CENTS] as number)}`
  );
}
