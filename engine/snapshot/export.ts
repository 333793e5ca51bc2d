/**
 * Exports the whole engine state as tables (`tables.ts`). Rows are generated as they are read, so the writer sets the
 * pace and no second copy of the state exists. The state must not change meanwhile.
 */
import {
  ASSET_CLASSES,
  BET_ENDS,
  MARKET_IDS,
  NO_LIMIT,
  SETTLED,
  SIDES,
  TIERS,
  textAt,
} from '../model/domain.js';
import type { OrderFacts } from '../model/events.js';
import { SETUP_FACTS } from '../model/setup.js';
import { BET_RECENTLY_PLACED } from '../state/bets.js';
import { lateBets } from '../state/late-bets.js';
import type { State } from '../state/state.js';
import { flagCell, textCell, textOrNullCell } from './cells.js';
import { marketRows, openPriceRows, roundName, roundRows, settlingRows } from './export-rounds.js';
import type { Row, StateTable } from './form.js';
import { AWAITING_PRICE, MARKET, OPEN_PRICE, ROUND, SETTLING_ROUND } from './market-tables.js';
import { rowsByBet } from './sort-bets.js';
import {
  ACCOUNT,
  API_KEY,
  BET,
  ENGINE,
  IDEMPOTENCY,
  LATE_BET,
  LIMIT_ORDER,
  MARKET_HOURS,
  SETUP,
  TRANSFER,
} from './tables.js';

export function* exportTables(state: State, rollingDigest: string): Generator<StateTable> {
  yield { form: ENGINE, rows: [engineRow(state, rollingDigest)] };
  yield { form: SETUP, rows: setupRows(state) };
  yield { form: MARKET_HOURS, rows: hoursRows(state) };
  yield { form: ACCOUNT, rows: accountRows(state) };
  yield { form: API_KEY, rows: keyRows(state) };
  yield { form: TRANSFER, rows: transferRows(state) };
  yield { form: MARKET, rows: marketRows(state) };
  yield { form: ROUND, rows: roundRows(state) };
  yield { form: AWAITING_PRICE, rows: state.markets.awaitingPrice.map(roundName) };
  yield { form: SETTLING_ROUND, rows: settlingRows(state) };
  yield { form: OPEN_PRICE, rows: openPriceRows(state) };
  yield { form: LIMIT_ORDER, rows: limitRows(state) };
  yield { form: BET, rows: betRows(state) };
  yield { form: LATE_BET, rows: lateRows(state) };
  yield { form: IDEMPOTENCY, rows: idempotencyRows(state) };
}

function engineRow(state: State, rollingDigest: string): Row {
  const { accounts, bets, house, keys, markets, rules, trading } = state;
  return [
    state.seq,
    state.timeMs,
    state.lifecycleSeq,
    rollingDigest,
    state.rulesVersion,
    rules === null ? null : JSON.stringify(rules),
    flagCell(trading.enabled),
    textCell(trading.reason),
    bets.placedCount,
    house.balanceCents,
    house.depositsCents,
    house.withdrawalsCents,
    accounts.totalCents,
    markets.potsCents,
    markets.openStakesCents,
    accounts.count,
    keys.count,
    bets.retainedCount,
  ];
}

function setupRows({ setup }: State): Row[] {
  return setup === null ? [] : SETUP_FACTS.map((name) => [name, textCell(setup[name])]);
}

function hoursRows(state: State): Row[] {
  return state.sessions.flatMap((sessions, assetClass): Row[] => {
    const name = textAt(ASSET_CLASSES, assetClass);
    if (sessions === null) return [];
    return sessions.length === 0 ? [[name, null, null]] : sessions.map((hours) => [name, ...hours]);
  });
}

function* accountRows({ accounts }: State): Generator<Row> {
  for (let account = 1; account <= accounts.count; account += 1) {
    const { name, tier, balanceCents, frozen, openBets } = accounts.view(account);
    yield [
      account,
      textOrNullCell(name),
      textAt(TIERS, tier),
      balanceCents,
      flagCell(frozen),
      accounts.touchedSeq(account),
      openBets,
    ];
  }
}

