/**
 * Imports bets and Idempotency-Keys. Bets come by number, which is the order of placement in the lists of their
 * account and round. Only an account's recently settled bets have another order.
 */
import { assert, fail } from '../base/assert.js';
import { BET_ENDS, MARKET_IDS, NO_LIMIT, RESULT_NONE, SIDES } from '../model/domain.js';
import type { LimitFills, OrderFacts } from '../model/events.js';
import { BET_OPEN, BET_RECENTLY_PLACED, BET_RECENTLY_SETTLED } from '../state/bets.js';
import type { State } from '../state/state.js';
import { countOf, enumReader, flagOf, integerOf, integerOrNullOf, textOrNullOf } from './cells.js';
import { positionsOf, type ReadTable, type Row } from './form.js';
import { importLimit, joinLate, type Limits, limitsOf, openRoundOf } from './import-limits.js';
import { SETTLING_ROUND } from './market-tables.js';
import { BET, IDEMPOTENCY } from './tables.js';

const IN_BET = positionsOf(BET);
const IN_KEY = positionsOf(IDEMPOTENCY);

const marketOf = enumReader(MARKET_IDS);
const sideOf = enumReader(SIDES);
const resultOf = enumReader(BET_ENDS);

/** `betsRetained` is the expected number of bets. Also sets where settlements continue. */
export function importBets(state: State, read: ReadTable, betsRetained: number): void {
  const limits = limitsOf(read);
  const positions = new Uint32Array(betsRetained + 1);
  for (const cells of read(BET.name)) {
    const row = importBet(state, cells, limits);
    if (row > betsRetained) fail(`there are ${betsRetained} bets`);
    positions[row] = cells[IN_BET.settled_position] === null ? 0 : countOf(cells[IN_BET.settled_position]);
  }
  assert(state.bets.retainedCount === betsRetained, `there are ${betsRetained} bets`);
  joinLate(state, limits);
  linkSettled(state, positions);
  const starts = [...read(SETTLING_ROUND.name)].map(([, , nextBet]) => nextBet);
  state.markets.settling.forEach((round, at) => {
    round.nextToSettle = round.firstBet;
    const { bets } = state;
    const next = bets.chunk(round.firstBet).bet[bets.index(round.firstBet)];
    assert(next === starts[at], 'a settlement continues at the first open bet');
  });
}

/** Adds the bet and links it to its account, and to its round if it is open; `late` ones join it later. */
function importBet(state: State, cells: Row, limits: Limits): number {
  const { accounts, bets, history } = state;
  const [bet, owner, market, roundNumber, side, stakeCents, oddsE4, payoutCents, placedAtMs] = cells;
  bets.skipNumbersTo(countOf(bet) - 1);
  const row = bets.take();
  const chunk = bets.chunk(row);
  const i = bets.index(row);
  const account = integerOf(owner);
  const result = resultOf(cells[IN_BET.result]);
  const isOpen = result === RESULT_NONE;
  chunk.account[i] = account;
  chunk.market[i] = marketOf(market);
  chunk.roundNumber[i] = countOf(roundNumber);
  chunk.side[i] = sideOf(side);
  chunk.stakeCents[i] = countOf(stakeCents);
  chunk.oddsE4[i] = countOf(oddsE4);
  chunk.payoutCents[i] = countOf(payoutCents);
  chunk.placedAtMs[i] = countOf(placedAtMs);
  chunk.settledAtMs[i] = isOpen ? 0 : countOf(cells[IN_BET.settled_at_ms]);
  chunk.result[i] = result;
  chunk.changedSeq[i] = countOf(cells[IN_BET.changed_seq]);
  chunk.entryPercentE2[i] = percentOf(cells[IN_BET.entry_percent_e2]);
  chunk.setClientSeed(i, textOrNullOf(cells[IN_BET.client_seed]));
  const settledPosition = cells[IN_BET.settled_position];
  const flags =
    (isOpen ? BET_OPEN : 0) |
    (flagOf(cells[IN_BET.recently_placed]) ? BET_RECENTLY_PLACED : 0) |
    (settledPosition === null ? 0 : BET_RECENTLY_SETTLED);
  if ((chunk.changedSeq[i] as number) > state.seq) fail(`bet ${bet} was changed by a later command`);
  if (!accounts.has(account)) fail(`bet ${bet} belongs to account ${account}, which does not exist`);
  if (flags === 0 || (isOpen && settledPosition !== null))
    fail(`the flags of bet ${bet} contradict each other`);
  history.restorePlaced(account, row, flags);
  if (importLimit(state, row, limits) && isOpen) joinRound(state, row);
  return row;
}

