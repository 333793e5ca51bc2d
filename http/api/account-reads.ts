/** GET endpoints of the caller's account, and one order by its id or its Idempotency-Key. */

import { must } from '../../engine/base/assert.js';
import { isoText } from '../../engine/base/iso-text.js';
import { accountId, keyId, SCOPES, scopesMask, TIERS, textAt } from '../../engine/model/domain.js';
import type { BetView } from '../../engine/model/views.js';
import { type IdempotencyDigests, parseIdempotencyKey } from '../kit/idempotency.js';
import { parsePathId, parseQuery } from '../kit/params.js';
import { Refused } from '../kit/refused.js';
import type { Link } from '../rings/link.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import { positionText } from '../wire/account-text.js';
import type { Account, ThisKey } from '../wire/account-types.js';
import type { ListedHashes } from '../wire/listed-hashes.js';
import { successText } from '../wire/wire.js';
import type { Call, Verdict } from './call.js';
import { findOwnBet } from './lists/find-bet.js';
import { cancelQuery, parseBetId } from './lists/list-query.js';
import { type OpenBets, OpenBetsReader } from './lists/open-bets.js';
import type { PastBets } from './lists/past-bets.js';
import { NO_ORDER, NOT_PENDING, notRead, OVERLOADED, refusedOf } from './refusals.js';
import { betLimits, type SharedState } from './shared-reads.js';

const OK = 200;

export class AccountReads {
  constructor(
    private readonly link: Link,
    private readonly hashes: ListedHashes,
    private readonly digests: IdempotencyDigests,
    private readonly facts: SharedState,
    private readonly past: PastBets,
  ) {}

  account(call: Call): Verdict {
    const given = parseQuery(call.request.query, []);
    if (given instanceof Refused) return given;
    const reader = new OpenBetsReader(this.link, call, (read) => {
      if ('code' in read) call.refuse(refusedOf(read));
      else call.send(OK, successText(JSON.stringify(this.#accountOf(call, read))));
    });
    reader.start();
    return null;
  }

  #accountOf(call: Call, open: OpenBets): Account {
    const { rights, rules, limits } = this.facts;
    const tier = rights.tier(call.account);
    const { activeKeysMax } = must(rules().tiers[tier], 'the rules of a tier');
    return {
      id: accountId(call.account),
      tier: textAt(TIERS, tier),
      frozen: rights.isFrozen(call.account),
      balance: open.balanceCents / 100,
      openBets: open.count,
      openStakes: open.stakesCents / 100,
      pendingOrders: open.pendingCount,
      reservedStakes: open.reservedCents / 100,
      possiblePayout: { up: open.payoutUpCents / 100, down: open.payoutDownCents / 100 },
      keys: { active: open.activeKeys, max: activeKeysMax },
      key: this.#keyOf(call),
      bets: betLimits(rules(), textAt(TIERS, tier)),
      rateLimits: limits.left(call, call.limitsNowMs),
    };
  }

  #keyOf({ key }: Call): ThisKey {
    const { rights } = this.facts;
    const mask = rights.scopesMask(key);
    const expiresAtMs = rights.expiresAtMs(key);
    return {
      id: keyId(key),
      scopes: SCOPES.filter((scope) => (mask & scopesMask([scope])) !== 0),
      expiresAt: expiresAtMs < Number.POSITIVE_INFINITY ? isoText(expiresAtMs) : null,
    };
  }

  order(call: Call, segment: string): Verdict {
    const given = parseQuery(call.request.query, []);
    if (given instanceof Refused) return given;
    const id = parsePathId(segment);
    if (id instanceof Refused) return id;
    const bet = parseBetId(id);
    if (bet === null) return NO_ORDER;
    this.#find(call, bet, (found) => {
      if (found === null) call.refuse(NO_ORDER);
      else this.#sendOrder(call, found);
    });
    return null;
  }

  /** An order that has left memory does not rest any more. */
  cancel(call: Call, segment: string): Verdict {
    const given = parseQuery(call.request.query, []);
    if (given instanceof Refused) return given;
    const id = parsePathId(segment);
    if (id instanceof Refused) return id;
    const bet = parseBetId(id);
    if (bet === null) return NO_ORDER;
    const isSent = this.link.send(
      (ring, ticket) => requests.sendCancel(ring, ticket, call, bet),
      (kind, ring) => {
        if (kind === replies.REFUSED) this.#refuseCancel(call, bet, replies.readRefusal(ring));
        else for (const order of replies.readBets(ring).bets) this.#sendOrder(call, order);
      },
    );
    return isSent ? null : OVERLOADED;
  }

  cancelAll(call: Call): Verdict {
    const filter = cancelQuery(call.request.query);
    if (filter instanceof Refused) return filter;
    const isSent = this.link.send(
      (ring, ticket) => requests.sendCancelAll(ring, ticket, call, filter),
      (kind, ring) => {
        if (kind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
        else call.send(OK, successText(`{"cancelled":${replies.readCount(ring)}}`));
      },
    );
    return isSent ? null : OVERLOADED;
  }

  #refuseCancel(call: Call, bet: number, refusal: replies.RefusalFacts): void {
    if (refusal.code !== 'order_not_found') call.refuse(refusedOf(refusal));
    else this.#find(call, bet, (found) => call.refuse(found === null ? NO_ORDER : NOT_PENDING));
  }

  #sendOrder(call: Call, order: BetView): null {
    return call.send(OK, successText(positionText(order, this.hashes)));
  }

  orderByKey(call: Call, segment: string): Verdict {
    const given = parseQuery(call.request.query, []);
    if (given instanceof Refused) return given;
    const text = parsePathId(segment, 'key');
    if (text instanceof Refused) return text;
    const key = parseIdempotencyKey(text, 'path parameter key');
    if (key instanceof Refused) return key;
    const digest = this.digests.ofKey(call.account, key);
    const isSent = this.link.send(
      (ring, ticket) => requests.sendSeenKey(ring, ticket, call, digest),
      (kind, ring) => {
        if (kind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
        else this.#answerSeen(call, replies.readSeenKey(ring));
      },
    );
    return isSent ? null : OVERLOADED;
  }

  #answerSeen(call: Call, { bet, rememberedFromMs }: replies.SeenKeyReply): void {
    const answer = (order: BetView | null): void => {
      const orderText = order === null ? 'null' : positionText(order, this.hashes);
      const forgottenBefore = isoText(Math.max(rememberedFromMs, 0));
      const text = `{"seen":${bet > 0},"forgottenBefore":"${forgottenBefore}","order":${orderText}}`;
      call.send(OK, successText(text));
    };
    if (bet === 0) answer(null);
    else this.#find(call, bet, answer);
  }

  #find(call: Call, bet: number, onFound: (found: BetView | null) => void): void {
    findOwnBet(this.link, this.past, call, bet, (found) => {
      if (found === null || 'bet' in found) onFound(found);
      else call.refuse(notRead(found));
    });
  }
}
