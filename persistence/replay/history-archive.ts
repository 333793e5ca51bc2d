/**
 * What the archive tells of the time before a pruned journal begins: the same events that the journal's commands caused,
 * with their sequence numbers, so that whoever reads events reads on without a seam. Every row is checked.
 */
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { must } from '../../engine/base/assert.js';
import { BET_RESULTS, marketOf, ROUND_RESULTS, SIDES } from '../../engine/model/domain.js';
import type { BalanceMoved, BetPlaced, BetSettled } from '../../engine/model/events.js';
import { type ArchiveCell, archiveChecksum } from '../archive/checksum.js';
import { type ArchiveProgress, asArchiveDamage, damagedArchive, readProgress } from '../archive/schema.js';
import type { DataDir } from '../data-dir/layout.js';

const BUSY_TIMEOUT_MS = 5_000;

/** An event that moved money, as it happened. `seq` is 0 where the archive began later than the bet. */
export interface ArchivedEvent {
  readonly seq: number;
  readonly event: BetPlaced | BetSettled | BalanceMoved;
}

/** A finished round, as the archive keeps it. */
export interface ArchivedRound {
  readonly market: number;
  readonly roundNumber: number;
  readonly startTimeMs: number;
  readonly lockTimeMs: number;
  readonly endTimeMs: number;
  readonly openPrice: number | null;
  readonly closePrice: number | null;
  readonly poolUpCents: number;
  readonly poolDownCents: number;
  readonly seedCents: number;
  readonly feeBps: number;
  readonly betCount: number;
  readonly volumeCents: number;
  /** Index into `ROUND_RESULTS`. */
  readonly result: number;
  readonly voidReason: string;
  readonly resolvedAtMs: number;
  readonly settledSeq: number;
  readonly settledAtMs: number;
}

/** Which events are asked for. Those of a round are its bets and what the house put in and got. */
export type ArchiveQuery =
  | { readonly of: 'all' }
  | { readonly of: 'account'; readonly account: number }
  | { readonly of: 'bet'; readonly bet: number }
  | { readonly of: 'round'; readonly market: string; readonly roundNumber: number };

const BET_COLUMNS = `bet, account, market, round_number, side, stake_cents, odds_e4, entry_percent_e2, payout_cents,
  placed_seq, placed_ms, balance_after_cents, client_seed, placed_checksum,
  result, paid_cents, settled_seq, settled_item, settled_ms, settled_balance_cents, settled_checksum`;
const BET_CELLS = 21;
const TRANSFER_COLUMNS =
  'seq, item, time_ms, account, amount_cents, balance_cents, reason, reference, checksum';

export class ArchiveReader {
  private constructor(
    readonly path: string,
    readonly progress: ArchiveProgress,
    private readonly db: Database.Database,
  ) {}

  /** null where there is no archive. Throws `archive_newer_version` and `archive_corrupt`. */
  static open(dir: DataDir): ArchiveReader | null {
    const path = dir.archiveFile;
    if (!existsSync(path)) return null;
    let db: Database.Database | undefined;
    try {
      db = new Database(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
      return new ArchiveReader(path, readProgress(path, db), db);
    } catch (thrown) {
      db?.close();
      throw asArchiveDamage(path, thrown);
    }
  }

  /** The events up to command `toSeq`, in the order in which they happened. Throws `archive_corrupt`. */
  *events(query: ArchiveQuery, toSeq: number): Generator<ArchivedEvent, void, undefined> {
    const { sql, values } = eventsSql(query);
    try {
      const rows = this.db.prepare<unknown[], ArchiveCell[]>(sql).raw();
      for (const row of rows.iterate(...values, toSeq)) yield this.#eventOf(row);
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  /** Finished rounds up to command `toSeq` in the order of their settlement, or the one that is asked for. */
  *rounds(
    toSeq: number,
    only: { readonly market: string; readonly roundNumber: number } | null,
  ): Generator<ArchivedRound, void, undefined> {
    const where = only === null ? '' : 'AND market = ? AND round_number = ?';
    const values = only === null ? [] : [only.market, only.roundNumber];
    try {
      const rows = this.db
        .prepare<unknown[], ArchiveCell[]>(
          `SELECT * FROM round WHERE settled_seq <= ? ${where} ORDER BY settled_seq`,
        )
        .raw();
      for (const row of rows.iterate(toSeq, ...values)) yield this.#roundOf(row);
    } catch (thrown) {
      throw asArchiveDamage(this.path, thrown);
    }
  }

  close(): void {
    this.db.close();
  }

  #eventOf(row: ArchiveCell[]): ArchivedEvent {
    const [seq, what, ...cells] = row;
    if (what === 'transfer') return { seq: Number(seq), event: this.#movedOf(cells.slice(0, 9)) };
    const bet = cells.slice(0, BET_CELLS);
    this.#check(bet.slice(0, 13), bet[13]);
    if (what === 'placed') return { seq: Number(seq), event: placedOf(bet) };
    this.#check([must(bet[0], 'bet'), ...bet.slice(14, 20)], bet[20]);
    return { seq: Number(seq), event: settledOf(bet) };
  }

  #movedOf(cells: ArchiveCell[]): BalanceMoved {
    this.#check(cells.slice(0, 8), cells[8]);
    const [, , timeMs, account, amountCents, balanceCents, reason, reference] = cells;
    return {
      type: 'balanceMoved',
      timeMs: Number(timeMs),
      account: Number(account),
      amountCents: Number(amountCents),
      balanceCents: Number(balanceCents),
      reason: String(reason) as BalanceMoved['reason'],
      reference: String(reference),
    };
  }

  #roundOf(row: ArchiveCell[]): ArchivedRound {
    this.#check(row.slice(0, 18), row[18]);
    const number = (index: number): number => Number(row[index]);
    const price = (index: number): number | null => (row[index] === null ? null : number(index));
    return {
      market: marketOf(String(row[0])),
      roundNumber: number(1),
      startTimeMs: number(2),
      lockTimeMs: number(3),
      endTimeMs: number(4),
      openPrice: price(5),
      closePrice: price(6),
      poolUpCents: number(7),
      poolDownCents: number(8),
      seedCents: number(9),
      feeBps: number(10),
      betCount: number(11),
      volumeCents: number(12),
      result: (ROUND_RESULTS as readonly string[]).indexOf(String(row[13])),
      voidReason: String(row[14]),
      resolvedAtMs: number(15),
      settledSeq: number(16),
      settledAtMs: number(17),
    };
  }

  #check(cells: readonly ArchiveCell[], checksum: ArchiveCell | undefined): void {
    if (checksum === archiveChecksum(cells)) return;
    throw damagedArchive(this.path, `the checksum of the row of ${JSON.stringify(cells[0])} does not match`);
  }
}

