/**
 * The columns of the archive, one list for each kind of row. Statements, positions and counts of cells are derived
 * from them.
 */
import { crc32 } from 'node:zlib';
import { type Cell, ROW_END, wordsOf } from '../../engine/base/rows-text.js';
import { BET_ENDS, MARKET_IDS, SIDES } from '../../engine/model/domain.js';
import { crcHex } from '../journal/segment/batch-row.js';

export type Columns = Readonly<Record<string, string>>;

/** In the order of the bets' numbers, many placements to a row. */
export const PLACED_BLOCK = {
  first_bet: 'INTEGER PRIMARY KEY',
  last_bet: 'INTEGER NOT NULL',
  rows: 'TEXT NOT NULL',
  checksum: 'TEXT NOT NULL',
} as const;

/** Settlements of one round by one command, in their order, many to a row. */
export const SETTLED_BLOCK = {
  seq: 'INTEGER NOT NULL',
  market: 'TEXT NOT NULL',
  round_number: 'INTEGER NOT NULL',
  time_ms: 'INTEGER NOT NULL',
  first_bet: 'INTEGER NOT NULL',
  last_bet: 'INTEGER NOT NULL',
  rows: 'TEXT NOT NULL',
  checksum: 'TEXT NOT NULL',
} as const;

export const ACCOUNT_BETS = {
  account: 'INTEGER NOT NULL',
  seq: 'INTEGER NOT NULL',
  placed: 'TEXT NOT NULL',
  settled: 'TEXT NOT NULL',
  checksum: 'TEXT NOT NULL',
} as const;

/**
 * Cells of a block's text. Some are null if the archive began at a snapshot in which the bet was open already. An
 * order that rested has the odds that it names, their payout, and no percent. Only limit orders and orders with a
 * name have the last four cells; `rested` is 1 or 0.
 */
export const PLACEMENT = [
  'bet',
  'account',
  'market',
  'round_number',
  'side',
  'stake_cents',
  'odds_e4',
  'entry_percent_e2',
  'payout_cents',
  'placed_seq',
  'placed_ms',
  'balance_after_cents',
  'client_seed',
  'limit_odds_e4',
  'rested',
  'valid_until_ms',
  'client_order_id',
] as const;

/** The last four columns are the block's, the others its text's. */
export const SETTLEMENT = [
  'bet',
  'account',
  'result',
  'paid_cents',
  'settled_item',
  'settled_balance_cents',
  'settled_seq',
  'market',
  'round_number',
  'settled_ms',
] as const;

export const SETTLEMENT_CELLS = 6;

/**
 * Finished rounds. `merkle_root` to `root_ms` are null if no root was put on record. `origins` is JSON: where the
 * prices came from, and the fair shares of the bets.
 */
export const ROUND = {
  market: 'TEXT NOT NULL',
  round_number: 'INTEGER NOT NULL',
  start_ms: 'INTEGER NOT NULL',
  lock_ms: 'INTEGER NOT NULL',
  end_ms: 'INTEGER NOT NULL',
  open_price: 'REAL',
  close_price: 'REAL',
  pool_up_cents: 'INTEGER NOT NULL',
  pool_down_cents: 'INTEGER NOT NULL',
  seed_cents: 'INTEGER NOT NULL',
  fee_bps: 'INTEGER NOT NULL',
  bet_count: 'INTEGER NOT NULL',
  volume_cents: 'INTEGER NOT NULL',
  result: 'TEXT NOT NULL',
  void_reason: 'TEXT NOT NULL',
  resolved_ms: 'INTEGER NOT NULL',
  settled_seq: 'INTEGER NOT NULL',
  settled_ms: 'INTEGER NOT NULL',
  merkle_root: 'TEXT',
  tree_size: 'INTEGER',
  key_id: 'TEXT',
  signature: 'TEXT',
  root_ms: 'INTEGER',
  origins: 'TEXT NOT NULL',
  checksum: 'TEXT NOT NULL',
} as const;

/** Money moved other than by a bet. `item` is the position among the events of command `seq`. */
export const TRANSFER = {
  seq: 'INTEGER NOT NULL',
  item: 'INTEGER NOT NULL',
  time_ms: 'INTEGER NOT NULL',
  account: 'INTEGER NOT NULL',
  amount_cents: 'INTEGER NOT NULL',
  balance_cents: 'INTEGER NOT NULL',
  reason: 'TEXT NOT NULL',
  reference: 'TEXT NOT NULL',
  checksum: 'TEXT NOT NULL',
} as const;

/**
 * Later steps of limit orders that have rested: `kind` is FILLED, when the order became a bet with these odds, then
 * the bet's result; or CANCELLED or EXPIRED. They are apart from other settlements because these are in the order of
 * bets.
 */
