/**
 * GET endpoints at the gateway. Market data are ready bytes made of the board. The engine's thread is asked over the
 * rings for anything else.
 */

import type { RoundSeeds } from '../../engine/fairness.js';
import { marketOf, parseRoundId } from '../../engine/model/domain.js';
import { parsePathId } from '../kit/params.js';
import { Refused } from '../kit/refused.js';
import type { MarketView } from '../market-data/market-view.js';
import type { Link } from '../rings/link.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import type { RingConsumer } from '../rings/ring.js';
import { positionsBytes } from '../wire/account-text.js';
import type { ListedHashes } from '../wire/listed-hashes.js';
import { roundDetail } from '../wire/round-detail.js';
import { successText } from '../wire/wire.js';
import type { Call, Verdict } from './call.js';
import { cursorText, ordersQuery, positionsQuery } from './lists/list-query.js';
import { needsArchive, type PastBets } from './lists/past-bets.js';
import { NO_MARKET, NO_ROUND, notRead, OVERLOADED, refusedOf } from './refusals.js';

const OK = 200;

export class Reads {
  constructor(
    private readonly link: Link,
    private readonly view: MarketView,
    private readonly seeds: RoundSeeds,
    private readonly hashes: ListedHashes,
    private readonly past: PastBets,
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
    return this.#list(call, positionsQuery(call.request.query));
  }

  orders(call: Call): Verdict {
    return this.#list(call, ordersQuery(call.request.query));
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

  #list(call: Call, list: requests.ListFields | Refused): Verdict {
    if (list instanceof Refused) return list;
    const isSent = this.link.send(
      (ring, ticket) => requests.sendList(ring, ticket, call, list),
      (kind, ring) => {
        if (kind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
        else this.#lead(call, list, replies.readBets(ring));
      },
    );
    return isSent ? null : OVERLOADED;
  }

  #lead(call: Call, list: requests.ListFields, reply: replies.BetsReply): void {
    if (!needsArchive(list, reply)) {
      call.send(OK, this.#listBytes(reply));
      return;
    }
    this.past.page(call, list, reply, (page) => {
      if ('bets' in page) call.send(OK, this.#listBytes(page));
      else call.refuse(notRead(page));
    });
  }

  #listBytes({ bets, next }: replies.BetsReply): Uint8Array {
    return positionsBytes(bets, next.length === 0 ? null : cursorText(next), this.hashes);
  }

  #roundBytes(call: Call, ring: RingConsumer): Uint8Array {
    const { round, ...prices } = replies.readRound(ring);
    return Buffer.from(successText(JSON.stringify(roundDetail(round, this.seeds, prices, call.nowMs))));
  }
}

function answer(call: Call, kind: number, ring: RingConsumer, bytes: () => Uint8Array): void {
  if (kind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
  else call.send(OK, bytes());
}
