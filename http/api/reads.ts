/**
 * The GET endpoints (specification, section 4) at the gateway. Market data are ready bytes made of the board. What stands
 * in the engine alone is asked for over the rings.
 */

import type { RoundSeeds } from '../../engine/fairness.js';
import { marketOf, parseRoundId } from '../../engine/model/domain.js';
import { parseLimit, parsePathId, parseQuery } from '../kit/params.js';
import { invalid, Refused } from '../kit/refused.js';
import type { Link } from '../rings/link.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import type { RingConsumer } from '../rings/ring.js';
import { positionsBytes } from '../wire/account-text.js';
import { roundDetail } from '../wire/round-detail.js';
import { successText } from '../wire/wire.js';
import type { Call, Verdict } from './call.js';
import type { MarketView } from './market-view.js';
import { NO_ROUND, OVERLOADED, refusedOf } from './refusals.js';

const OK = 200;
export const POSITIONS_LIMIT_DEFAULT = 100;
export const ORDERS_LIMIT_DEFAULT = 50;
const NO_MARKET = new Refused('market_not_found', 'no active market has this id');

export class Reads {
  constructor(
    private readonly link: Link,
    private readonly view: MarketView,
    private readonly seeds: RoundSeeds,
  ) {}

  markets(call: Call): Verdict {
    return call.sendTagged(this.view.markets(call.nowMs));
  }

  market(call: Call, segment: string): Verdict {
    const id = parsePathId(segment);
    if (id instanceof Refused) return id;
    const body = this.view.market(marketOf(id), call.nowMs);
    return body === null ? NO_MARKET : call.sendTagged(body);
  }

  prices(call: Call): Verdict {
    return call.sendTagged(this.view.prices());
  }

  positions(call: Call): Verdict {
    const given = parseQuery(call.request.query, ['status', 'limit']);
    if (given instanceof Refused) return given;
    const status = given.get('status') ?? 'active';
    if (status !== 'active' && status !== 'all') return invalid('status must be active or all');
    const limit = parseLimit(given.get('limit'), POSITIONS_LIMIT_DEFAULT);
    if (limit instanceof Refused) return limit;
    return this.#list(call, requests.POSITIONS, { isAll: status === 'all', limit });
  }

  orders(call: Call): Verdict {
    const given = parseQuery(call.request.query, ['limit']);
    if (given instanceof Refused) return given;
    const limit = parseLimit(given.get('limit'), ORDERS_LIMIT_DEFAULT);
    if (limit instanceof Refused) return limit;
    return this.#list(call, requests.ORDERS, { isAll: true, limit });
  }

  round(call: Call, segment: string): Verdict {
    const id = parsePathId(segment);
    if (id instanceof Refused) return id;
    const parsed = parseRoundId(id);
    if (parsed === null) return NO_ROUND;
    const isSent = this.link.send(
      (ring, ticket) => requests.sendRound(ring, requests.ROUND, ticket, call, parsed),
      (kind, ring) => answer(call, kind, ring, () => this.#roundBytes(call, ring)),
    );
    return isSent ? null : OVERLOADED;
  }

  #list(call: Call, kind: number, list: requests.ListFacts): Verdict {
    const isSent = this.link.send(
      (ring, ticket) => requests.sendList(ring, kind, ticket, call, list),
      (replyKind, ring) =>
        answer(call, replyKind, ring, () => positionsBytes(replies.readBets(ring), this.seeds)),
    );
    return isSent ? null : OVERLOADED;
  }

  #roundBytes(call: Call, ring: RingConsumer): Uint8Array {
    const { round, ...prices } = replies.readRoundFacts(ring);
    return Buffer.from(successText(JSON.stringify(roundDetail(round, this.seeds, prices, call.nowMs))));
  }
}

/** Answers with the bytes that are made of a reply, or with its refusal. */
function answer(call: Call, kind: number, ring: RingConsumer, bytes: () => Uint8Array): void {
  if (kind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
  else call.send(OK, bytes());
}
