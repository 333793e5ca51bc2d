/**
 * POST /orders and POST /orders/quote at the gateway: from the request to the facts that the engine's thread needs, and
 * from its reply to the answer.
 */
import type { RoundSeeds } from '../../engine/fairness.js';
import type { IdempotencyDigest } from '../../engine/model/commands.js';
import type { OrderTerms } from '../../engine/model/events.js';
import { refuseBodyType } from '../kit/body.js';
import { type IdempotencyDigests, type OrderContent, parseIdempotencyKey } from '../kit/idempotency.js';
import { Refused } from '../kit/refused.js';
import type { GatewayMeter } from '../metrics/gateway-meter.js';
import type { OrderTraces } from '../metrics/order-traces.js';
import { readBet } from '../rings/bet-reply.js';
import type { Link } from '../rings/link.js';
import { readQuote } from '../rings/quote-reply.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import type { RingConsumer } from '../rings/ring.js';
import { orderQuoteText, orderResultText } from '../wire/account-text.js';
import type { Receipt } from '../wire/past-types.js';
import type { Call, Verdict } from './call.js';
import { parseQuote } from './order-request.js';
import type { Receipts } from './receipts.js';
import { OVERLOADED, refusedOf } from './refusals.js';

const OK = 200;

export type OnReplay = (replay: (() => Verdict) | null) => void;

export class OrderHandlers {
  constructor(
    private readonly link: Link,
    private readonly seeds: RoundSeeds,
    private readonly digests: IdempotencyDigests,
    private readonly meter: GatewayMeter,
    private readonly traces: OrderTraces,
    private readonly monotonicMs: () => number,
    private readonly receipts: Receipts,
  ) {}

  place(call: Call): Verdict {
    const order = this.#read(call);
    if (order instanceof Refused) return order;
    const isSent = this.link.send(
      (ring, ticket) => requests.sendOrder(ring, requests.ORDER, ticket, order),
      (kind, ring) => this.#answer(call, kind, ring),
    );
    return isSent ? null : OVERLOADED;
  }

  /** For an order that was placed under its Idempotency-Key before. Places nothing. */
  replay(call: Call, onReplay: OnReplay): Verdict {
    const order = this.#read(call);
    if (order instanceof Refused) {
      onReplay(null);
      return null;
    }
    const isSent = this.link.send(
      (ring, ticket) => requests.sendOrder(ring, requests.REPLAY, ticket, order),
      (kind, ring) => onReplay(this.#replayOf(call, kind, ring)),
    );
    return isSent ? null : OVERLOADED;
  }

  /** Gives the answer of `place`. An Idempotency-Key is ignored: nothing is placed under it. */
  quote(call: Call): Verdict {
    const { request } = call;
    const quote = refuseBodyType(request) ?? parseQuote(request.body);
    if (quote instanceof Refused) return quote;
    const { order, parts } = quote;
    const facts = factsOf(call, order, null);
    const isSent = this.link.send(
      (ring, ticket) => requests.sendOrder(ring, requests.QUOTE, ticket, facts, parts),
      (kind, ring) => {
        if (kind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
        else this.#sendQuote(call, order, ring);
      },
    );
    return isSent ? null : OVERLOADED;
  }

  #sendQuote(call: Call, { market }: OrderContent, ring: RingConsumer): void {
    const { timeMs, offer, refusal, rests, inParts } = readQuote(ring);
    const parts = inParts === null ? null : { ...inParts, refusal: refusalOf(inParts.refusal) };
    call.send(OK, orderQuoteText(market, timeMs, offer, refusalOf(refusal), rests, parts));
  }

  #read(call: Call): requests.OrderFields | Refused {
    const { request } = call;
    const unfit = refuseBodyType(request);
    if (unfit !== null) return unfit;
    const key = request.idempotencyKey === null ? null : parseIdempotencyKey(request.idempotencyKey);
    if (key instanceof Refused) return key;
    const order = call.order();
    if (order instanceof Refused) return order;
    call.wantsReceipt = order.wantsReceipt;
    return factsOf(call, order, key === null ? null : this.digests.digest(call.account, key, order));
  }

  #answer(call: Call, kind: number, ring: RingConsumer): void {
    if (kind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
    else if (kind === replies.REPLAYED) this.#send(call, ring.number(), readBet(ring), true);
    else {
      const seq = ring.number();
      const bet = readBet(ring);
      const [takenMs, handedOverMs] = [ring.number(), ring.number()];
      const [writtenMs, durableMs] = [ring.number(), ring.number()];
      this.#send(call, seq, bet, false);
      const sentMs = this.monotonicMs();
      const { startedMs, requestNumber, request } = call;
      this.meter.placed(startedMs, takenMs, handedOverMs, durableMs, sentMs);
      this.traces.add(
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
  }

  #replayOf(call: Call, kind: number, ring: RingConsumer): (() => Verdict) | null {
    if (kind === replies.NOTHING) return null;
    if (kind === replies.REFUSED) {
      const refused = refusedOf(replies.readRefusal(ring));
      return () => refused;
    }
    const seq = ring.number();
    const bet = readBet(ring);
    return () => this.#send(call, seq, bet, true);
  }

  /** `seq` is the command that placed the order. A receipt delays the answer a moment. */
  #send(call: Call, seq: number, bet: OrderTerms, isReplay: boolean): null {
    const betHash = bet.type === 'orderPending' ? null : this.seeds.betHash(bet);
    const text = orderResultText(bet, betHash);
    if (!call.wantsReceipt) return call.sendOrder(text, isReplay);
    const sendWith = (receipt: Receipt | null): null =>
      call.sendOrder(`${text.slice(0, -1)},"receipt":${JSON.stringify(receipt)}}`, isReplay);
    if (betHash === null) return sendWith(null);
    const { account, timeMs } = bet;
    this.receipts.make({ bet: bet.bet, account, betHash, seq, timeMs }, sendWith);
    return null;
  }
}

const refusalOf = (facts: replies.RefusalFacts | null): Refused | null =>
  facts === null ? null : refusedOf(facts);

const factsOf = (
  { account, key }: Call,
  order: OrderContent,
  idempotency: IdempotencyDigest | null,
): requests.OrderFields => ({
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
