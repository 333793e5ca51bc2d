/**
 * Requests of a gateway to the engine's thread, as messages in a ring. Every text in them was bounded on arrival, so
 * a client controls neither the length of a message nor its number of cells.
 */
import type { OrderGuards } from '../../engine/model/commands.js';
import type { Asker, OrderFields } from '../link/orders.js';
import { type RingConsumer, type RingProducer, textCells } from './ring.js';

/** The first number of a message is its kind; the second is the ticket, which the reply repeats. */
export const ORDER = 0;
/** Anything else (`questions.ts`). */
export const QUESTION = 1;

const HEAD_CELLS = 4;
const ORDER_CELLS = 10;
const GUARD_CELLS = 3;

/** Returns false if the ring is full; then nothing was sent. */
export function sendOrder(ring: RingProducer, ticket: number, order: OrderFields): boolean {
  const { guards } = order;
  const guardCells = guards === null ? 0 : GUARD_CELLS;
  const cells = ORDER_CELLS + guardCells + textCells(order.clientSeed) + textCells(order.clientOrderId);
  if (!begin(ring, cells, ORDER, ticket, order)) return false;
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

export const readAsker = (ring: RingConsumer): Asker => ({ key: ring.number(), account: ring.number() });

/** `cells` are those behind the asker. */
export function begin(
  ring: RingProducer,
  cells: number,
  kind: number,
  ticket: number,
  { key, account }: Asker,
): boolean {
  if (!ring.begin(HEAD_CELLS + cells)) return false;
  ring.number(kind);
  ring.number(ticket);
  ring.number(key);
  ring.number(account);
  return true;
}
