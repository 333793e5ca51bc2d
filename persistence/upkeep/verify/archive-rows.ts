/**
 * Compares the archive with the journal: every row of the replay must be in it, unchanged. Rows are read a few at a
 * time, without a transaction that would keep a running server from truncating its WAL.
 */
import type Database from 'better-sqlite3';
import type { Command } from '../../../engine/model/commands.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import type { EngineReads } from '../../../engine/model/views.js';
import { ArchiveBlocks } from '../../archive/blocks.js';
import { type ArchiveCell, positionsOf, SETTLEMENT } from '../../archive/form/columns.js';
import { openArchive } from '../../archive/open.js';
import { ArchiveRows, type RowTakers } from '../../archive/rows.js';
import { type ArchiveProgress, asArchiveDamage, NO_ROWS } from '../../archive/schema.js';
import { codeOf, messageOf } from '../../errors.js';
import type { Findings } from './findings.js';
import { RowsInOrder } from './rows-in-order.js';
import { isSameRow } from './same-state.js';

const IN_SETTLEMENT = positionsOf(SETTLEMENT);

/** The first two columns find a row. */
type ByKey = 'round' | 'transfer' | 'limit_step' | 'action';
type Rows = Record<keyof RowTakers, ArchiveCell[][]>;
type Lookup = Database.Statement<ArchiveCell[], ArchiveCell[]>;

export class ArchiveComparison {
  readonly #db: Database.Database;
  readonly #rows: ArchiveRows;
  readonly #placed: RowsInOrder;
  readonly #settled: RowsInOrder;
  readonly #lookups: Readonly<Record<ByKey, Lookup>>;
  #isDamaged = false;
  readonly #compared = { ...NO_ROWS } as { -readonly [K in keyof typeof NO_ROWS]: number };

  constructor(
    readonly path: string,
    readonly progress: ArchiveProgress,
    readonly fromSeq: number,
    engine: EngineReads,
    readonly findings: Findings,
  ) {
    this.#db = openArchive(path);
    this.#rows = new ArchiveRows(engine);
    const lookup = (sql: string): Lookup => this.#db.prepare<ArchiveCell[], ArchiveCell[]>(sql).raw();
    const blocks = new ArchiveBlocks(path, this.#db);
    this.#placed = new RowsInOrder(
      ([bet]) => [Number(bet)],
      ([bet]) => blocks.placements(Number(bet)),
    );
    this.#settled = new RowsInOrder(
      (row) => [Number(row[IN_SETTLEMENT.settled_seq]), Number(row[IN_SETTLEMENT.settled_item])],
      (row) => blocks.settlements(Number(row[IN_SETTLEMENT.settled_seq]), progress.seq),
    );
    this.#lookups = {
      round: lookup('SELECT * FROM round WHERE market = ? AND round_number = ?'),
      transfer: lookup('SELECT * FROM transfer WHERE seq = ? AND item = ?'),
      limit_step: lookup('SELECT * FROM limit_step WHERE seq = ? AND item = ?'),
      action: lookup('SELECT * FROM action WHERE seq = ? AND item = ?'),
    };
  }

  /** `command` has the number `seq` and is the engine's last. */
  add(seq: number, command: Command, events: readonly EngineEvent[]): void {
    const rows: Rows = {
      placed: [],
      settled: [],
      rounds: [],
      transfers: [],
      limitSteps: [],
      actions: [],
    };
    this.#rows.add(rows, seq, command, events);
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
    for (const name of Object.keys(NO_ROWS) as (keyof typeof NO_ROWS)[]) {
      if (this.#compared[name] === this.progress[name]) continue;
      const what = `It says that it has ${this.progress[name]} ${name}; the journal gives ${this.#compared[name]}.`;
      this.findings.fault('archive', this.path, null, what);
    }
  }

  get rowsCompared(): number {
    return Object.values(this.#compared).reduce((sum, count) => sum + count, 0);
  }

  close(): void {
    this.#db.close();
  }

  #compare(seq: number, { placed, settled, rounds, transfers, limitSteps, actions }: Rows): void {
    for (const row of placed) {
      this.#same(seq, () => `the placement of bet_${row[0]}`, row, this.#placed.get(row));
    }
    for (const row of settled) {
      this.#same(seq, () => `the settlement of bet_${row[0]}`, row, this.#settled.get(row));
    }
    for (const row of rounds) {
      this.#same(seq, () => `round ${row[0]}_${row[1]}`, row, this.#find('round', row[0], row[1]));
    }
    for (const row of transfers) {
      this.#same(seq, () => `transfer ${row[0]}/${row[1]}`, row, this.#find('transfer', row[0], row[1]));
    }
    for (const row of limitSteps) {
      this.#same(seq, () => `limit_step ${row[0]}/${row[1]}`, row, this.#find('limit_step', row[0], row[1]));
    }
    for (const row of actions) {
      this.#same(seq, () => `action ${row[0]}/${row[1]}`, row, this.#find('action', row[0], row[1]));
    }
    this.#compared.bets += placed.length;
    this.#compared.betsSettled += settled.length;
    this.#compared.rounds += rounds.length;
    this.#compared.transfers += transfers.length;
    this.#compared.limitSteps += limitSteps.length;
    this.#compared.actions += actions.length;
  }

  #find(table: ByKey, ...key: (ArchiveCell | undefined)[]): ArchiveCell[] | undefined {
    return this.#lookups[table].get(...key.map((cell) => cell ?? null));
  }

  #same(
    seq: number,
    name: () => string,
    row: readonly ArchiveCell[],
    found: readonly ArchiveCell[] | undefined,
  ): void {
    if (found === undefined) {
      this.findings.fault('archive', this.path, seq, `It lacks ${name()}.`);
    } else if (!isSameRow(row, found)) {
      const [expected, there] = [JSON.stringify(row), JSON.stringify(found)];
      this.findings.fault(
        'archive',
        this.path,
        seq,
        `It has ${name()} as ${there}; the journal gives ${expected}.`,
      );
    }
  }
}
