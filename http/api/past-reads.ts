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
import { MARKETS_MAX, marketOf } from '../../engine/model/domain.js';
import { BAD_CURSOR, cursorText, parseCursor } from '../kit/cursor.js';
import { parseLimit, parsePathId, parseQuery, parseTime } from '../kit/params.js';
import { Refused } from '../kit/refused.js';
import type { Link } from '../rings/link.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import { ledgerEntry, pageText, settledRound } from '../wire/past-text.js';
import type { Call, Verdict } from './call.js';
import { NO_MARKET, OVERLOADED, refusedBy, refusedOf } from './refusals.js';

const OK = 200;
export const LEDGER_LIMIT_DEFAULT = 100;
export const ROUNDS_LIMIT_DEFAULT = 100;
const LEDGER = 'ledger';
const ROUNDS = 'rounds';

export class PastReads {
  constructor(
    private readonly link: Link,
    private readonly archive: ArchiveReads,
  ) {}

  ledger(call: Call): Verdict {
    const given = parseQuery(call.request.query, ['limit', 'cursor']);
    if (given instanceof Refused) return given;
    const limit = parseLimit(given.get('limit'), LEDGER_LIMIT_DEFAULT);
    if (limit instanceof Refused) return limit;
    const place = parseCursor(given.get('cursor'), LEDGER, 2);
    if (place instanceof Refused) return place;
    const [seq = 0, item = 0] = place ?? [];
    const before = place === null ? null : { seq, item };
    const { account } = call;
    return this.#whenReached(call, requests.ACCOUNT_SEQ, (reachedSeq) => {
      this.archive.ledger({ account, before, limit, reachedSeq }, (told) =>
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
    const limit = parseLimit(given.get('limit'), ROUNDS_LIMIT_DEFAULT);
    if (limit instanceof Refused) return limit;
    const fromMs = parseTime('from', given.get('from'));
    if (fromMs instanceof Refused) return fromMs;
    const toMs = parseTime('to', given.get('to'));
    if (toMs instanceof Refused) return toMs;
    const place = parseCursor(given.get('cursor'), ROUNDS, 2);
    if (place instanceof Refused) return place;
    const [startTimeMs = 0, ofMarket = 0] = place ?? [];
    if (ofMarket >= MARKETS_MAX) return BAD_CURSOR;
    const after = place === null ? null : { startTimeMs, market: ofMarket };
    return this.#whenReached(call, requests.LIFECYCLE_SEQ, (reachedSeq) => {
      this.archive.rounds({ market, fromMs, toMs, after, limit, reachedSeq }, (told) =>
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

function ledgerText({ entries, nextBefore }: LedgerAnswer): string {
  const cursor = nextBefore === null ? null : cursorText(LEDGER, nextBefore.seq, nextBefore.item);
  return pageText(JSON.stringify(entries.map(ledgerEntry)), cursor);
}

function roundsText({ rounds, nextAfter }: RoundsAnswer): string {
  const cursor = nextAfter === null ? null : cursorText(ROUNDS, nextAfter.startTimeMs, nextAfter.market);
  return pageText(JSON.stringify(rounds.map(settledRound)), cursor);
}