export const LIMIT_STEP = {
  seq: 'INTEGER NOT NULL',
  item: 'INTEGER NOT NULL',
  time_ms: 'INTEGER NOT NULL',
  bet: 'INTEGER NOT NULL',
  account: 'INTEGER NOT NULL',
  market: 'TEXT NOT NULL',
  round_number: 'INTEGER NOT NULL',
  kind: 'TEXT NOT NULL',
  odds_e4: 'INTEGER',
  entry_percent_e2: 'INTEGER',
  payout_cents: 'INTEGER NOT NULL',
  balance_cents: 'INTEGER NOT NULL',
  checksum: 'TEXT NOT NULL',
} as const;

/** Actions of operators, with item 0, and refusals, with items from 1. `facts` is JSON, with the reason. */
export const ACTION = {
  seq: 'INTEGER NOT NULL',
  item: 'INTEGER NOT NULL',
  time_ms: 'INTEGER NOT NULL',
  kind: 'TEXT NOT NULL',
  operator: 'TEXT',
  facts: 'TEXT NOT NULL',
  checksum: 'TEXT NOT NULL',
} as const;

/** The rows that a replay gives. `progress` counts each kind, in this order. */
export const ROW_KINDS = ['bets', 'betsSettled', 'rounds', 'transfers', 'limitSteps', 'actions'] as const;
export type RowKind = (typeof ROW_KINDS)[number];

/** Kinds whose rows are rows of a table; those of bets are in blocks. */
export const TABLE_OF = {
  rounds: 'round',
  transfers: 'transfer',
  limitSteps: 'limit_step',
  actions: 'action',
} as const;
export type SingleKind = keyof typeof TABLE_OF;
export const SINGLE_KINDS = Object.keys(TABLE_OF) as SingleKind[];

export const byKind = <T>(make: (kind: RowKind) => T): Record<RowKind, T> =>
  Object.fromEntries(ROW_KINDS.map((kind) => [kind, make(kind)])) as Record<RowKind, T>;

type Position<K extends PropertyKey> = Readonly<Record<K, number>>;

export function positionsOf<K extends string>(
  columns: readonly K[] | Readonly<Record<K, string>>,
): Position<K> {
  const names = Array.isArray(columns) ? columns : Object.keys(columns);
  return Object.fromEntries(names.map((name, position) => [name, position])) as Position<K>;
}

/** Text may be given as bytes of UTF-8. */
export const parametersFor = (columns: Columns): string =>
  `(${Object.values(columns)
    .map((declaration) => (declaration.startsWith('TEXT') ? 'CAST(? AS TEXT)' : '?'))
    .join(', ')})`;

export const declarationsOf = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, declaration]) => `  ${name} ${declaration}`)
    .join(',\n');

/** Rows as they are read, one by one. */
export type Rows = Generator<Cell[], void, undefined>;

export const archiveChecksum = (cells: readonly Cell[]): string => crcHex(JSON.stringify(cells));

/** The row of these cells: its checksum is the last one. */
export const withChecksum = (cells: readonly Cell[]): Cell[] => [...cells, archiveChecksum(cells)];

export const isIntact = (row: readonly Cell[]): boolean => row.at(-1) === archiveChecksum(row.slice(0, -1));

/** By index in the lists of the model. */
export const MARKET_WORDS = wordsOf(MARKET_IDS);
export const SIDE_WORDS = wordsOf(SIDES);
export const BET_END_WORDS = wordsOf(BET_ENDS);

/** Where each row begins, and where another behind the last would. */
export function rowStarts(text: string): number[] {
  const starts = [1];
  for (let at = text.indexOf(ROW_END); at >= 0; at = text.indexOf(ROW_END, at + 1))
    starts.push(at + ROW_END.length);
  starts.push(text.length - 1 + ROW_END.length);
  return starts;
}

export function rowOfText(text: string, starts: readonly number[], index: number): Cell[] {
  const [from = 0, next = 0] = starts.slice(index, index + 2);
  return JSON.parse(text.slice(from, next - ROW_END.length)) as Cell[];
}

/** CRC-32 of a block, 8 hex digits, over its cells, a line each. `rows` is the last one. */
export const blockChecksum = (cells: readonly Cell[], rows: string | Uint8Array): string =>
  crcHex(rows, crc32(cells.map((cell) => `${cell}\n`).join('')));

export const isBlockIntact = (block: readonly Cell[]): boolean =>
  block.at(-1) === blockChecksum(block.slice(0, -2), String(block.at(-2)));

export const IN_PLACEMENT = positionsOf(PLACEMENT);
export const IN_SETTLEMENT = positionsOf(SETTLEMENT);
export const IN_STEP = positionsOf(LIMIT_STEP);
