/**
 * Bets, limit orders and Idempotency-Keys in a snapshot. Bets come by number, which is the order of placement in the lists
 * of their account and round. Two things have another order: an account's recently settled bets, and the limit orders that
 * joined a round after they had rested.
 */
import { assert, fail, must } from '../base/assert.js';
import {
  BET_ENDS,
  isUnfilled,
  LIMIT_ODDS_E4_MAX,
  LIMIT_ODDS_E4_MIN,
  MARKET_IDS,
  NO_END,
  NO_LIMIT,
  RESULT_NONE,
  SETTLED,
  SIDES,
} from '../model/domain.js';
import type { LimitFills, OrderTerms } from '../model/events.js';
import { BET_OPEN, BET_RECENTLY_PLACED, BET_RECENTLY_SETTLED } from '../state/bets.js';
import type { Round } from '../state/rounds.js';
import type { State } from '../state/state.js';
import {
  count,
  either,
  flag,
  json,
  oneOf,
  orNull,
  percentE2,
  table,
  text,
  type ValuesOf,
  view,
} from './columns.js';
import { rowsByBet } from './sort-bets.js';

/** Columns of a stored bet, and of the answer that a remembered order repeats. */
const ORDER = {
  /** From 1: the bet's id is `bet_<bet>`. */
  bet: count,
  account: count,
  market: oneOf(MARKET_IDS),
  roundNumber: count,
  side: oneOf(SIDES),
  stakeCents: count,
  oddsE4: count,
};

const STORED_BET = {
  ...ORDER,
  payoutCents: count,
  placedAtMs: count,
  /** NONE while open; CANCELLED or EXPIRED for a limit order that ended unfilled. */
  result: oneOf(BET_ENDS),
  changedSeq: count,
  recentlyPlaced: flag,
  entryPercentE2: percentE2,
  /** null while open. */
  settledAtMs: orNull(count),
  /** From 1 among the account's recently settled bets, in order of settlement; null otherwise. */
  settledPosition: orNull(count),
  clientSeed: orNull(text),
  clientOrderId: orNull(text),
};
type StoredBet = ValuesOf<typeof STORED_BET>;

/** Bets in memory: all open ones, and per account the recently placed and recently settled ones. */
export const BET = table('bet', STORED_BET, {
  *from(state) {
    const { bets } = state;
    const positions = settledPositions(state);
    for (const row of rowsByBet(bets)) {
      const chunk = bets.chunk(row);
      const i = bets.index(row);
      yield {
        bet: chunk.bet.at(i),
        account: chunk.account[i] as number,
        market: chunk.market[i] as number,
        roundNumber: chunk.roundNumber[i] as number,
        side: chunk.side[i] as number,
        stakeCents: chunk.stakeCents.at(i),
        oddsE4: chunk.oddsE4.at(i),
        payoutCents: chunk.payoutCents.at(i),
        placedAtMs: chunk.placedAtMs.at(i),
        result: chunk.result[i] as number,
        changedSeq: chunk.changedSeq.at(i),
        recentlyPlaced: ((chunk.flags[i] as number) & BET_RECENTLY_PLACED) !== 0,
        entryPercentE2: chunk.entryPercentE2[i] as number,
        settledAtMs: chunk.result[i] === RESULT_NONE ? null : chunk.settledAtMs.at(i),
        settledPosition: positions[row] || null,
        clientSeed: chunk.clientSeeds.at(i),
        clientOrderId: chunk.clientOrderIds.at(i),
      };
    }
  },
  into(state, values) {
    const positions = [0];
    for (const stored of values) positions[addBet(state, stored)] = stored.settledPosition ?? 0;
    linkSettled(state, positions);
  },
});

/** By row; 0 for bets that are not among the recently settled. */
function settledPositions({ accounts, bets, retainedBets }: State): Uint32Array {
  const positions = new Uint32Array(bets.rowsEnd);
  for (let account = 1; account <= accounts.count; account += 1) {
    let position = accounts.chunk(account).settledKept[accounts.row(account)] as number;
    for (let row = retainedBets.newestSettled(account); row !== 0; position -= 1) {
      positions[row] = position;
      row = bets.chunk(row).settledOlder[bets.index(row)] as number;
    }
  }
  return positions;
}

