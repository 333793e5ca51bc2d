/**
 * GET endpoints that the archive answers: an account's ledger, settled rounds, and proofs of rounds and bets. The
 * engine's thread says first how far the archive must have come, once that is durable, so that nothing acknowledged is
 * missing from an answer.
 */

import { FAIRNESS_TOOLS } from '../../crypto/fairness-tools.js';
import { statementSigner } from '../../crypto/signing.js';
import type { RoundSeeds } from '../../engine/fairness.js';
import {
  type ArchivedBetView,
  type ArchiveReads,
  isRefusal,
  type LedgerAnswer,
  type RoundsAnswer,
} from '../../engine/model/archive-reads.js';
import { isUnfilled, marketOf, parseRoundId } from '../../engine/model/domain.js';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';
import type { BetView } from '../../engine/model/views.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import { parsePathId, parseQuery } from '../kit/params.js';
import { Refused, refusedBy } from '../kit/refused.js';
import type { Link } from '../rings/link.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import type { ListedHashes } from '../wire/listed-hashes.js';
import { keysText, ledgerEntry, pageText, settledRound } from '../wire/past-text.js';
import { orderProof, type ProofMakers, roundProof, signingKey } from '../wire/proofs/proof-text.js';
import { successText } from '../wire/wire.js';
import type { Call, Verdict } from './call.js';
import { findOwnBet } from './lists/find-bet.js';
import { parseBetId } from './lists/list-query.js';
import type { PastBets } from './lists/past-bets.js';
import { ledgerCursor, ledgerQuery, roundsCursor, roundsQuery } from './lists/past-queries.js';
import type { Receipts } from './receipts.js';
import {
  NO_BET,
  NO_MARKET,
  NO_ORDER,
  NO_PROOF,
  NO_RECEIPT,
  NO_SETTLED_ROUND,
  notRead,
  OVERLOADED,
  refusedOf,
} from './refusals.js';

const OK = 200;

export interface PastParts {
  readonly link: Link;
  readonly archive: ArchiveReads;
  readonly seeds: RoundSeeds;
  readonly hashes: ListedHashes;
  readonly past: PastBets;
  readonly signing: SigningKeys;
  readonly journalHead: () => SignedHead | null;
  readonly receipts: Receipts;
}

export class PastReads {
  readonly #makers: ProofMakers;
  readonly #keysText: string;

  constructor(private readonly parts: PastParts) {
    const { seeds, signing } = parts;
    this.#makers = { seeds, tools: FAIRNESS_TOOLS, sign: statementSigner(signing) };
    this.#keysText = JSON.stringify(signing.all.map(signingKey));
  }

