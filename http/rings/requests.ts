/**
 * Requests of a gateway to the engine's thread, as messages in a ring. Every text in them was bounded on arrival, so
 * a client controls neither the length of a message nor its number of cells.
 */
import type { BetsStatus } from '../../engine/model/bet-pages.js';
import type { IdempotencyDigest, OrderGuards, PlaceOrder } from '../../engine/model/commands.js';
import { textAt } from '../../engine/model/domain.js';
import type { CancelOrders } from '../../engine/model/orders.js';
import { type RingConsumer, type RingProducer, textCells } from './ring.js';

/** The first number of a message is its kind; the second is the ticket, which the reply repeats. */
export const ORDER = 0;
/** Asks for the account's money and open bets. */
export const ACCOUNT = 1;
export const LIST = 2;
export const ROUND = 3;
export const BALANCE = 4;
/** The last command of the account, or of rounds: told once it is durable. */
export const ACCOUNT_SEQ = 5;
export const LIFECYCLE_SEQ = 6;
export const SEEN_KEY = 7;
/** Asks for the answer that an order would get; places nothing. */
export const QUOTE = 8;
export const CANCEL = 9;

/** Cancels all orders that rest, or those of a market or a side. */
export const CANCEL_ALL = 10;

/**
 * A countdown cancels a key's orders when its streams fall silent. The second kind tells that such a stream has ended.
 */
export const DEADMAN = 11;
export const DEADMAN_ENDED = 12;

/** Numbers of the key and of its account. */
export interface Asker {
  readonly key: number;
  readonly account: number;
}

/** The engine's thread adds what holds at the moment of execution. */
export interface OrderFields extends Omit<PlaceOrder, 'kind' | 'timeMs' | 'fairShareE6' | 'validUntilMs'> {
  /** The least odds that a limit order takes, 1e-4; 0 for any other order. */
  readonly limitOddsE4: number;
  readonly guards: OrderGuards | null;
}

const HEAD_CELLS = 2;
const ASKER_CELLS = 2;
const ORDER_CELLS = 10;
const GUARD_CELLS = 3;

/**
 * All functions that send return false if the ring is full; then nothing was sent. `parts` follow an order to quote.
 */
export function sendOrder(
  ring: RingProducer,
  kind: number,
  ticket: number,
  order: OrderFields,
  parts: number | null = null,
): boolean {
  const { guards } = order;
  const guardCells = guards === null ? 0 : GUARD_CELLS;
  const cells =
    HEAD_CELLS +
    ASKER_CELLS +
    ORDER_CELLS +
    guardCells +
    (parts === null ? 0 : 1) +
    textCells(order.clientSeed) +
    textCells(order.clientOrderId);
  if (!begin(ring, cells, kind, ticket, order)) return false;
  ring.number(order.market);
  ring.number(order.side);
  ring.number(order.stakeCents);
  ring.number(order.expectedPercentE6);
  ring.number(order.limitOddsE4);
  const { idempotency } = order;
  ring.number(idempotency === null ? 0 : 1);
  ring.number(idempotency?.keyHigh ?? 0);
  ring.number(idempotency?.keyLow ?? 0);
  ring.number(idempotency?.body ?? 0);
  ring.text(order.clientSeed);
  ring.text(order.clientOrderId);
  ring.number(guards === null ? 0 : 1);
  if (guards !== null) {
    ring.number(guards.roundNumber);
    ring.number(guards.validUntilMs);
    ring.number(guards.minOddsE4);
  }
  if (parts !== null) ring.number(parts);
  ring.send();
  return true;
}

export function readOrder(ring: RingConsumer): OrderFields {
  const key = ring.number();
  const account = ring.number();
  const market = ring.number();
  const side = ring.number();
  const stakeCents = ring.number();
  const expectedPercentE6 = ring.number();
  const limitOddsE4 = ring.number();
  const hasKey = ring.number() === 1;
  const digest = { keyHigh: ring.number(), keyLow: ring.number(), body: ring.number() };
  return {
    account,
    key,
    market,
    side,
    stakeCents,
    expectedPercentE6,
    limitOddsE4,
    idempotency: hasKey ? digest : null,
    clientSeed: ring.text(),
    clientOrderId: ring.text(),
    guards: ring.number() === 1 ? readGuards(ring) : null,
  };
}

const readGuards = (ring: RingConsumer): OrderGuards => ({
  roundNumber: ring.number(),
  validUntilMs: ring.number(),
  minOddsE4: ring.number(),
});

export interface ListFields {
  readonly status: BetsStatus;
  /** Open and settled bets in the order of their last change; only for a first page, of all bets. */
  readonly isByChange: boolean;
  readonly market: number | null;
  readonly roundNumber: number | null;
  readonly beforeMs: number | null;
  readonly clientOrderId: string | null;
  /** Numbers as of `cursorOf`; none for the first page. */
  readonly cursor: readonly number[];
  readonly limit: number;
}

