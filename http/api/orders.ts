/**
 * Orders at the gateway: placed, quoted and cancelled. From the request to the facts that the engine's thread needs,
 * and from its reply to the answer.
 */
import type { CommitTimes } from '../../engine/host/open-batch.js';
import type { IdempotencyDigest } from '../../engine/model/commands.js';
import type { OrderTerms } from '../../engine/model/events.js';
import { refuseBodyType } from '../kit/body.js';
import { type OrderContent, parseIdempotencyKey } from '../kit/idempotency.js';
import { refuseQuery } from '../kit/params.js';
import { Refused, refuseInvalid } from '../kit/refused.js';
import type { OrderFields, OrderReply, RefusalFacts } from '../link/orders.js';
import { orderQuoteText, orderResultText, positionText } from '../wire/account-text.js';
import type { Receipt } from '../wire/proof-types.js';
import { findBet, orderIn } from './account.js';
import { ask } from './ask.js';
import { refuseAccount } from './authentication.js';
import type { Call } from './call.js';
import { cancelQuery } from './lists/list-query.js';
import { parseQuote } from './order-request.js';
import { makeReceipt } from './proofs.js';
import { NO_ORDER, NOT_PENDING, OVERLOADED, refusedOf } from './refusals.js';
import type { Services } from './services.js';

export function place(services: Services, call: Call): void {
  const order = orderOfWriter(services, call);
  if (!services.link.place(order, new OrderAnswer(services, call))) throw OVERLOADED;
}

/**
 * An account that may no longer write may send again what it has placed: the engine's thread replays it, and refuses
 * all else.
 */
function orderOfWriter(services: Services, call: Call): OrderFields {
  const forbidden = refuseAccount(services.rights, call.account);
  try {
    return readOrder(services, call);
  } catch (error) {
    throw error instanceof Refused ? (forbidden ?? error) : error;
  }
}

function readOrder({ digests }: Services, call: Call): OrderFields {
  const { request } = call;
  refuseQuery(request.query);
  refuseBodyType(request);
  const key = request.idempotencyKey === null ? null : parseIdempotencyKey(request.idempotencyKey);
  const order = call.order();
  call.wantsReceipt = order.wantsReceipt;
  return factsOf(call, order, key === null ? null : digests.digest(call.account, key, order));
}

class OrderAnswer implements OrderReply {
  constructor(
    private readonly services: Services,
    private readonly call: Call,
  ) {}

  placed(seq: number, bet: OrderTerms, takenMs: number, times: CommitTimes): void {
    const { services, call } = this;
    const { handedOverMs, writtenMs, durableMs } = times;
    send(services, call, seq, bet, false);
    const sentMs = services.clock.monotonicMs();
    const { startedMs, requestNumber, request } = call;
    services.meter.placed(startedMs, takenMs, handedOverMs, durableMs, sentMs);
    services.traces.add(
      bet.bet,
      seq,
      bet.account,
      requestNumber,
      request.idempotencyKey,
      startedMs,
      takenMs,
      handedOverMs,
      writtenMs,
      durableMs,
      sentMs,
    );
  }

  replayed(seq: number, bet: OrderTerms): void {
    send(this.services, this.call, seq, bet, true);
  }

  refused(facts: RefusalFacts): void {
    this.call.refuse(refusedOf(facts));
  }
}

/** `seq` is the command that placed the order. A receipt delays the answer a moment. */
function send(services: Services, call: Call, seq: number, bet: OrderTerms, isReplay: boolean): void {
  const betHash = bet.type === 'orderPending' ? null : services.hashes.of(bet);
  const text = orderResultText(bet, betHash);
  if (!call.wantsReceipt) {
    call.sendOrder(text, isReplay);
    return;
  }
  const sendWith = (receipt: Receipt | null): void =>
    call.sendOrder(`${text.slice(0, -1)},"receipt":${JSON.stringify(receipt)}}`, isReplay);
  if (betHash === null) sendWith(null);
  else
    makeReceipt(services, { bet: bet.bet, account: bet.account, betHash, seq, timeMs: bet.timeMs }, sendWith);
}

/** Gives the answer of `place`. An Idempotency-Key is ignored: nothing is placed under it. */
export function quote(services: Services, call: Call): void {
  const { request } = call;
  refuseQuery(request.query);
  refuseBodyType(request);
  const { order, parts } = parseQuote(request.body);
  ask(
    services,
    call,
    { kind: 'quote', order: factsOf(call, order, null), parts },
    ({ timeMs, offer, refusal, rests, inParts }) => {
      const ofParts = inParts === null ? null : { ...inParts, refusal: refusalOf(inParts.refusal) };
      call.send(200, orderQuoteText(order.market, timeMs, offer, refusalOf(refusal), rests, ofParts));
    },
  );
}

/** An order that has left memory does not rest any more. */
export function cancel(services: Services, call: Call): void {
  const bet = orderIn(call);
  const isSent = services.link.ask<'cancel'>(call, { kind: 'cancel', bet }, (told) => {
    if ('code' in told) refuseCancel(services, call, bet, told);
    else for (const order of told.bets) call.sendText(positionText(order, services.hashes));
  });
  if (!isSent) throw OVERLOADED;
}

function refuseCancel(services: Services, call: Call, bet: number, refusal: RefusalFacts): void {
  if (refusal.code !== 'order_not_found') call.refuse(refusedOf(refusal));
  else
    call.attempt(() =>
      findBet(services, call, bet, (found) => call.refuse(found === null ? NO_ORDER : NOT_PENDING)),
    );
}

/** `{}` and `null`, which some clients send with any request, say nothing. */
const EMPTY_BODY_BYTES_MAX = 4;

export function cancelAll(services: Services, call: Call): void {
  // Overlooked, a filter there would cancel orders that were to rest.
  if (call.request.body.length > EMPTY_BODY_BYTES_MAX)
    refuseInvalid('DELETE /orders takes no body: marketId and prediction stand in the query');
  const filter = cancelQuery(call.request.query);
  ask(services, call, { kind: 'cancelAll', ...filter }, ({ cancelled }) =>
    call.sendText(`{"cancelled":${cancelled}}`),
  );
}

const refusalOf = (facts: RefusalFacts | null): Refused | null => (facts === null ? null : refusedOf(facts));

const factsOf = (
  { account, key }: Call,
  order: OrderContent,
  idempotency: IdempotencyDigest | null,
): OrderFields => ({
  account,
  key,
  market: order.market,
  side: order.side,
  stakeCents: order.stakeCents,
  expectedPercentE6: order.expectedPercentE6,
  limitOddsE4: order.limitOddsE4,
  idempotency,
  clientSeed: order.clientSeed,
  clientOrderId: order.clientOrderId,
  guards: order.guards,
});
