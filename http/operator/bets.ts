/**
 * Endpoints that list bets, newest first. Bets of one account come from memory and lead on into the archive, as the
 * account's own lists do. Bets of all accounts come from the archive, which has every bet; memory has the status of
 * rounds that are not settled.
 */
import typia from 'typia';
import { isoOrNull, isoText } from '../../engine/base/iso-text.js';
import { dollarsOfCents } from '../../engine/base/money.js';
import { ALL_BETS } from '../../engine/model/bet-pages.js';
import {
  accountId,
  BET_RESULTS,
  type BetResult,
  betId,
  marketId,
  NO_LIMIT,
  type PositionStatus,
  parseBetId,
  roundId,
  SETTLING,
  SIDES,
  type Side,
  textAt,
} from '../../engine/model/domain.js';
import type { OrderTrace } from '../../engine/model/operators.js';
import type { BetView } from '../../engine/model/views.js';
import { archivePage, mergedPage, needsArchive } from '../api/lists/archive-bets.js';
import { betsCursor, ledOn, listQuery, STATUS_OF_ORDERS } from '../api/lists/list-query.js';
import { Refused, readArchive, refuse, refuseInvalid } from '../kit/refused.js';
import {
  type Answer,
  ARCHIVE_CODES,
  type Call,
  type Declared,
  PAGED,
  page,
  type Services,
} from './endpoint.js';
import type { OpenRound } from './queries/reads.js';

const LIMIT_DEFAULT = 100;
const NOT_TRACED = 'this server has answered no such order, or 100,000 since';
const NO_BET = new Refused('order_not_found', 'no such bet');
const STATUSES = [...STATUS_OF_ORDERS.keys()];

export const BET_ENDPOINTS: readonly Declared[] = [
  {
    method: 'GET',
    path: '/bets',
    id: 'listBets',
    summary: 'Bets, newest first',
    parameters: ['accountId', 'marketId', 'roundId', 'status', 'from', 'to', ...PAGED],
    schemas: typia.json.schemas<[BetResource], '3.1'>(),
    shape: 'page',
    codes: ['account_not_found', ...ARCHIVE_CODES],
    handle: (services, call) => {
      const query = queryOf(call);
      return query.account === null ? listAll(services, query) : listOf(services, query.account, query);
    },
  },
  {
    method: 'GET',
    path: '/bets/{id}',
    id: 'getBet',
    summary: 'One bet',
    schemas: typia.json.schemas<[BetResource], '3.1'>(),
    codes: ['order_not_found', ...ARCHIVE_CODES],
    handle: one,
  },
  {
    method: 'GET',
    path: '/orders/trace',
    id: 'traceOrder',
    summary: 'The stages of one of the last 100,000 orders',
    parameters: ['anyId'],
    schemas: typia.json.schemas<[OrderTrace], '3.1'>(),
    codes: ['order_not_found'],
    handle: ({ trace }, { given }) => {
      const id = given.get('id') ?? refuseInvalid('id is missing');
      return trace(id) ?? refuse('order_not_found', NOT_TRACED);
    },
  },
];

type Query = Readonly<ReturnType<typeof queryOf>>;
/** `name` has the filters that `list` does not have. */
function queryOf(call: Call) {
  const shown = STATUS_OF_ORDERS.get(call.choice('status', STATUSES) ?? 'all') ?? 'all';
  const list = listQuery(call.given, shown, false, LIMIT_DEFAULT);
  const [account, fromMs, beforeMs] = [call.account(), call.time('from') ?? 0, call.time('to')];
  const name = `bets ${account} ${fromMs}`;
  return { name, account, fromMs, list: ledOn(name, call.given, { ...list, beforeMs }) };
}

/** Ends with the first bet that was placed too early: bets come in the order of their placement. */
async function listOf({ engine, archive }: Services, account: number, query: Query): Promise<Answer> {
  const { name, list, fromMs } = query;
  const { reachedSeq, ...reply } = await engine.ask('betsOfAccount', { account, list });
  const question = { ...archivePage(account, list), reachedSeq };
  const { bets, next } = needsArchive(list, reply)
    ? mergedPage(list, reply, await readArchive(archive.bets, question))
    : reply;
  const shown = bets.filter(({ placedAtMs }) => placedAtMs >= fromMs);
  const isOver = shown.length < bets.length || next.length === 0;
  return page(
    shown.map((bet) => betResource(account, bet)),
    isOver ? null : betsCursor(name, list, next),
  );
}

