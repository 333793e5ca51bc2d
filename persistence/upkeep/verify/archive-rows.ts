/**
 * Compares the archive with the journal: every row of the replay must be in it, unchanged. Rows are read a few at a
 * time, without a transaction that would keep a running server from truncating its WAL.
 */
import type Database from 'better-sqlite3';
import { messageOf } from '../../../engine/base/attempt.js';
import { type Cell, RowsText, rowsOfText } from '../../../engine/base/rows-text.js';
import type { EngineReads } from '../../../engine/engine.js';
import type { Command } from '../../../engine/model/commands.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { ArchiveBlocks } from '../../archive/blocks.js';
import { byKind, IN_SETTLEMENT, ROW_KINDS, type RowKind, TABLE_OF } from '../../archive/columns.js';
import { openArchive } from '../../archive/file.js';
import { ArchiveRows, type BetTaker } from '../../archive/rows.js';
import { type ArchiveProgress, asArchiveDamage, NO_ROWS } from '../../archive/schema.js';
import { codeOf } from '../../errors.js';
import type { Findings } from './findings.js';

class BetRows implements BetTaker {
  readonly #text = new RowsText();
  #common: (readonly Cell[])[] = [];

  begin(bet: number, account: number, common: readonly Cell[]): RowsText {
    this.#common.push(common);
    this.#text.begin();
    this.#text.cell(bet);
    this.#text.cell(account);
    return this.#text;
  }

  take(): Cell[][] {
    const common = this.#common;
    if (common.length === 0) return [];
    this.#common = [];
    const rows = rowsOfText(Buffer.from(this.#text.take()).toString());
    return rows.map((row, at) => [...row, ...(common[at] ?? [])]);
  }
}

type Row = readonly Cell[];
type Find = (row: Row) => Cell[] | undefined;

export class ArchiveComparison {
  readonly #db: Database.Database;
  readonly #rows: ArchiveRows;
  readonly #bets = new BetRows();
  readonly #settled = new BetRows();
  readonly #found: Readonly<Record<RowKind, Find>>;
  #isDamaged = false;
  readonly #compared: Record<RowKind, number> = { ...NO_ROWS };

  constructor(
    readonly path: string,
    readonly progress: ArchiveProgress,
    readonly fromSeq: number,
    engine: EngineReads,
    readonly findings: Findings,
  ) {
    this.#db = openArchive(path);
    this.#rows = new ArchiveRows(engine);
    const blocks = new ArchiveBlocks(path, this.#db);
    const placed = new RowsInOrder(
      ([bet]) => [Number(bet)],
      ([bet]) => blocks.placements(Number(bet)),
    );
    const settled = new RowsInOrder(
      (row) => [Number(row[IN_SETTLEMENT.settled_seq]), Number(row[IN_SETTLEMENT.settled_item])],
      (row) => blocks.settlements(Number(row[IN_SETTLEMENT.settled_seq]), progress.seq),
    );
    this.#found = {
      bets: (row) => placed.get(row),
      betsSettled: (row) => settled.get(row),
      rounds: this.#finder(TABLE_OF.rounds, 'market, round_number'),
      transfers: this.#finder(TABLE_OF.transfers, 'seq, item'),
      limitSteps: this.#finder(TABLE_OF.limitSteps, 'seq, item'),
      actions: this.#finder(TABLE_OF.actions, 'seq, item'),
    };
  }

  /** `key` is the first two columns. */
  #finder(table: string, key: string): Find {
    const find = this.#db.prepare<Cell[], Cell[]>(`SELECT * FROM ${table} WHERE (${key}) = (?, ?)`).raw();
    return ([first = null, second = null]) => find.get(first, second);
  }

  /** `command` has the number `seq` and is the engine's last. */
  add(seq: number, command: Command, events: readonly EngineEvent[]): void {
    const singles = byKind((): Cell[][] => []);
    this.#rows.add({ ...singles, bets: this.#bets, betsSettled: this.#settled }, seq, command, events);
    const rows = { ...singles, bets: this.#bets.take(), betsSettled: this.#settled.take() };
    if (this.#isDamaged || seq <= this.progress.fromSeq || seq > this.progress.seq) return;
    try {
      this.#compare(seq, rows);
    } catch (thrown) {
      const damage = asArchiveDamage(this.path, thrown);
      if (codeOf(damage) !== 'archive_corrupt') throw thrown;
      this.#isDamaged = true;
      this.findings.fault('archive', this.path, seq, `From here on it is not compared. ${messageOf(damage)}`);
    }
  }

  atEnd({ lastSeq, chain, digest }: StoredBatch): void {
    if (lastSeq !== this.progress.seq) return;
    if (chain === this.progress.chain && digest === this.progress.digest) return;
    this.findings.fault(
      'archive',
      this.path,
      lastSeq,
      'It was made from another journal: chain hash or digest differ.',
    );
  }

  /** Call it after the last command: compares the numbers of rows. */
  end(lastSeq: number): void {
    if (
      this.#isDamaged ||
      this.progress.seq > lastSeq ||
      this.progress.fromSeq !== this.fromSeq ||
      this.fromSeq > 0
    )
      return;
    for (const kind of ROW_KINDS) {
      if (this.#compared[kind] === this.progress[kind]) continue;
      const what = `It says that it has ${this.progress[kind]} ${kind}; the journal gives ${this.#compared[kind]}.`;
      this.findings.fault('archive', this.path, null, what);
    }
  }

  get rowsCompared(): number {
    return Object.values(this.#compared).reduce((sum, count) => sum + count, 0);
  }

  close(): void {
    this.#db.close();
  }

  #compare(seq: number, rows: Readonly<Record<RowKind, Row[]>>): void {
    const fault = (what: string): void => this.findings.fault('archive', this.path, seq, what);
    for (const kind of ROW_KINDS) {
      for (const row of rows[kind]) {
        const name = `the row ${row[0]} ${row[1]} of ${kind}`;
        const found = this.#found[kind](row);
        if (found === undefined) fault(`It lacks ${name}.`);
        else if (!isSameRow(row, found))
          fault(`It has ${name} as ${JSON.stringify(found)}; the journal gives ${JSON.stringify(row)}.`);
      }
      this.#compared[kind] += rows[kind].length;
    }
  }
}

function isSameRow(row: Row, other: Row): boolean {
  for (let column = 0; column < row.length; column++) if (row[column] !== other[column]) return false;
  return row.length === other.length;
}

/**
 * Rows of the archive, read in their order beside a replay that produces them in the same order, so each block of them is
 * read once.
 */
class RowsInOrder {
  #rows: Iterator<Cell[]> | null = null;
  #head: Cell[] | null = null;

  /** Rows are in the order of `keyOf`; `readFrom` reads them from its row's key on. */
  constructor(
    private readonly keyOf: (row: Row) => readonly number[],
    private readonly readFrom: (row: Row) => Iterable<Cell[]>,
  ) {}

  /** Keys must be asked for in ascending order. */
  get(row: Row): Cell[] | undefined {
    if (this.#rows === null) {
      this.#rows = this.readFrom(row)[Symbol.iterator]();
      this.#next();
    }
    const key = this.keyOf(row);
    while (this.#head !== null && compare(this.keyOf(this.#head), key) < 0) this.#next();
    const head = this.#head;
    if (head === null || compare(this.keyOf(head), key) > 0) return undefined;
    this.#next();
    return head;
  }

  #next(): void {
    const next = this.#rows?.next();
    this.#head = next === undefined || next.done === true ? null : next.value;
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [place, number] of one.entries()) {
    const difference = number - (other[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
