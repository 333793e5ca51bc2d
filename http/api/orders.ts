/**
 * POST /orders (specification, section 4; design, sections 1 and 5): turns the request into a command, and the
 * command's outcome into the answer. A success is sent only once it is durable.
 */
import { assert } from '../../engine/base/assert.js';
import type { RoundSeeds } from '../../engine/fairness.js';
import type { Sequencer } from '../../engine/host/sequencer.js';
import type { PlaceOrder } from '../../engine/model/commands.js';
import { NO_FAIR_SHARE } from '../../engine/model/domain.js';
import type { BetFacts, Replayed } from '../../engine/model/events.js';
import { eventOf } from '../event-of.js';
import { refuseBodyType } from '../kit/body.js';
import { type IdempotencyDigests, parseIdempotencyKey } from '../kit/idempotency.js';
import { Refused } from '../kit/refused.js';
import { orderResultText } from '../wire/account-text.js';
import type { Call, Verdict } from './call.js';
import { parseOrder } from './order-request.js';

const CREATED = 201;
const REPLAY_HEADER = ['X-Idempotent-Replay', 'true'] as const;
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
    const { sequencer } = this;
    const order = this.#read(call);
    if (order instanceof Refused) return order;
    const outcome = sequencer.submit(order);
    switch (outcome.status) {
      case 'accepted': {
        const bet = eventOf(outcome.events, 'betPlaced');
        sequencer.whenDurable(outcome.seq, () => call.send(CREATED, this.#answer(bet)));
        return null;
      }
      case 'replayed':
        return this.#replayOf(call, outcome);
      case 'rejected':
        return new Refused(outcome.code, outcome.detail);
    }
  }

  /** The answer of an order that was placed under its Idempotency-Key before, or null if none was. Places nothing. */
  replay(call: Call): (() => Verdict) | null {
    const order = this.#read(call);
    if (order instanceof Refused) return null;
    const outcome = this.sequencer.engine.rememberedOrder(order);
    return outcome?.status === 'replayed' ? () => this.#replayOf(call, outcome) : null;
  }

  #read(call: Call): PlaceOrder | Refused {
    const { request } = call;
    const unfit = refuseBodyType(request);
    if (unfit !== null) return unfit;
    const key = request.idempotencyKey === null ? null : parseIdempotencyKey(request.idempotencyKey);
    if (key instanceof Refused) return key;
    const order = parseOrder(request.body);
    if (order instanceof Refused) return order;
    return {
      kind: 'placeOrder',
      timeMs: this.sequencer.stampMs(),
      account: call.account,
      key: call.key,
      market: order.market,
      side: order.side,
      stakeCents: order.stakeCents,
      fairShareE6: NO_FAIR_SHARE,
      expectedPercentE6: order.expectedPercentE6,
      idempotency: key === null ? null : this.digests.digest(call.account, key, order),
      clientSeed: order.clientSeed,
    };
  }

  #replayOf(call: Call, { seq, event }: Replayed): Verdict {
    const { sequencer } = this;
    if (seq > sequencer.durableSeq) return IN_PROGRESS;
    assert(event.type === 'betPlaced', 'an order replays a bet');
    sequencer.whenDurable(seq, () => call.send(CREATED, this.#answer(event), REPLAY_HEADER));
    return null;
  }

  #answer(bet: BetFacts): string {
    return orderResultText(bet, this.seeds.betHash(bet));
  }
}
