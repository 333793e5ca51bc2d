/** The queries of the lists of bets: filters, and cursors as clients see them. */
import type { BetsStatus } from '../../../engine/model/bet-pages.js';
import { marketOf, parseBetId, parseRoundId, SIDES } from '../../../engine/model/domain.js';
import { cursorText, markOf, parseCursor } from '../../kit/cursor.js';
import {
  CLIENT_ORDER_ID_PATTERN,
  type Given,
  parseChoice,
  parseLimit,
  parseQuery,
  parseTime,
} from '../../kit/params.js';
import { refuseInvalid } from '../../kit/refused.js';
import type { CancelFilter, ListFields } from '../../link/questions.js';

export const POSITIONS_LIMIT_DEFAULT = 100;
export const ORDERS_LIMIT_DEFAULT = 50;

/** A cursor is a place alone, or a place and the bets that the first page has shown. */
const PLACE_NUMBERS = 3;
const CHANGES_NUMBERS = 6;
/** Six numbers and the bets of one command on a page. */
const CURSOR_NUMBERS_MAX = 206;

const CLIENT_ORDER_ID = new RegExp(CLIENT_ORDER_ID_PATTERN);

const STATUS_OF_POSITIONS: ReadonlyMap<string, BetsStatus> = new Map([
  ['active', 'open'],
  ['all', 'all'],
]);
export const STATUS_OF_ORDERS: ReadonlyMap<string, BetsStatus> = new Map([
  ...STATUS_OF_POSITIONS,
  ['settled', 'settled'],
]);

export function positionsQuery(query: string): ListFields {
  const given = parseQuery(query, ['status', 'marketId', 'roundId', 'cursor', 'limit']);
  const status =
    STATUS_OF_POSITIONS.get(given.get('status') ?? 'active') ?? refuseInvalid('status must be active or all');
  const isFiltered = given.has('marketId') || given.has('roundId');
  const isByChange = status === 'all' && !isFiltered;
  return ledOn('positions', given, listQuery(given, status, isByChange, POSITIONS_LIMIT_DEFAULT));
}

export function ordersQuery(query: string): ListFields {
  const given = parseQuery(query, [
    'status',
    'marketId',
    'roundId',
    'clientOrderId',
    'before',
    'cursor',
    'limit',
  ]);
  const status =
    STATUS_OF_ORDERS.get(given.get('status') ?? 'all') ??
    refuseInvalid('status must be active, settled or all');
  const clientOrderId = given.get('clientOrderId') ?? null;
  if (clientOrderId !== null && !CLIENT_ORDER_ID.test(clientOrderId))
    refuseInvalid('clientOrderId must be 1 to 64 visible ASCII characters');
  const list = { ...listQuery(given, status, false, ORDERS_LIMIT_DEFAULT), clientOrderId };
  const before = given.get('before');
  return ledOn('orders', given, before === undefined ? list : withBefore(list, given, before));
}

export function cancelQuery(query: string): CancelFilter {
  const given = parseQuery(query, ['marketId', 'prediction']);
  const market = marketIn(given);
  const prediction = parseChoice('prediction', given.get('prediction'), SIDES);
  return { market, side: prediction === null ? null : SIDES.indexOf(prediction) };
}

export function listQuery(
  given: Given,
  status: BetsStatus,
  isByChange: boolean,
  limitDefault: number,
): ListFields {
  const limit = parseLimit(given.get('limit'), limitDefault);
  const market = marketIn(given);
  const round = roundIn(given, market);
  return {
    status,
    isByChange,
    market: round?.market ?? market,
    roundNumber: round?.roundNumber ?? null,
    beforeMs: null,
    clientOrderId: null,
    cursor: [],
    limit,
  };
}

export function marketIn(given: Given): number | null {
  const id = given.get('marketId');
  if (id === undefined) return null;
  const market = marketOf(id);
  return market < 0 ? refuseInvalid('marketId must be the id of a market') : market;
}

function roundIn(given: Given, market: number | null): ReturnType<typeof parseRoundId> {
  const id = given.get('roundId');
  if (id === undefined) return null;
  const round = parseRoundId(id) ?? refuseInvalid('roundId must be the id of a round');
  if (market !== null && market !== round.market) refuseInvalid('roundId must be of the market marketId');
  return round;
}

/** `before` is a time, or an order: bets placed before it are listed. */
function withBefore(list: ListFields, given: Given, before: string): ListFields {
  const bet = parseBetId(before);
  if (bet !== 0 && given.has('cursor')) refuseInvalid('an order in before and cursor exclude each other');
  if (bet !== 0) return { ...list, cursor: [bet, 0, 0] };
  return { ...list, beforeMs: parseTime('before', before, 'the id of an order or ') };
}

export const betsCursor = (name: string, list: ListFields, place: readonly number[]): string =>
  cursorText(betsMark(name, list), ...place);

const betsMark = (
  name: string,
  { status, market, roundNumber, beforeMs, clientOrderId }: ListFields,
): number => markOf(name, { status, market, roundNumber, beforeMs, clientOrderId });

/** The list, which has all of its filters now, from the cursor's place on. */
export function ledOn(name: string, given: Given, list: ListFields): ListFields {
  const text = given.get('cursor');
  if (text === undefined) return list;
  const [countMin, countMax] = list.isByChange
    ? [CHANGES_NUMBERS, CURSOR_NUMBERS_MAX]
    : [PLACE_NUMBERS, PLACE_NUMBERS];
  const cursor = parseCursor(text, betsMark(name, list), countMin, countMax);
  return { ...list, isByChange: false, cursor };
}
