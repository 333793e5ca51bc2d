/**
 * The columns of the archive's tables, one list each: name and declaration. Statements, positions of cells and counts
 * of cells are derived from these lists. The last cell of a row is its checksum and covers the cells before it. A bet
 * has two parts, its placement and its settlement, each with a checksum.
 */

/** By the name of the column: the rest of its declaration. */
export type Columns = Readonly<Record<string, string>>;

/** Some facts are null if the archive began at a snapshot in which the bet was open already. */
export const PLACEMENT = {
  bet: 'INTEGER PRIMARY KEY',
  account: 'INTEGER NOT NULL',
  market: 'TEXT NOT NULL',
  round_number: 'INTEGER NOT NULL',
  side: 'TEXT NOT NULL',
  stake_cents: 'INTEGER NOT NULL',
  odds_e4: 'INTEGER NOT NULL',
  entry_percent_e2: 'INTEGER',
  payout_cents: 'INTEGER NOT NULL',
  placed_seq: 'INTEGER',
  placed_ms: 'INTEGER NOT NULL',
  balance_after_cents: 'INTEGER',
  client_seed: 'TEXT',
  placed_checksum: 'TEXT NOT NULL',
} as const;

/** Null until the bet is settled. The checksum also covers the number of the bet, which may itself be damaged. */
export const SETTLEMENT = {
  result: 'TEXT',
  paid_cents: 'INTEGER',
  settled_seq: 'INTEGER',
  settled_item: 'INTEGER',
  settled_ms: 'INTEGER',
  settled_balance_cents: 'INTEGER',
  settled_checksum: 'TEXT',
} as const;

export const BET = { ...PLACEMENT, ...SETTLEMENT } as const;

/** Finished rounds. */
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

/** The position of each column in a row. */
export function positionsOf<C extends Columns>(columns: C): Readonly<Record<keyof C, number>> {
  const positions = Object.keys(columns).map((name, position) => [name, position]);
  return Object.fromEntries(positions) as Record<keyof C, number>;
}

export const countOf = (columns: Columns): number => Object.keys(columns).length;

/** The names, as listed in a statement. */
export const namesOf = (columns: Columns): string => Object.keys(columns).join(', ');

/** One parameter per column, in parentheses. */
export const parametersFor = (columns: Columns): string =>
  `(${Object.keys(columns)
    .map(() => '?')
    .join(', ')})`;

/** `name = ?` for each column. */
export const assignmentsOf = (columns: Columns): string =>
  Object.keys(columns)
    .map((name) => `${name} = ?`)
    .join(', ');

/** The body of a CREATE TABLE. */
export const declarationsOf = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, declaration]) => `  ${name} ${declaration}`)
    .join(',\n');

const PLACEMENT_CELLS = countOf(PLACEMENT);

/** The cells of a bet's placement, with its checksum. */
export const placementOf = <T>(bet: readonly T[]): T[] => bet.slice(0, PLACEMENT_CELLS);

/** The cells of a bet's settlement, with its checksum. */
export const settlementOf = <T>(bet: readonly T[]): T[] => bet.slice(PLACEMENT_CELLS);