/** `LATE_BET` links the bet to its round. Returns its row: rows rise with numbers. */
function addBet({ accounts, bets, retainedBets, seq }: State, stored: StoredBet): number {
  const { bet, account, settledPosition } = stored;
  bets.skipNumbersTo(bet - 1);
  const row = bets.take();
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  chunk.account[i] = account;
  chunk.market[i] = stored.market;
  chunk.roundNumber[i] = stored.roundNumber;
  chunk.side[i] = stored.side;
  chunk.stakeCents.set(i, stored.stakeCents);
  chunk.oddsE4.set(i, stored.oddsE4);
  chunk.payoutCents.set(i, stored.payoutCents);
  chunk.placedAtMs.set(i, stored.placedAtMs);
  chunk.result[i] = stored.result;
  chunk.changedSeq.set(i, stored.changedSeq);
  chunk.entryPercentE2[i] = stored.entryPercentE2;
  if (stored.settledAtMs !== null) chunk.settledAtMs.set(i, stored.settledAtMs);
  chunk.clientSeeds.set(i, stored.clientSeed);
  chunk.clientOrderIds.set(i, stored.clientOrderId);
  const isOpen = stored.result === RESULT_NONE;
  const flags =
    (isOpen ? BET_OPEN : 0) |
    (stored.recentlyPlaced ? BET_RECENTLY_PLACED : 0) |
    (settledPosition === null ? 0 : BET_RECENTLY_SETTLED);
  if (isOpen === (stored.settledAtMs !== null)) fail(`bet ${bet} has a time of settlement if it is settled`);
  if (stored.changedSeq > seq) fail(`bet ${bet} was changed by a later command`);
  if (!accounts.has(account)) fail(`bet ${bet} belongs to account ${account}, which does not exist`);
  if (flags === 0 || (isOpen && settledPosition !== null))
    fail(`the flags of bet ${bet} contradict each other`);
  retainedBets.restorePlaced(account, row, flags);
  return row;
}

/** `positions` start at 1; 0 marks other bets. */
function linkSettled({ accounts, bets, retainedBets }: State, positions: readonly number[]): void {
  const settled = Array.from({ length: accounts.count + 1 }, (): number[] => []);
  positions.forEach((position, row) => {
    if (position === 0) return;
    const account = bets.chunk(row).account[bets.index(row)] as number;
    const rows = must(settled[account], 'account');
    if (rows[position - 1] !== undefined) fail('settled positions are unique');
    rows[position - 1] = row;
  });
  for (let account = 1; account <= accounts.count; account += 1) {
    for (const row of must(settled[account], 'account'))
      retainedBets.restoreSettled(account, row ?? fail('settled positions have no gap'));
  }
}

/** Columns of limit orders besides those in `bet`. */
export const LIMIT_ORDER = table(
  'limit_order',
  {
    bet: count,
    limitOddsE4: count,
    key: count,
    filledAtMs: orNull(count),
    rested: flag,
    validUntilMs: orNull(count),
  },
  {
    *from({ bets }) {
      for (const row of rowsByBet(bets)) {
        const limitRow = bets.chunk(row).limitRowOf(bets.index(row));
        if (limitRow === 0) continue;
        yield { bet: bets.betOf(row), ...bets.limits.view(limitRow) };
      }
    },
    into(state, values) {
      const { bets, books } = state;
      for (const { bet, limitOddsE4, key, filledAtMs, rested, validUntilMs } of values) {
        const row = rowOf(state, bet);
        const chunk = bets.chunk(row);
        const i = bets.index(row);
        if (limitOddsE4 < LIMIT_ODDS_E4_MIN || limitOddsE4 > LIMIT_ODDS_E4_MAX)
          fail(`bet ${bet} cannot have this limit`);
        assert(rested || filledAtMs !== null, 'an order that has not rested is a bet');
        assert(rested || validUntilMs === null, 'only an order that rests has an end');
        assert(chunk.limitRowOf(i) === 0, 'a bet has one limit');
        const limitRow = bets.limit(row, { limitOddsE4, key, validUntilMs: validUntilMs ?? NO_END });
        bets.limits.chunk(limitRow).filledAtMs[bets.limits.index(limitRow)] = filledAtMs ?? 0;
        bets.limits.chunk(limitRow).rested[bets.limits.index(limitRow)] = rested ? 1 : 0;
        if (filledAtMs === null && chunk.result[i] === RESULT_NONE)
          books.add(openRoundOf(state, row), chunk.side[i] as number, limitRow);
      }
    },
  },
);

/**
 * Unsettled bets that joined their round after one with a higher number: limit orders that have rested. In the order in which
 * they joined it, round by round.
 */
export const LATE_BET = table(
  'late_bet',
  {
    bet: count,
    /** The bet of the round just before it. */
    afterBet: count,
  },
  {
    *from(state) {
      for (const market of state.markets.markets)
        for (const round of market.rounds.values()) yield* lateBets(state, round);
    },
    into(state, values) {
      const late = new Map<number, number>();
      for (const { bet, afterBet } of values) {
        assert(!late.has(bet), 'a bet is late once');
        late.set(bet, afterBet);
      }
      const { bets, retainedBets } = state;
      for (let row = 1; row < bets.rowsEnd; row += 1) {
        if (isOpenBet(state, row) && !late.has(bets.betOf(row))) joinRound(state, row);
        if (bets.chunk(row).result[bets.index(row)] === RESULT_NONE) retainedBets.sum(row, 1);
      }
      for (const [bet, afterBet] of late) joinBehind(state, rowOf(state, bet), rowOf(state, afterBet));
    },
  },
);

