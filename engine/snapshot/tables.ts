/**
 * The whole engine state as tables, and back. Amounts are in cents, times in milliseconds since 1970; markets, sides,
 * tiers, statuses and results are text; flags are 0 or 1. Links between rows follow from numbers and positions. Sums
 * and counts stored beside their parts are verified (`check.ts`), and the import uses the methods that commands use,
 * with their assertions: a wrong snapshot is refused with an AssertionError, not served.
 */
import { assert, must } from '../base/assert.js';
import { setRulesInForce, setSetup } from '../handlers/settings.js';
import { LOSS_SCOPES } from '../model/loss-limits.js';
import type { Rules } from '../model/rules.js';
import type { Setup } from '../model/setup.js';
import { type Sessions, State } from '../state/state.js';
import { ACCOUNT, API_KEY, TRANSFER } from './accounts.js';
import { BET, IDEMPOTENCY, LATE_BET, LIMIT_ORDER } from './bets.js';
import { checkState } from './check.js';
import {
  count,
  flag,
  json,
  object,
  orNull,
  type ReadTable,
  Table,
  type TableForm,
  text,
  type ValuesOf,
} from './columns.js';
import { AWAITING_PRICE, ESTIMATE, MARKET, OPEN_PRICE, ROUND, SETTLING_ROUND } from './rounds.js';

const FIGURES = {
  seq: count,
  timeMs: count,
  lifecycleSeq: count,
  rollingDigest: text,
  rulesVersion: count,
  rules: orNull(json<Rules>()),
  setup: orNull(json<Setup>()),
  sessions: json<readonly (Sessions | null)[]>(),
  trading: object({ enabled: flag, reason: text }, 'trading_'),
  betsPlaced: count,
  /** Idempotency-Keys of orders before this are forgotten. */
  idempotencyNotBeforeMs: count,
  house: object(
    {
      balanceCents: count,
      /** All deposits and withdrawals ever, of accounts and house. */
      depositsCents: count,
      withdrawalsCents: count,
    },
    'house_',
  ),
  day: object({
    dayMs: count,
    resultCents: json<readonly number[]>(),
    liftedCents: json<readonly number[]>(),
  }),
  /** Sum of all balances except the house's. */
  accountsCents: count,
  potsCents: count,
  openStakesCents: count,
  /** Rows of `account`, `api_key` and `bet`. */
  accounts: count,
  keys: count,
  betsRetained: count,
};
type Figures = ValuesOf<typeof FIGURES>;

/** One row. */
export const ENGINE = new Table('engine', object(FIGURES));

/** In the order of export and import. A part may need those before it. */
const PARTS = [
  ACCOUNT,
  API_KEY,
  TRANSFER,
  ROUND,
  MARKET,
  AWAITING_PRICE,
  OPEN_PRICE,
  ESTIMATE,
  BET,
  LIMIT_ORDER,
  LATE_BET,
  SETTLING_ROUND,
  IDEMPOTENCY,
];
export const TABLES: readonly TableForm[] = [ENGINE, ...PARTS];

export interface ExportedTable {
  readonly form: TableForm;
  /** Each is the text of a JSON array of rows, in UTF-8, and holds until the next one is asked for. */
  readonly blocks: Iterable<Uint8Array>;
}

/** Rows are generated as they are read: no second copy of the state exists. The state must not change meanwhile. */
export function* exportTables(state: State, rollingDigest: string): Generator<ExportedTable> {
  yield { form: ENGINE, blocks: ENGINE.blocksOf([figuresOf(state, rollingDigest)]) };
  for (const part of PARTS) yield { form: part, blocks: part.blocks(state) };
}

function figuresOf(state: State, rollingDigest: string): Figures {
  const { accounts, bets, idempotency, keys, markets } = state;
  return {
    ...state,
    rollingDigest,
    betsPlaced: bets.placedCount,
    idempotencyNotBeforeMs: idempotency.notBeforeMs,
    accountsCents: accounts.totalCents,
    potsCents: markets.potsCents,
    openStakesCents: markets.openStakesCents,
    accounts: accounts.count,
    keys: keys.count,
    betsRetained: bets.retainedCount,
  };
}

/** The digest is that of all outcomes up to the state, 16 hex digits. */
export function importTables(read: ReadTable): { readonly state: State; readonly rollingDigest: string } {
  const state = new State();
  const [engine, ...others] = ENGINE.values(read(ENGINE.name));
  assert(others.length === 0, 'there is one engine row');
  const figures = must(engine, 'engine');
  importFigures(state, figures);
  for (const part of PARTS) part.restore(state, read(part.name));
  state.bets.skipNumbersTo(figures.betsPlaced);
  checkState(state, figures);
  return { state, rollingDigest: figures.rollingDigest };
}

function importFigures(state: State, figures: Figures): void {
  const { seq, timeMs, lifecycleSeq, rules, rulesVersion, setup, sessions, trading, house } = figures;
  Object.assign(state, { seq, timeMs, lifecycleSeq, trading });
  if (rules !== null) setRulesInForce(state, rules, rulesVersion);
  if (setup !== null) setSetup(state, setup);
  sessions.forEach((hours, assetClass) => {
    state.sessions[assetClass] = hours;
  });
  state.idempotency.notBeforeMs = figures.idempotencyNotBeforeMs;
  state.house.move(house.balanceCents);
  state.house.depositsCents = house.depositsCents;
  state.house.withdrawalsCents = house.withdrawalsCents;
  state.day.dayMs = figures.day.dayMs;
  for (const scope of LOSS_SCOPES.keys()) {
    state.day.resultCents[scope] = must(figures.day.resultCents[scope], 'result of a day');
    state.day.liftedCents[scope] = must(figures.day.liftedCents[scope], 'result of a day');
  }
}
