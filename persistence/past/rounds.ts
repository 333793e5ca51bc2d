/** Settled rounds in the archive, the last to start first. */
import type Database from 'better-sqlite3';
import type { ArchivedRoundView, RoundsAnswer, RoundsQuestion } from '../../engine/model/archive-reads.js';
import { marketId, timeFrameMs } from '../../engine/model/domain.js';
import { type ArchiveCell, isIntact } from '../archive/form/checksum.js';
import { damagedArchive } from '../archive/schema.js';
import { ArchiveTexts } from '../archive/texts.js';
import { roundOf } from '../replay/archived-facts.js';

type Query = Database.Statement<ArchiveCell[], ArchiveCell[]>;

export class ArchivedRounds {
  readonly #texts: ArchiveTexts;
  readonly #ofAll: Query;
  readonly #ofMarket: Query;
  readonly #one: Query;

  constructor(
    private readonly path: string,
    db: Database.Database,
  ) {
    this.#texts = new ArchiveTexts(db);
    const query = (sql: string): Query => db.prepare<ArchiveCell[], ArchiveCell[]>(sql).raw();
    this.#ofAll = query(
      `SELECT * FROM round WHERE (start_ms, market) < (?, ?) AND start_ms >= ? AND start_ms < ?
        ORDER BY start_ms DESC, market DESC LIMIT ?`,
    );
    this.#one = query('SELECT 1 FROM round WHERE market = ? AND round_number = ?');
    // Rounds of a market start in the order of their numbers, each in its window.
    this.#ofMarket = query(
      `SELECT * FROM round WHERE market = ? AND round_number BETWEEN ? AND ? AND start_ms >= ? AND start_ms < ?
        ORDER BY round_number DESC LIMIT ?`,
    );
  }

  answer({ market, fromMs, toMs, after, limit }: RoundsQuestion): RoundsAnswer {
    const from = fromMs ?? 0;
    const to = toMs ?? Number.MAX_SAFE_INTEGER;
    // One more, to know whether there is one.
    const rows =
      market === null
        ? this.#ofAll.all(
            after?.startTimeMs ?? to,
            after === null ? '' : marketId(after.market),
            from,
            to,
            limit + 1,
          )
        : this.#rowsOfMarket(market, from, Math.min(after?.startTimeMs ?? to, to), limit + 1);
    const rounds = rows.slice(0, limit).map((row) => this.#viewOf(row));
    const last = rounds.at(-1);
    const isMore = rows.length > limit && last !== undefined;
    return { rounds, nextAfter: isMore ? { startTimeMs: last.startTimeMs, market: last.market } : null };
  }

  /** Whether the round is settled. */
  has(market: number, roundNumber: number): boolean {
    return this.#one.get(marketId(market), roundNumber) !== undefined;
  }

  /** Rounds that start from `fromMs` on and before `toMs`. */
  #rowsOfMarket(market: number, fromMs: number, toMs: number, count: number): ArchiveCell[][] {
    const windowMs = timeFrameMs(market);
    const [first, last] = [Math.floor(fromMs / windowMs), Math.floor(toMs / windowMs)];
    return this.#ofMarket.all(marketId(market), first, last, fromMs, toMs, count);
  }

  #viewOf(found: ArchiveCell[]): ArchivedRoundView {
    const row = this.#texts.asWritten('round', found);
    if (!isIntact(row))
      throw damagedArchive(this.path, `round ${row[0]} ${row[1]} does not match its checksum`);
    const { resolvedAtMs: _at, settledSeq: _seq, ...view } = roundOf(row);
    return view;
  }
}
