/**
 * POST /orders (specification, section 4; design, sections 1 and 5): from the request to a command, and from the
 * command's outcome to the answer. A success leaves only when the journal has it.
 */
import { assert } from '../../engine/base/assert.js';
import type { RoundSeeds } from '../../engine/fairness.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { IdempotencyDigest } from '../../engine/model/commands.js';
import type { BetPlaced } from '../../engine/model/events.js';
import { eventOf } from '../event-of.js';
import { type IdempotencyDigests, parseIdempotencyKey } from '../kit/idempotency.js';
import { Refused } from '../kit/refused.js';
import { orderResultText } from '../wire/account-text.js';
import type { Call, Verdict } from './call.js';
import { isJsonType, type ParsedOrder, parseOrder } from './order-request.js';

const CREATED = 201;
const REPLAY_HEADER = ['X-Idempotent-Replay', 'true'] as const;
const NOT_JSON = new Refused('unsupported_media_type', 'the Content-Type must be application/json');
const IN_PROGRESS = new Refused(
  'idempotency_in_progress',
  'the first request with this Idempotency-Key is not durable yet; try again',
);

export class OrderDesk {
  constructor(
    private readonly sequencer: Sequencer,
    private readonly seeds: RoundSeeds,
    private readonly digests: IdempotencyDigests,
  ) {}

  place(call: Call): Verdict {
    const { request } = call;
    if (!isJsonType(request.contentType)) return NOT_JSON;
    const key = request.idempotencyKey === null ? null : parseIdempotencyKey(request.idempotencyKey);
    if (key instanceof Refused) return key;
    const order = parseOrder(request.body);
    if (order instanceof Refused) return order;
    return this.#submit(call, order, key === null ? null : this.digests.digest(call.account, key, order));
  }

  #submit(call: Call, order: ParsedOrder, idempotency: IdempotencyDigest | null): Verdict {
    const { sequencer } = this;
    const outcome = sequencer.submit({
      kind: 'placeOrder',
      timeMs: sequencer.stampMs(),
      account: call.account,
      key: call.key,
      market: order.market,
      side: order.side,
      stakeCents: order.stakeCents,
      expectedPercentE6: order.expectedPercentE6,
      idempotency,
      clientSeed: order.clientSeed,
    });
    switch (outcome.status) {
      case 'accepted': {
        const bet = eventOf(outcome.events, 'betPlaced');
        sequencer.whenDurable(outcome.seq, () => call.send(CREATED, this.#answer(bet)));
        return null;
      }
      case 'replayed': {
        if (outcome.seq > sequencer.durableSeq) return IN_PROGRESS;
        assert(outcome.event.type === 'betPlaced', 'an order replays a bet');
        return call.send(CREATED, this.#answer(outcome.event), REPLAY_HEADER);
      }
      case 'rejected':
        return new Refused(outcome.code, outcome.detail);
    }
  }

  #answer(bet: BetPlaced): string {
    return orderResultText(bet, this.seeds.betHash(bet));
  }
}