function percentOf(cell: Row[number] | undefined): number {
  const percentE2 = countOf(cell);
  if (percentE2 > 10_000) fail(`${percentE2} is not a share of a pool`);
  return percentE2;
}

function joinRound(state: State, row: number): void {
  const { bets } = state;
  const round = openRoundOf(state, row);
  if (round.firstBet === 0) round.firstBet = row;
  else bets.chunk(round.lastBet).next[bets.index(round.lastBet)] = row;
  round.lastBet = row;
}

/** Links each account's recently settled bets by `positions`, which start at 1; 0 marks the others. */
function linkSettled({ accounts, bets, history }: State, positions: Uint32Array): void {
  const ends = new Uint32Array(accounts.count + 1);
  forEachSettled(positions, (row) => {
    const account = bets.chunk(row).account[bets.index(row)] as number;
    ends[account] = (ends[account] as number) + 1;
  });
  for (let account = 1; account <= accounts.count; account += 1) {
    ends[account] = (ends[account] as number) + (ends[account - 1] as number);
  }
  const rows = new Uint32Array(ends[accounts.count] as number);
  forEachSettled(positions, (row, position) => {
    const account = bets.chunk(row).account[bets.index(row)] as number;
    const place = (ends[account - 1] as number) + position - 1;
    if (place >= (ends[account] as number) || rows[place] !== 0) fail('settled positions have no gap');
    rows[place] = row;
  });
  for (const row of rows) history.restoreSettled(bets.chunk(row).account[bets.index(row)] as number, row);
}

function forEachSettled(positions: Uint32Array, visit: (row: number, position: number) => void): void {
  for (let row = 1; row < positions.length; row += 1) {
    const position = positions[row] as number;
    if (position !== 0) visit(row, position);
  }
}

export function importIdempotency(state: State, read: ReadTable): void {
  let lastSeq = 0;
  for (const cells of read(IDEMPOTENCY.name)) {
    const seq = countOf(cells[IN_KEY.seq]);
    if (seq <= lastSeq || seq > state.seq) fail('Idempotency-Keys are in order of seq');
    lastSeq = seq;
    const digest = {
      keyHigh: countOf(cells[IN_KEY.key_high]),
      keyLow: countOf(cells[IN_KEY.key_low]),
      body: countOf(cells[IN_KEY.body]),
    };
    const placed = placedFrom(cells);
    if (!state.accounts.has(placed.account)) fail(`account ${placed.account} does not exist`);
    // Nothing expires here: the table has no expired entries.
    state.idempotency.add(digest, seq, placed, Number.POSITIVE_INFINITY);
  }
}

function placedFrom(cells: Row): OrderFacts {
  const filled = textOrNullOf(cells[IN_KEY.filled]);
  const rested = cells[IN_KEY.rested];
  return {
    type: rested !== null && flagOf(rested) ? 'orderPending' : 'betPlaced',
    timeMs: countOf(cells[IN_KEY.placed_at_ms]),
    bet: countOf(cells[IN_KEY.bet]),
    account: countOf(cells[IN_KEY.account]),
    market: marketOf(cells[IN_KEY.market]),
    roundNumber: countOf(cells[IN_KEY.round_number]),
    side: sideOf(cells[IN_KEY.side]),
    stakeCents: countOf(cells[IN_KEY.stake_cents]),
    oddsE4: countOf(cells[IN_KEY.odds_e4]),
    entryPercentE2: countOf(cells[IN_KEY.entry_percent_e2]),
    payoutCents: countOf(cells[IN_KEY.payout_cents]),
    newBalanceCents: countOf(cells[IN_KEY.new_balance_cents]),
    clientSeed: textOrNullOf(cells[IN_KEY.client_seed]),
    limitOddsE4: integerOrNullOf(cells[IN_KEY.limit_odds_e4]) ?? NO_LIMIT,
    filled: filled === null ? null : (JSON.parse(filled) as LimitFills),
  };
}