const STATUSES: readonly BetsStatus[] = ['open', 'settled', 'all'];
const LIST_CELLS = 7;

export function sendList(ring: RingProducer, ticket: number, asker: Asker, list: ListFields): boolean {
  const { cursor } = list;
  const cells = HEAD_CELLS + ASKER_CELLS + LIST_CELLS + textCells(list.clientOrderId) + cursor.length;
  if (!begin(ring, cells, LIST, ticket, asker)) return false;
  ring.number(STATUSES.indexOf(list.status));
  ring.number(list.isByChange ? 1 : 0);
  ring.number(list.market ?? -1);
  ring.number(list.roundNumber ?? -1);
  ring.number(list.beforeMs ?? -1);
  ring.text(list.clientOrderId);
  ring.number(list.limit);
  ring.number(cursor.length);
  for (const number of cursor) ring.number(number);
  ring.send();
  return true;
}

const orNull = (number: number): number | null => (number < 0 ? null : number);

export function sendAsker(ring: RingProducer, kind: number, ticket: number, asker: Asker): boolean {
  if (!begin(ring, HEAD_CELLS + ASKER_CELLS, kind, ticket, asker)) return false;
  ring.send();
  return true;
}

export const readAsker = (ring: RingConsumer): Asker => ({ key: ring.number(), account: ring.number() });

export const readList = (ring: RingConsumer): ListFields => ({
  status: textAt(STATUSES, ring.number()),
  isByChange: ring.number() === 1,
  market: orNull(ring.number()),
  roundNumber: orNull(ring.number()),
  beforeMs: orNull(ring.number()),
  clientOrderId: ring.text(),
  limit: ring.number(),
  cursor: Array.from({ length: ring.number() }, () => ring.number()),
});

export interface RoundName {
  readonly market: number;
  readonly roundNumber: number;
}

export function sendRound(
  ring: RingProducer,
  ticket: number,
  asker: Asker,
  { market, roundNumber }: RoundName,
): boolean {
  if (!begin(ring, HEAD_CELLS + ASKER_CELLS + 2, ROUND, ticket, asker)) return false;
  ring.number(market);
  ring.number(roundNumber);
  ring.send();
  return true;
}

export const readRound = (ring: RingConsumer): RoundName => ({
  market: ring.number(),
  roundNumber: ring.number(),
});

/** Only the key's part of the digest counts. */
export function sendSeenKey(
  ring: RingProducer,
  ticket: number,
  asker: Asker,
  { keyHigh, keyLow }: IdempotencyDigest,
): boolean {
  if (!begin(ring, HEAD_CELLS + ASKER_CELLS + 2, SEEN_KEY, ticket, asker)) return false;
  ring.number(keyHigh);
  ring.number(keyLow);
  ring.send();
  return true;
}

export const readSeenKey = (ring: RingConsumer): IdempotencyDigest => ({
  keyHigh: ring.number(),
  keyLow: ring.number(),
  body: 0,
});

export function sendCancel(ring: RingProducer, ticket: number, asker: Asker, bet: number): boolean {
  if (!begin(ring, HEAD_CELLS + ASKER_CELLS + 1, CANCEL, ticket, asker)) return false;
  ring.number(bet);
  ring.send();
  return true;
}

export const readCancel = (ring: RingConsumer): number => ring.number();

/** null where the market or the side makes no difference. */
export type CancelFilter = Pick<CancelOrders, 'market' | 'side'>;

export function sendCancelAll(
  ring: RingProducer,
  ticket: number,
  asker: Asker,
  { market, side }: CancelFilter,
): boolean {
  if (!begin(ring, HEAD_CELLS + ASKER_CELLS + 2, CANCEL_ALL, ticket, asker)) return false;
  ring.number(market ?? -1);
  ring.number(side ?? -1);
  ring.send();
  return true;
}

export const readCancelAll = (ring: RingConsumer): CancelFilter => ({
  market: orNull(ring.number()),
  side: orNull(ring.number()),
});

export interface DeadmanFields {
  readonly seconds: number;
  /** True for the first request of a stream. */
  readonly isFirst: boolean;
}

export function sendDeadman(
  ring: RingProducer,
  ticket: number,
  asker: Asker,
  { seconds, isFirst }: DeadmanFields,
): boolean {
  if (!begin(ring, HEAD_CELLS + ASKER_CELLS + 2, DEADMAN, ticket, asker)) return false;
  ring.number(seconds);
  ring.number(isFirst ? 1 : 0);
  ring.send();
  return true;
}

export const readDeadman = (ring: RingConsumer): DeadmanFields => ({
  seconds: ring.number(),
  isFirst: ring.number() === 1,
});

function begin(
  ring: RingProducer,
  cells: number,
  kind: number,
  ticket: number,
  { key, account }: Asker,
): boolean {
  if (!ring.begin(cells)) return false;
  ring.number(kind);
  ring.number(ticket);
  ring.number(key);
  ring.number(account);
  return true;
}