/** One statement for bets placed, bets settled and transfers, merged in the order of commands and their events. */
function eventsSql(query: ArchiveQuery): { sql: string; values: readonly (number | string)[] } {
  const { bets, transfers, values } = conditions(query);
  const padding = ', NULL'.repeat(BET_CELLS - 9);
  const select = (seq: string, item: string, what: string): string =>
    `SELECT ${seq} AS at, '${what}' AS what, ${BET_COLUMNS}, ${item} AS place FROM bet WHERE ${bets}`;
  const sql = `SELECT * FROM (
    ${select('coalesce(placed_seq, 0)', '0', 'placed')}
    UNION ALL ${select('settled_seq', 'settled_item', 'settled')} AND settled_seq IS NOT NULL
    UNION ALL SELECT seq, 'transfer', ${TRANSFER_COLUMNS}${padding}, item FROM transfer WHERE ${transfers}
  ) WHERE at <= ? ORDER BY at, place`;
  return { sql, values };
}

function conditions(query: ArchiveQuery): {
  bets: string;
  transfers: string;
  values: readonly (number | string)[];
} {
  switch (query.of) {
    case 'all':
      return { bets: 'TRUE', transfers: 'TRUE', values: [] };
    case 'account': {
      const { account } = query;
      return { bets: 'account = ?', transfers: 'account = ?', values: [account, account, account] };
    }
    case 'bet':
      return { bets: 'bet = ?', transfers: 'FALSE', values: [query.bet, query.bet] };
    case 'round': {
      const { market, roundNumber } = query;
      return {
        bets: 'market = ? AND round_number = ?',
        transfers: "account = 0 AND reason IN ('seed', 'settlement') AND reference = ?",
        values: [market, roundNumber, market, roundNumber, `${market}_${roundNumber}`],
      };
    }
  }
}

function placedOf(cells: readonly ArchiveCell[]): BetPlaced {
  const number = (index: number): number => Number(cells[index]);
  return {
    type: 'betPlaced',
    timeMs: number(10),
    bet: number(0),
    account: number(1),
    market: marketOf(String(cells[2])),
    roundNumber: number(3),
    side: (SIDES as readonly string[]).indexOf(String(cells[4])),
    stakeCents: number(5),
    oddsE4: number(6),
    entryPercentE2: number(7),
    payoutCents: number(8),
    newBalanceCents: number(11),
    clientSeed: cells[12] === null || cells[12] === undefined ? null : String(cells[12]),
  };
}

function settledOf(cells: readonly ArchiveCell[]): BetSettled {
  const number = (index: number): number => Number(cells[index]);
  return {
    type: 'betSettled',
    timeMs: number(18),
    bet: number(0),
    account: number(1),
    market: marketOf(String(cells[2])),
    roundNumber: number(3),
    result: (BET_RESULTS as readonly string[]).indexOf(String(cells[14])),
    payoutCents: number(15),
    newBalanceCents: number(19),
  };
}
