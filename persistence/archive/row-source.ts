/** The rows of an archive for another one, each checked. */
import type Database from 'better-sqlite3';
import type { ArchiveSource } from './add-rows.js';
import { ArchiveBlocks } from './blocks.js';
import { type ArchiveCell, isIntact } from './form/checksum.js';
import { ArchiveTexts, hasFreeText, type TextTable } from './form/texts.js';
import { damagedArchive, FORMAT_VERSION } from './schema.js';

/** An archive of format 2 or later: 3 brought steps of limit orders, 4 proofs, 5 actions of operators. */
export class RowSource implements ArchiveSource {
  readonly #texts: ArchiveTexts;
  readonly #blocks: ArchiveBlocks;

  constructor(
    readonly path: string,
    readonly db: Database.Database,
    private readonly version = FORMAT_VERSION,
  ) {
    this.#texts = new ArchiveTexts(db);
    this.#blocks = new ArchiveBlocks(path, db);
  }

  placements(fromBet: number): Iterable<ArchiveCell[]> {
    return this.#blocks.placements(fromBet);
  }

  settlements(afterSeq: number, toSeq: number): Iterable<ArchiveCell[]> {
    return this.#blocks.settlements(afterSeq + 1, toSeq);
  }

  rounds(afterSeq: number, toSeq: number): Iterable<ArchiveCell[]> {
    return this.#rows('round', 'settled_seq', afterSeq, toSeq);
  }

  transfers(afterSeq: number, toSeq: number): Iterable<ArchiveCell[]> {
    return this.#rows('transfer', 'seq', afterSeq, toSeq);
  }

  limitSteps(afterSeq: number, toSeq: number): Iterable<ArchiveCell[]> {
    return this.version >= 3 ? this.#rows('limit_step', 'seq', afterSeq, toSeq) : [];
  }

  proofs(afterSeq: number, toSeq: number): Iterable<ArchiveCell[]> {
    return this.version >= 4 ? this.#rows('round_proof', 'settled_seq', afterSeq, toSeq) : [];
  }

  actions(afterSeq: number, toSeq: number): Iterable<ArchiveCell[]> {
    return this.version >= 5 ? this.#rows('action', 'seq', afterSeq, toSeq) : [];
  }

  *#rows(
    table: TextTable | 'limit_step' | 'action',
    seq: string,
    afterSeq: number,
    toSeq: number,
  ): Generator<ArchiveCell[], void, undefined> {
    const query = this.db.prepare<number[], ArchiveCell[]>(
      `SELECT * FROM ${table} NOT INDEXED WHERE ${seq} > ? AND ${seq} <= ?`,
    );
    for (const found of query.raw().iterate(afterSeq, toSeq)) {
      const row = hasFreeText(table) ? this.#texts.asWritten(table, found) : found;
      if (!isIntact(row))
        throw damagedArchive(this.path, `${table} ${row[0]} ${row[1]} does not match its checksum`);
      yield row;
    }
  }
}