async function listAll(services: Services, { name, fromMs, list }: Query): Promise<Answer> {
  const { cursor, isByChange: _, ...filters } = list;
  const [beforeBet = Number.POSITIVE_INFINITY] = cursor;
  const { rounds, seq: reachedSeq } = await services.engine.ask('openRounds', {});
  const ofOpen =
    list.status === 'open'
      ? Math.max(fromMs, Math.min(...rounds.map(({ startTimeMs }) => startTimeMs)))
      : fromMs;
  const question = { ...filters, account: null, beforeBet, fromMs: ofOpen, reachedSeq };
  const { bets, nextBeforeBet } = await readArchive(services.archive.bets, question);
  const shown = bets.map((bet) => betResource(bet.account, asOfNow(bet, rounds)));
  return page(shown, nextBeforeBet === null ? null : betsCursor(name, list, [nextBeforeBet, 0, 0]));
}

async function one(services: Services, { id }: Call): Promise<BetResource> {
  const bet = parseBetId(id);
  if (bet === 0) throw NO_BET;
  const { rounds, seq: reachedSeq } = await services.engine.ask('openRounds', {});
  const any = { ...ALL_BETS, account: null, fromMs: null };
  const question = { ...any, beforeBet: bet + 1, limit: 1, reachedSeq };
  const { bets } = await readArchive(services.archive.bets, question);
  const [found] = bets;
  if (found?.bet !== bet) throw NO_BET;
  return betResource(found.account, asOfNow(found, rounds));
}

/** The archive does not know the status of a round that is not settled. */
function asOfNow(bet: BetView, rounds: readonly OpenRound[]): BetView {
  const round = rounds.find((one) => one.market === bet.market && one.roundNumber === bet.roundNumber);
  if (bet.status !== 'ACTIVE' || round === undefined || round.status < SETTLING) return bet;
  return { ...bet, status: 'SETTLING', roundStatus: round.status };
}

const ODDS_E4 = 10_000;
const PERCENT_E2 = 100;

export interface BetResource {
  readonly id: string;
  readonly accountId: string;
  readonly marketId: string;
  readonly roundId: string;
  readonly prediction: Side;
  readonly amount: number;
  readonly oddsAtBet: number;
  /** null for a limit order that was not filled, and where the archive does not know it. */
  readonly entryPercent: number | null;
  readonly potentialPayout: number;
  readonly status: PositionStatus;
  readonly result: BetResult | null;
  readonly payout: number | null;
  readonly profit: number | null;
  readonly clientSeed: string | null;
  readonly clientOrderId: string | null;
  readonly isLimitOrder: boolean;
  /** The least odds that a limit order takes, and when it became a bet; null for any other bet. */
  readonly limitOdds: number | null;
  readonly filledAt: string | null;
  readonly placedAt: string;
  readonly settledAt: string | null;
}

function betResource(account: number, bet: BetView): BetResource {
  const { market, roundNumber, stakeCents, entryPercentE2, paidCents, settledAtMs } = bet;
  return {
    id: betId(bet.bet),
    accountId: accountId(account),
    marketId: marketId(market),
    roundId: roundId(market, roundNumber),
    prediction: textAt(SIDES, bet.side),
    amount: dollarsOfCents(stakeCents),
    oddsAtBet: bet.oddsE4 / ODDS_E4,
    entryPercent: entryPercentE2 === null ? null : entryPercentE2 / PERCENT_E2,
    potentialPayout: dollarsOfCents(bet.payoutCents),
    status: bet.status,
    result: paidCents === null ? null : (textAt(BET_RESULTS, bet.result) as BetResult),
    payout: paidCents === null ? null : dollarsOfCents(paidCents),
    profit: paidCents === null ? null : dollarsOfCents(paidCents - stakeCents),
    clientSeed: bet.clientSeed,
    clientOrderId: bet.clientOrderId,
    isLimitOrder: bet.limitOddsE4 !== NO_LIMIT,
    limitOdds: bet.limitOddsE4 === NO_LIMIT ? null : bet.limitOddsE4 / ODDS_E4,
    filledAt: isoOrNull(bet.filledAtMs),
    placedAt: isoText(bet.placedAtMs),
    settledAt: isoOrNull(settledAtMs),
  };
}
