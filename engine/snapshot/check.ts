/**
 * Invariants of every state, checked on an imported one: sums and counts against their parts, each round's queue, and
 * the conservation of money.
 */
import { assert } from '../base/assert.js';
import { roundId, SETTLED, SETTLING, UP, UPCOMING } from '../model/domain.js';
import type { Round } from '../state/rounds.js';
import type { State } from '../state/state.js';

/** Stored in a snapshot beside their parts. */
interface Sums {
  readonly accountsCents: number;
  readonly potsCents: number;
  readonly openStakesCents: number;
  readonly accounts: number;
  readonly keys: number;
  readonly betsRetained: number;
}

/** Sets the totals of the pots. Throws AssertionError on any mismatch. */
export function checkState(state: State, sums: Sums): void {
  const { accounts, house, keys, markets } = state;
  assert(state.lifecycleSeq <= state.seq, 'lifecycleSeq is not above seq');
  assert(accounts.count === sums.accounts, `there are ${sums.accounts} accounts`);
  assert(keys.count === sums.keys, `there are ${sums.keys} keys`);
  assert(state.bets.retainedCount === sums.betsRetained, `there are ${sums.betsRetained} bets`);
  assert(accounts.totalCents === sums.accountsCents, 'the balances add up');
  checkOpenBets(state);
  checkTransfers(state);
  checkRounds(state);
  assert(markets.potsCents === sums.potsCents, 'the pots add up');
  assert(markets.openStakesCents === sums.openStakesCents, 'the open stakes add up');
  assert(
    house.balanceCents + accounts.totalCents + markets.potsCents + state.books.reservedCents ===
      house.depositsCents - house.withdrawalsCents,
    'money is conserved',
  );
}

function checkOpenBets({ accounts, bets }: State): void {
  const counts = new Uint32Array(accounts.count + 1);
  for (let row = 1; row < bets.rowsEnd; row += 1) {
    const chunk = bets.chunk(row);
    const i = bets.index(row);
    if (!chunk.isOpen(i)) continue;
    const account = chunk.account[i] as number;
    counts[account] = (counts[account] as number) + 1;
  }
  for (let account = 1; account <= accounts.count; account += 1) {
    const count = accounts.openBets(account);
    assert(count === counts[account], `account ${account} has ${count} open bets`);
  }
}

function checkTransfers({ house, seq }: State): void {
  let depositsCents = 0;
  let withdrawalsCents = 0;
  for (const record of house.records()) {
    const { amountCents } = record.event;
    assert(amountCents !== 0 && record.seq <= seq, 'a transfer moved money');
    if (amountCents > 0) depositsCents += amountCents;
    else withdrawalsCents -= amountCents;
  }
  assert(depositsCents === house.depositsCents, 'the deposits add up');
  assert(withdrawalsCents === house.withdrawalsCents, 'the withdrawals add up');
}

/** Every unsettled round is in exactly one place, and its pools are the sum of its seeds and bets. */
function checkRounds(state: State): void {
  const { accounts, markets } = state;
  const current = markets.markets.flatMap((market) => market.current ?? []);
  const places = [...current, ...markets.awaitingPrice, ...markets.settling];
  const waiting = new Set(places);
  assert(waiting.size === places.length, 'a round is in one queue');
  let openBets = 0;
  for (const market of markets.markets) {
    for (const round of market.rounds.values()) {
      const open = checkRound(state, round);
      assert(round.status === SETTLED || waiting.delete(round), `${nameOf(round)} is in a queue`);
      assert(round.status === UPCOMING || round.roundNumber <= market.lastRoundNumber, 'round numbers rise');
      if (round.status === SETTLED) continue;
      markets.potsCents += round.poolUpCents + round.poolDownCents - round.paidCents;
      markets.openStakesCents += open.stakesCents;
      openBets += open.count;
    }
  }
  assert(waiting.size === 0, 'queued rounds are in memory');
  assert(
    markets.awaitingPrice.every((round) => isEnded(round, false)),
    'rounds that await a price have none',
  );
  assert(
    markets.settling.every((round) => isEnded(round, true)),
    'rounds in settlement have a result',
  );
  openBets += state.books.orders;
  for (let account = 1; account <= accounts.count; account += 1) openBets -= accounts.openBets(account);
  assert(openBets === 0, 'open bets are those of the open rounds, and the orders that rest');
}

const isEnded = (round: Round, isResolved: boolean): boolean =>
  round.status === SETTLING && (round.resolvedAtMs !== null) === isResolved;

const nameOf = (round: Round): string => roundId(round.market, round.roundNumber);

/** Returns the round's open bets. */
function checkRound(state: State, round: Round) {
  const seedsCents = round.status === UPCOMING || round.openPrice === null ? 0 : 2 * round.seedCents;
  const totalCents = round.poolUpCents + round.poolDownCents;
  assert(totalCents === seedsCents + round.volumeCents, `the pools of ${nameOf(round)} are seeds and stakes`);
  if (round.quote !== null) {
    const { seedUpCents } = round.quote;
    assert(seedUpCents >= 1 && seedUpCents < 2 * round.seedCents, `each side of ${nameOf(round)} has seeds`);
  }
  assert(round.paidCents <= totalCents, `${nameOf(round)} pays no more than its pool`);
  let count = 0;
  let stakesCents = 0;
  let stakesUpCents = 0;
  let payoutUpCents = 0;
  let payoutDownCents = 0;
  for (let row = round.firstBet; row !== 0; ) {
    const chunk = state.bets.chunk(row);
    const i = state.bets.index(row);
    count += 1;
    stakesCents += chunk.stakeCents.at(i);
    if (chunk.side[i] === UP) {
      stakesUpCents += chunk.stakeCents.at(i);
      payoutUpCents += chunk.payoutCents.at(i);
    } else payoutDownCents += chunk.payoutCents.at(i);
    row = chunk.next[i] as number;
  }
  assert(
    count <= round.betCount && stakesCents <= round.volumeCents,
    `${nameOf(round)} does not have more bets than placed`,
  );
  if (round.resolvedAtMs === null) {
    assert(
      count === round.betCount &&
        stakesCents === round.volumeCents &&
        payoutUpCents === round.payoutUpCents &&
        payoutDownCents === round.payoutDownCents,
      `the bets of ${nameOf(round)} add up`,
    );
    const seedUpCents = round.quote?.seedUpCents ?? round.seedCents;
    const isOpen = round.openPrice !== null;
    assert(
      !isOpen || round.poolUpCents === seedUpCents + stakesUpCents,
      `the sides of ${nameOf(round)} add up`,
    );
  }
  return { count, stakesCents };
}
