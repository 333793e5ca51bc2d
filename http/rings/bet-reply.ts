/** Replies to an order, which was placed now, or before, or is refused. */
import type { CommitTimes } from '../../engine/host/open-batch.js';
import type { OrderTerms } from '../../engine/model/events.js';
import type { OrderReply } from '../link/orders.js';
import { begin, PLACED, REFUSED, REPLAYED, readRefusal } from './replies.js';
import { type RingConsumer, type RingProducer, textCells } from './ring.js';

const STAGE_CELLS = 4;
const PLACED_CELLS = 18;

/** All functions that send return false if the ring is full; then nothing was sent. */
export function sendReplayed(ring: RingProducer, ticket: number, seq: number, bet: OrderTerms): boolean {
  if (!begin(ring, cellsOf(bet), REPLAYED, ticket)) return false;
  ring.number(seq);
  writeBet(ring, bet);
  ring.send();
  return true;
}

export function sendPlaced(
  ring: RingProducer,
  ticket: number,
  seq: number,
  bet: OrderTerms,
  takenMs: number,
  { handedOverMs, writtenMs, durableMs }: CommitTimes,
): boolean {
  if (!begin(ring, cellsOf(bet) + STAGE_CELLS, PLACED, ticket)) return false;
  ring.number(seq);
  writeBet(ring, bet);
  ring.number(takenMs);
  ring.number(handedOverMs);
  ring.number(writtenMs);
  ring.number(durableMs);
  ring.send();
  return true;
}

const cellsOf = ({ clientSeed, clientOrderId }: OrderTerms): number =>
  PLACED_CELLS + textCells(clientSeed) + textCells(clientOrderId);

function writeBet(ring: RingProducer, bet: OrderTerms): void {
  ring.number(bet.timeMs);
  ring.number(bet.bet);
  ring.number(bet.account);
  ring.number(bet.market);
  ring.number(bet.roundNumber);
  ring.number(bet.side);
  ring.number(bet.stakeCents);
  ring.number(bet.oddsE4);
  ring.number(bet.entryPercentE2);
  ring.number(bet.payoutCents);
  ring.number(bet.newBalanceCents);
  ring.number(bet.type === 'orderPending' ? -bet.limitOddsE4 : bet.limitOddsE4);
  ring.number(bet.filled === null ? 0 : 1);
  ring.number(bet.filled?.upOrders ?? 0);
  ring.number(bet.filled?.upCents ?? 0);
  ring.number(bet.filled?.downOrders ?? 0);
  ring.number(bet.filled?.downCents ?? 0);
  ring.text(bet.clientSeed);
  ring.text(bet.clientOrderId);
}

export function readOrderReply(kind: number, ring: RingConsumer, reply: OrderReply): void {
  if (kind === REFUSED) {
    reply.refused(readRefusal(ring));
    return;
  }
  const seq = ring.number();
  const bet = readBet(ring);
  if (kind === REPLAYED) {
    reply.replayed(seq, bet);
    return;
  }
  const takenMs = ring.number();
  const times = { handedOverMs: ring.number(), writtenMs: ring.number(), durableMs: ring.number() };
  reply.placed(seq, bet, takenMs, times);
}

/** One literal with all fields: a spread would give each bet a hidden class of its own, and every later read would miss. */
function readBet(ring: RingConsumer): OrderTerms {
  const timeMs = ring.number();
  const bet = ring.number();
  const account = ring.number();
  const market = ring.number();
  const roundNumber = ring.number();
  const side = ring.number();
  const stakeCents = ring.number();
  const oddsE4 = ring.number();
  const entryPercentE2 = ring.number();
  const payoutCents = ring.number();
  const newBalanceCents = ring.number();
  const limit = ring.number();
  const hasFilled = ring.number() === 1;
  const upOrders = ring.number();
  const upCents = ring.number();
  const downOrders = ring.number();
  const downCents = ring.number();
  return {
    type: limit < 0 ? 'orderPending' : 'betPlaced',
    timeMs,
    bet,
    account,
    market,
    roundNumber,
    side,
    stakeCents,
    oddsE4,
    entryPercentE2,
    payoutCents,
    newBalanceCents,
    limitOddsE4: Math.abs(limit),
    filled: hasFilled ? { upOrders, upCents, downOrders, downCents } : null,
    clientSeed: ring.text(),
    clientOrderId: ring.text(),
  };
}