function* keyRows({ keys }: State): Generator<Row> {
  for (let key = 1; key <= keys.count; key += 1) {
    const { account, scopesMask, enabled, expiresAtMs, createdAtMs } = keys.view(key);
    yield [key, account, keys.digest(key), scopesMask, flagCell(enabled), expiresAtMs, createdAtMs];
  }
}

function* transferRows({ house }: State): Generator<Row> {
  for (const { seq, event } of house.records()) {
    const { account, reference, timeMs, amountCents, balanceCents } = event;
    yield [account, textCell(reference), seq, timeMs, amountCents, balanceCents];
  }
}

function* betRows(state: State): Generator<Row> {
  const { bets } = state;
  const positions = settledPositions(state);
  for (const row of rowsByBet(bets)) {
    const chunk = bets.chunk(row);
    const i = bets.index(row);
    const result = chunk.result[i] as number;
    const settledPosition = positions[row] as number;
    yield [
      chunk.bet[i] as number,
      chunk.account[i] as number,
      textAt(MARKET_IDS, chunk.market[i] as number),
      chunk.roundNumber[i] as number,
      textAt(SIDES, chunk.side[i] as number),
      chunk.stakeCents[i] as number,
      chunk.oddsE4[i] as number,
      chunk.payoutCents[i] as number,
      chunk.placedAtMs[i] as number,
      result === 0 ? null : (chunk.settledAtMs[i] as number),
      textAt(BET_ENDS, result),
      chunk.changedSeq[i] as number,
      flagCell(((chunk.flags[i] as number) & BET_RECENTLY_PLACED) !== 0),
      settledPosition === 0 ? null : settledPosition,
      chunk.entryPercentE2[i] as number,
      textOrNullCell(chunk.clientSeedOf(i)),
    ];
  }
}

/** By row: the bet's position, from 1, among its account's recently settled bets, or 0. */
function settledPositions({ accounts, bets, history }: State): Uint32Array {
  const positions = new Uint32Array(bets.rowsEnd);
  for (let account = 1; account <= accounts.count; account += 1) {
    let position = accounts.chunk(account).settledKept[accounts.row(account)] as number;
    for (let row = history.newestSettled(account); row !== 0; position -= 1) {
      positions[row] = position;
      row = bets.chunk(row).settledOlder[bets.index(row)] as number;
    }
  }
  return positions;
}

function* limitRows({ bets }: State): Generator<Row> {
  for (const row of rowsByBet(bets)) {
    const limitRow = bets.chunk(row).limitRowOf(bets.index(row));
    if (limitRow === 0) continue;
    const limits = bets.limits.chunk(limitRow);
    const i = bets.limits.index(limitRow);
    const filledAtMs = limits.filledAtMs[i] as number;
    const [bet, limitOddsE4] = [limits.bet[i] as number, limits.limitOddsE4[i] as number];
    yield [bet, limitOddsE4, filledAtMs === 0 ? null : filledAtMs, limits.rested[i] as number];
  }
}

function* lateRows(state: State): Generator<Row> {
  for (const market of state.markets.markets)
    for (const round of market.rounds.values()) if (round.status !== SETTLED) yield* lateBets(state, round);
}

function limitCells({ type, limitOddsE4, filled }: OrderFacts): Row {
  const isLimit = limitOddsE4 !== NO_LIMIT;
  return [
    isLimit ? limitOddsE4 : null,
    isLimit ? flagCell(type === 'orderPending') : null,
    filled === null ? null : JSON.stringify(filled),
  ];
}

function* idempotencyRows({ idempotency, rules, timeMs }: State): Generator<Row> {
  if (rules === null) return;
  for (const { digest, seq, placed } of idempotency.entries(timeMs, rules.idempotencyTtlMs)) {
    yield [
      seq,
      placed.account,
      digest.keyHigh,
      digest.keyLow,
      digest.body,
      placed.bet,
      textAt(MARKET_IDS, placed.market),
      placed.roundNumber,
      textAt(SIDES, placed.side),
      placed.stakeCents,
      placed.oddsE4,
      placed.entryPercentE2,
      placed.payoutCents,
      placed.newBalanceCents,
      placed.timeMs,
      textOrNullCell(placed.clientSeed),
      ...limitCells(placed),
    ];
  }
}
