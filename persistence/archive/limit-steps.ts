/** Reads what became of limit orders that have rested. Each row is checked against its checksum. */
import type Database from 'better-sqlite3';
import { type ArchiveCell, isIntact } from './form/checksum.js';
import { damagedArchive } from './schema.js';

type Steps = Generator<ArchiveCell[], void, undefined>;

export class LimitSteps {
  constructor(
    private readonly path: string,
    private readonly db: Database.Database,
  ) {}

  /** Steps of one order, in their order. */
  ofBet(bet: number): ArchiveCell[][] {
    return [...this.#where('bet = ? ORDER BY seq, item', bet)];
  }

  ofAccount(account: number): Steps {
    return this.#where('account = ? ORDER BY seq, item', account);
  }

  /** Those up to this place, newest first. */
  downOfAccount(account: number, seq: number, item: number): Steps {
    return this.#where(
      'account = ? AND (seq, item) <= (?, ?) ORDER BY seq DESC, item DESC',
      account,
      seq,
      item,
    );
  }

  ofRound(market: string, roundNumber: number): Steps {
    return this.#where('market = ? AND round_number = ? ORDER BY seq, item', market, roundNumber);
  }

  /** Steps by commands `fromSeq` to `toSeq`. */
  between(fromSeq: number, toSeq: number): Steps {
    return this.#where('seq BETWEEN ? AND ? ORDER BY seq, item', fromSeq, toSeq);
  }

  *#where(where: string, ...values: ArchiveCell[]): Steps {
    const rows = this.db
      .prepare<ArchiveCell[], ArchiveCell[]>(`SELECT * FROM limit_step WHERE ${where}`)
      .raw();
    for (const row of rows.iterate(...values)) {
      if (!isIntact(row))
        throw damagedArchive(this.path, `limit_step ${row[0]} ${row[1]} does not match its checksum`);
      yield row;
    }
  }
}