  ledger(call: Call): Verdict {
    const given = parseQuery(call.request.query, ['limit', 'cursor']);
    if (given instanceof Refused) return given;
    const asked = ledgerQuery(given);
    if (asked instanceof Refused) return asked;
    const { account } = call;
    return this.#whenReached(call, requests.ACCOUNT_SEQ, (reachedSeq) => {
      this.parts.archive.ledger({ account, ...asked, reachedSeq }, (told) =>
        answer(call, isRefusal(told) ? refusedBy(told) : ledgerText(told)),
      );
    });
  }

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
      this.parts.archive.rounds({ market, ...asked, reachedSeq }, (told) =>
        answer(call, isRefusal(told) ? refusedBy(told) : roundsText(told)),
      );
    });
  }

  keys(call: Call): Verdict {
    return call.send(OK, keysText(this.#keysText, this.parts.journalHead()));
  }

  roundProof(call: Call, segment: string): Verdict {
    const given = parseQuery(call.request.query, []);
    if (given instanceof Refused) return given;
    const id = parsePathId(segment);
    if (id instanceof Refused) return id;
    const parsed = parseRoundId(id);
    if (parsed === null) return NO_SETTLED_ROUND;
    return this.#whenReached(call, requests.LIFECYCLE_SEQ, (reachedSeq) => {
      this.parts.archive.roundProof({ ...parsed, reachedSeq }, (told) => {
        if (told === null) call.refuse(NO_SETTLED_ROUND);
        else if (isRefusal(told)) call.refuse(refusedBy(told));
        else call.send(OK, Buffer.from(successText(JSON.stringify(roundProof(told, this.#makers)))));
      });
    });
  }

  orderReceipt(call: Call, segment: string): Verdict {
    const bet = orderOf(call, segment);
    if (bet instanceof Refused) return bet;
    const { account } = call;
    return this.#whenReached(call, requests.ACCOUNT_SEQ, (reachedSeq) => {
      this.parts.archive.bet({ account, bet, reachedSeq }, (told) => {
        if (told === null) call.refuse(NO_ORDER);
        else if (isRefusal(told)) call.refuse(refusedBy(told));
        else this.#giveReceipt(call, told);
      });
    });
  }

  #giveReceipt(call: Call, bet: ArchivedBetView): void {
    const { account, betSeq: seq, entryPercentE2, filledAtMs, placedAtMs } = bet;
    if (seq === null || entryPercentE2 === null) {
      call.refuse(NO_RECEIPT);
      return;
    }
    const betHash = this.parts.hashes.of(bet, entryPercentE2);
    const facts = { bet: bet.bet, account, betHash, seq, timeMs: filledAtMs ?? placedAtMs };
    this.parts.receipts.make(facts, (receipt) => call.send(OK, successText(JSON.stringify(receipt))));
  }

  orderProof(call: Call, segment: string): Verdict {
    const number = orderOf(call, segment);
    if (number instanceof Refused) return number;
    const { link, past } = this.parts;
    findOwnBet(link, past, call, number, (found) => {
      if (found === null) call.refuse(NO_ORDER);
      else if ('bet' in found) this.#prove(call, found);
      else call.refuse(notRead(found));
    });
    return null;
  }

  #prove(call: Call, bet: BetView): void {
    const { archive, seeds, hashes } = this.parts;
    const { market, roundNumber, entryPercentE2 } = bet;
    if (isUnfilled(bet.result)) {
      call.refuse(NO_BET);
      return;
    }
    // Without an entry percent there was no root yet.
    if (bet.status !== 'SETTLED' || entryPercentE2 === null) {
      call.refuse(NO_PROOF);
      return;
    }
    const verdict = this.#whenReached(call, requests.LIFECYCLE_SEQ, (reachedSeq) => {
      const seed = seeds.seed(market, roundNumber);
      archive.betPath({ market, roundNumber, bet: bet.bet, seed, reachedSeq }, (told) => {
        if (told === null) call.refuse(NO_PROOF);
        else if (isRefusal(told)) call.refuse(refusedBy(told));
        else {
          const proof = orderProof(
            bet,
            hashes.of(bet, entryPercentE2),
            seeds.commitment(market, roundNumber),
            told,
          );
          call.send(OK, Buffer.from(successText(JSON.stringify(proof))));
        }
      });
    });
    if (verdict !== null) call.refuse(verdict);
  }

  #whenReached(call: Call, kind: number, read: (reachedSeq: number) => void): Verdict {
    const isSent = this.parts.link.send(
      (ring, ticket) => requests.sendAsker(ring, kind, ticket, call),
      (replyKind, ring) => {
        if (replyKind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
        else read(replies.readCount(ring));
      },
    );
    return isSent ? null : OVERLOADED;
  }
}

function orderOf(call: Call, segment: string): number | Refused {
  const given = parseQuery(call.request.query, []);
  if (given instanceof Refused) return given;
  const id = parsePathId(segment);
  return id instanceof Refused ? id : (parseBetId(id) ?? NO_ORDER);
}

function answer(call: Call, made: string | Refused): void {
  if (made instanceof Refused) call.refuse(made);
  else call.send(OK, Buffer.from(made));
}

const ledgerText = (told: LedgerAnswer): string =>
  pageText(JSON.stringify(told.entries.map(ledgerEntry)), ledgerCursor(told));

const roundsText = (told: RoundsAnswer): string =>
  pageText(JSON.stringify(told.rounds.map(settledRound)), roundsCursor(told));