/** An unfilled limit order is not in its round. */
function isOpenBet({ bets }: State, row: number): boolean {
  const end = bets.chunk(row).result[bets.index(row)] as number;
  const isOrder = bets.isUnfilled(row);
  if (end === RESULT_NONE) return !isOrder;
  if (isUnfilled(end) !== isOrder) fail(`bet ${bets.betOf(row)} cannot have ended so`);
  return false;
}

function openRoundOf({ bets, markets }: State, row: number): Round {
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  const round = markets.market(chunk.market[i] as number).rounds.get(chunk.roundNumber[i] as number);
  if (round === undefined || round.status === SETTLED) fail(`open bet ${chunk.bet.at(i)} has no open round`);
  return round;
}

function joinRound(state: State, row: number): void {
  const { bets } = state;
  const round = openRoundOf(state, row);
  if (round.firstBet === 0) round.firstBet = row;
  else bets.chunk(round.lastBet).next[bets.index(round.lastBet)] = row;
  round.lastBet = row;
}

function joinBehind(state: State, row: number, after: number): void {
  const { bets } = state;
  const round = openRoundOf(state, row);
  const chunk = bets.chunk(after);
  const i = bets.index(after);
  const isOfRound = row !== after && openRoundOf(state, after) === round && !bets.isUnfilled(after);
  assert(isOfRound && bets.hasRested(row), 'a late bet follows a bet of its round');
  bets.chunk(row).next[bets.index(row)] = chunk.next[i] as number;
  chunk.next[i] = row;
  if (round.lastBet === after) round.lastBet = row;
}

function rowOf({ bets }: State, bet: number): number {
  let low = 1;
  for (let high = bets.rowsEnd; low < high; ) {
    const middle = (low + high) >>> 1;
    if (bets.betOf(middle) < bet) low = middle + 1;
    else high = middle;
  }
  if (low === bets.rowsEnd || bets.betOf(low) !== bet) fail(`bet ${bet} is not there`);
  return low;
}

/** Unexpired Idempotency-Keys, each with every fact of its response. */
export const IDEMPOTENCY = table(
  'idempotency',
  {
    seq: count,
    /** Digest of the key, 96 bits in two numbers below 2^48, and of the body, 48 bits. */
    digest: view({ keyHigh: count, keyLow: count, body: count }),
    placed: view({
      /** 1 if the answer was PENDING. */
      type: either<OrderTerms['type']>('betPlaced', 'orderPending'),
      timeMs: count,
      ...ORDER,
      entryPercentE2: percentE2,
      payoutCents: count,
      newBalanceCents: count,
      /** 0 but for limit orders. */
      limitOddsE4: count,
      clientSeed: orNull(text),
      clientOrderId: orNull(text),
      filled: orNull(json<LimitFills>()),
    }),
  },
  {
    from: ({ idempotency, rules, timeMs }) =>
      rules === null ? [] : idempotency.entries(timeMs, rules.idempotencyTtlMs),
    into({ accounts, idempotency, seq: lastSeq }, values) {
      let before = 0;
      for (const { digest, seq, placed } of values) {
        if (seq <= before || seq > lastSeq) fail('Idempotency-Keys are in order of seq');
        before = seq;
        if (placed.type === 'orderPending' && placed.limitOddsE4 === NO_LIMIT)
          fail('an order that rests has a limit');
        if (!accounts.has(placed.account)) fail(`account ${placed.account} does not exist`);
        // Nothing expires here: the table has no expired entries.
        idempotency.add(digest, seq, placed, Number.POSITIVE_INFINITY);
      }
    },
  },
);

/** The round's open bets that are behind higher numbers, in their order; between them the others' numbers rise. */
function* lateBets({ bets }: State, round: Round): Generator<{ bet: number; afterBet: number }> {
  let highest = 0;
  let before = 0;
  // Only the unsettled bets of a round in settlement are linked for certain.
  let row = round.resolvedAtMs === null ? round.firstBet : round.nextToSettle;
  while (row !== 0) {
    const chunk = bets.chunk(row);
    const i = bets.index(row);
    const bet = chunk.bet.at(i);
    if (bet < highest) yield { bet, afterBet: before };
    else highest = bet;
    before = bet;
    row = chunk.next[i] as number;
  }
}
