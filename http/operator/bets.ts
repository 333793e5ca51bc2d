/**
 * Operator routes that list bets, newest first. Those of one account come from memory and lead on into the archive, as its
 * own lists do. Those of all accounts come from the archive, which has every bet; memory says what rounds that are not
 * settled have come to.
 */
import { isRefusal } from '../../engine/model/archive-reads.js';
import { parseBetId, roundId, SETTLING } from '../../engine/model/domain.js';
import type { BetView } from '../../engine/model/views.js';
import { cursorText, listQuery, STATUS_OF_ORDERS } from '../api/lists/list-query.js';
import { archivePage, mergedPage, needsArchive } from '../api/lists/past-bets.js';
import { parseChoice, parseQuery, parseTime } from '../kit/params.js';
import { Refused, refusedBy } from '../kit/refused.js';
import type { BetsReply } from '../rings/replies.js';
import type { ListFacts } from '../rings/requests.js';
import { parseOptionalAccount } from './accounts.js';
import { type Asking, answer, asking, type Call, page, Reading, type Result, type Route } from './call.js';
import type { OpenRound } from './desk/dealings.js';
import { betResource } from './resources/bets.js';
import { lastOf } from './rounds.js';

const LIMIT_DEFAULT = 100;
const NO_BET = new Refused('order_not_found', 'no such bet');
const STATUSES = [...STATUS_OF_ORDERS.keys()];

export const betRoutes: readonly Route[] = [
  { method: 'GET', path: '/bets', role: 'read', handle: list },
  { method: 'GET', path: '/bets/{id}', role: 'read', handle: one },
];

interface Query {
  readonly account: number | null;
  readonly fromMs: number;
  readonly list: ListFacts;
}

function list({ request }: Call): Asking | Refused {
  const query = readQuery(request.query);
  if (query instanceof Refused) return query;
  const { account } = query;
  return account === null ? listAll(query) : listOf(account, query);
}

function readQuery(text: string): Query | Refused {
  const known = ['accountId', 'marketId', 'roundId', 'status', 'from', 'to', 'limit', 'cursor'];
  const given = parseQuery(text, known);
  if (given instanceof Refused) return given;
  const account = parseOptionalAccount(given);
  if (account instanceof Refused) return account;
  const status = parseChoice('status', given.get('status'), STATUSES);
  if (status instanceof Refused) return status;
  const fromMs = parseTime('from', given.get('from'));
  if (fromMs instanceof Refused) return fromMs;
  const beforeMs = parseTime('to', given.get('to'));
  if (beforeMs instanceof Refused) return beforeMs;
  const facts = listQuery(given, STATUS_OF_ORDERS.get(status ?? 'all') ?? 'all', false, LIMIT_DEFAULT);
  return facts instanceof Refused ? facts : { account, fromMs: fromMs ?? 0, list: { ...facts, beforeMs } };
}

function listOf(account: number, query: Query): Asking {
  const { list: asked } = query;
  return asking('betsOfAccount', { account, list: asked }, ({ reachedSeq, ...reply }) => {
    if (!needsArchive(asked, reply)) return ownPage(account, query, reply);
    return new Reading((archive, tell) =>
      archive.bets(archivePage(account, asked, reachedSeq), (told) =>
        tell(isRefusal(told) ? refusedBy(told) : ownPage(account, query, mergedPage(asked, reply, told))),
      ),
    );
  });
}

/** Up to the first that was placed too early: bets come in the order of their placement. */
function ownPage(account: number, { fromMs }: Query, { bets, next }: BetsReply): Result {
  const shown = bets.filter(({ placedAtMs }) => placedAtMs >= fromMs);
  const isOver = shown.length < bets.length || next.length === 0;
  return page(
    shown.map((bet) => betResource(account, bet)),
    isOver ? null : cursorText(next),
  );
}

function listAll({ fromMs, list: asked }: Query): Asking {
  const { status, market, roundNumber, beforeMs, limit, cursor } = asked;
  const [beforeBet = Number.POSITIVE_INFINITY] = cursor;
  return asking('openRounds', {}, (...slices) => {
    const rounds = lastOf(slices);
    const reachedSeq = slices.at(-1)?.seq ?? 0;
    const ofOpen = status === 'open' ? Math.max(fromMs, firstStartMs(rounds)) : fromMs;
    const question = { beforeBet, status, market, roundNumber, fromMs: ofOpen, beforeMs, limit, reachedSeq };
    return new Reading((archive, tell) =>
      archive.allBets(question, (told) => {
        if (isRefusal(told)) return tell(refusedBy(told));
        const { bets, nextBeforeBet } = told;
        const shown = bets.map((bet) => betResource(bet.account, asOfNow(bet, rounds)));
        return tell(page(shown, nextBeforeBet === null ? null : cursorText([nextBeforeBet, 0, 0])));
      }),
    );
  });
}

/** No open bet was placed before this. */
const firstStartMs = (rounds: ReadonlyMap<string, OpenRound>): number =>
  Math.min(...Array.from(rounds.values(), ({ startTimeMs }) => startTimeMs));

/** The archive does not know what a round that is not settled has come to. */
function asOfNow(bet: BetView, rounds: ReadonlyMap<string, OpenRound>): BetView {
  const round = rounds.get(roundId(bet.market, bet.roundNumber));
  if (bet.status !== 'ACTIVE' || round === undefined || round.status < SETTLING) return bet;
  return { ...bet, status: 'SETTLING', roundStatus: round.status };
}

function one({ params }: Call): Asking | Refused {
  const bet = parseBetId(params[0] ?? '');
  if (bet === 0) return NO_BET;
  return asking('openRounds', {}, (...slices) => {
    const reachedSeq = slices.at(-1)?.seq ?? 0;
    const any = { status: 'all', market: null, roundNumber: null, fromMs: null, beforeMs: null } as const;
    return new Reading((archive, tell) =>
      archive.allBets({ ...any, beforeBet: bet + 1, limit: 1, reachedSeq }, (told) => {
        if (isRefusal(told)) return tell(refusedBy(told));
        const [found] = told.bets;
        if (found?.bet !== bet) return tell(NO_BET);
        return tell(answer(200, betResource(found.account, asOfNow(found, lastOf(slices)))));
      }),
    );
  });
}
