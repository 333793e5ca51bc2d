/**
 * GET endpoints that the archive answers: an account's ledger, and settled rounds. The engine's thread says first how far
 * the archive must have come, once that is durable, so that nothing acknowledged is missing from an answer.
 */
import {
  type ArchiveReads,
  isRefusal,
  type LedgerAnswer,
  type RoundsAnswer,
} from '../../engine/model/archive-reads.js';
import { marketOf } from '../../engine/model/domain.js';
import { parsePathId, parseQuery } from '../kit/params.js';
import { Refused, refusedBy } from '../kit/refused.js';
import type { Link } from '../rings/link.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import { ledgerEntry, pageText, settledRound } from '../wire/past-text.js';
import type { Call, Verdict } from './call.js';
import { ledgerCursor, ledgerQuery, roundsCursor, roundsQuery } from './lists/past-queries.js';
import { NO_MARKET, OVERLOADED, refusedOf } from './refusals.js';

const OK = 200;

export class PastReads {
  constructor(
    private readonly link: Link,
    private readonly archive: ArchiveReads,
  ) {}

  ledger(call: Call): Verdict {
    const given = parseQuery(call.request.query, ['limit', 'cursor']);
    if (given instanceof Refused) return given;
    const asked = ledgerQuery(given);
    if (asked instanceof Refused) return asked;
    const { account } = call;
    return this.#whenReached(call, requests.ACCOUNT_SEQ, (reachedSeq) => {
      this.archive.ledger({ account, ...asked, reachedSeq }, (told) =>
        answer(call, isRefusal(told) ? refusedBy(told) : ledgerText(told)),
      );
    });
  }

  /** `segment`: the market's id in the path. */
  marketRounds(call: Call, segment: string): Verdict {
    const id = parsePathId(segment);
    if (id instanceof Refused) return id;
    const market = marketOf(id);
    if (market < 0) return NO_MARKET;
    const given = parseQuery(call.request.query, ['limit', 'cursor']);
    return given instanceof Refused ? given : this.#rounds(call, market, given);
  }

  rounds(call: Call): Verdict {
    const given = parseQuery(call.request.query, ['marketId', 'from', 'to', 'limit', 'cursor']);
    if (given instanceof Refused) return given;
    const id = given.get('marketId');
    const market = id === undefined ? null : marketOf(id);
    return market !== null && market < 0 ? NO_MARKET : this.#rounds(call, market, given);
  }

  #rounds(call: Call, market: number | null, given: ReadonlyMap<string, string>): Verdict {
    const asked = roundsQuery(given);
    if (asked instanceof Refused) return asked;
    return this.#whenReached(call, requests.LIFECYCLE_SEQ, (reachedSeq) => {
      this.archive.rounds({ market, ...asked, reachedSeq }, (told) =>
        answer(call, isRefusal(told) ? refusedBy(told) : roundsText(told)),
      );
    });
  }

  /** Calls `read` once the engine's thread has said how far the archive must have come for it. */
  #whenReached(call: Call, kind: number, read: (reachedSeq: number) => void): Verdict {
    const isSent = this.link.send(
      (ring, ticket) => requests.sendAsker(ring, kind, ticket, call),
      (replyKind, ring) => {
        if (replyKind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
        else read(replies.readSeq(ring));
      },
    );
    return isSent ? null : OVERLOADED;
  }
}

function answer(call: Call, made: string | Refused): void {
  if (made instanceof Refused) call.refuse(made);
  else call.send(OK, Buffer.from(made));
}

const ledgerText = (told: LedgerAnswer): string =>
  pageText(JSON.stringify(told.entries.map(ledgerEntry)), ledgerCursor(told));

const roundsText = (told: RoundsAnswer): string =>
  pageText(JSON.stringify(told.rounds.map(settledRound)), roundsCursor(told));
