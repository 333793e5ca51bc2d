/**
 * Leads lists of bets on into the archive. A page merges the bets of memory and archive in one range of numbers: bets
 * leave memory when they are neither open nor among the last placed or settled, so memory has gaps, and only together
 * do they have every bet.
 */
import {
  type ArchiveReads,
  type ArchiveRefusal,
  type BetsAnswer,
  type BetsQuestion,
  isRefusal,
} from '../../../engine/model/archive-reads.js';
import { isListed } from '../../../engine/model/bet-pages.js';
import type { BetView } from '../../../engine/model/views.js';
import type { Link } from '../../rings/link.js';
import { cursorOf, readCursor } from '../../rings/list-cursor.js';
import * as replies from '../../rings/replies.js';
import * as requests from '../../rings/requests.js';
import { BUSY } from './open-bets.js';

export type NotRead = replies.RefusalFacts | ArchiveRefusal;

export class PastBets {
  constructor(
    private readonly link: Link,
    private readonly archive: ArchiveReads,
  ) {}

  /** Adds the bets that have left memory. `tell` is called once. */
  page(
    asker: requests.Asker,
    list: requests.ListFields,
    reply: replies.BetsReply,
    tell: (page: replies.BetsReply | NotRead) => void,
  ): void {
    this.#whenReached(asker, tell, (reachedSeq) => {
      this.archive.bets(archivePage(asker.account, list, reachedSeq), (answer) =>
        tell(isRefusal(answer) ? answer : mergedPage(list, reply, answer)),
      );
    });
  }

  /** For a bet that is not in memory; null if the account has none with this number. `tell` is called once. */
  bet(asker: requests.Asker, bet: number, tell: (found: BetView | null | NotRead) => void): void {
    this.#whenReached(asker, tell, (reachedSeq) => {
      this.archive.bet({ account: asker.account, bet, reachedSeq }, tell);
    });
  }

  #whenReached(
    asker: requests.Asker,
    refuse: (refusal: replies.RefusalFacts) => void,
    read: (reachedSeq: number) => void,
  ): void {
    const isSent = this.link.send(
      (ring, ticket) => requests.sendAsker(ring, requests.ACCOUNT_SEQ, ticket, asker),
      (kind, ring) => {
        if (kind === replies.REFUSED) refuse(replies.readRefusal(ring));
        else read(replies.readCount(ring));
      },
    );
    if (!isSent) refuse(BUSY);
  }
}

/**
 * The newest bets are all in memory, and so is every open one; a first page in the order of changes shows memory alone.
 */
export function needsArchive(
  { status, isByChange, cursor, limit, ...filters }: requests.ListFields,
  reply: replies.BetsReply,
): boolean {
  if (status === 'open' || isByChange) return false;
  const isNewest =
    cursor.length === 0 && status === 'all' && Object.values(filters).every((filter) => filter === null);
  // With so many bets, and more to come, memory leads on.
  return !isNewest || (reply.bets.length === limit && reply.next.length === 0);
}

export function archivePage(
  account: number,
  { cursor, market, roundNumber, beforeMs, clientOrderId, limit }: requests.ListFields,
  reachedSeq: number,
): Omit<BetsQuestion, 'kind'> {
  const [beforeBet = Number.POSITIVE_INFINITY] = cursor;
  const status = 'all';
  return {
    account,
    beforeBet,
    status,
    market,
    roundNumber,
    fromMs: null,
    beforeMs,
    clientOrderId,
    limit,
    reachedSeq,
  };
}

/** Both as far down as both have been read. Memory knows more of a bet that is in both. */
export function mergedPage(
  { status, cursor, limit }: requests.ListFields,
  reply: replies.BetsReply,
  answer: BetsAnswer,
): replies.BetsReply {
  const [memoryFrom = 0] = reply.next;
  const readDownTo = Math.max(memoryFrom, answer.nextBeforeBet ?? 0);
  // A bet that the archive takes for open is in memory, with its present status.
  const { rest } = readCursor(cursor);
  const archived = answer.bets.filter(
    ({ bet, settledSeq }) =>
      (status === 'all' || settledSeq !== null) &&
      (rest === null || !isListed(rest, bet, settledSeq === null, settledSeq ?? 0)),
  );
  const byNumber = new Map<number, BetView>(archived.map((bet) => [bet.bet, bet]));
  for (const bet of reply.bets) byNumber.set(bet.bet, bet);
  const all = [...byNumber.values()]
    .filter(({ bet }) => bet >= readDownTo)
    .sort((one, other) => other.bet - one.bet);
  const bets = all.slice(0, limit);
  const beforeBet = all.length > limit ? (bets.at(-1)?.bet ?? 0) : readDownTo;
  return { bets, next: beforeBet === 0 ? [] : cursorOf({ beforeBet, nearBet: 0, nearRow: 0 }, rest) };
}
