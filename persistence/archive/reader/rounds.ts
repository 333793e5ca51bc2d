/** Settled rounds in the archive, the last to start first. */
import type Database from 'better-sqlite3';
import { mulDivFloor } from '../../../engine/base/money.js';
import type { Cell } from '../../../engine/base/rows-text.js';
import type {
  ArchivedRoundProof,
  ArchivedRoundView,
  EarningsAnswer,
  EarningsQuestion,
  RoundsAnswer,
  RoundsQuestion,
} from '../../../engine/model/archive-reads.js';
import {
  MARKETS_MAX,
  marketId,
  RESULT_DOWN,
  RESULT_UP,
  RESULT_VOID,
  type RoundName,
  roundId,
  timeFrameMs,
} from '../../../engine/model/domain.js';
import { intact, type RowQuery, rowQuery } from '../schema.js';
import { type ArchivedRound, movedOf, roundOf } from './row-events.js';

const WHOLE_BPS = 10_000;

export class ArchivedRounds {
  readonly #ofAll: RowQuery;
  readonly #ofMarket: RowQuery;
  readonly #numbered: RowQuery;
  readonly #settlement: RowQuery;
  readonly #round: RowQuery;

  constructor(
    private readonly path: string,
    private readonly db: Database.Database,
  ) {
    const query = (sql: string): RowQuery => rowQuery(db, sql);
    this.#ofAll = query(
      `SELECT * FROM round WHERE (start_ms, market) < (?, ?) AND start_ms >= ? AND start_ms < ?
        ORDER BY start_ms DESC, market DESC LIMIT ?`,
    );
    this.#numbered = query('SELECT * FROM round WHERE market = ? AND round_number BETWEEN ? AND ?');
    this.#settlement = query(
      "SELECT * FROM transfer WHERE seq = ? AND account = 0 AND reason = 'settlement' AND reference = ?",
    );
    this.#round = query('SELECT * FROM round WHERE market = ? AND round_number = ?');
    // Rounds of a market start in the order of their numbers, each in its window.
    this.#ofMarket = query(
      `SELECT * FROM round WHERE market = ? AND round_number BETWEEN ? AND ? AND start_ms >= ? AND start_ms < ?
        ORDER BY round_number DESC LIMIT ?`,
    );
  }

  answer({ market, fromMs, toMs, after, limit }: RoundsQuestion): RoundsAnswer {
    const from = fromMs ?? 0;
    const to = toMs ?? Number.MAX_SAFE_INTEGER;
    // One more tells whether there is one.
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
    const rounds = rows.slice(0, limit).map((row) => this.#viewOf(this.#roundOf(row)));
    const last = rounds.at(-1);
    const isMore = rows.length > limit && last !== undefined;
    return { rounds, nextAfter: isMore ? { startTimeMs: last.startTimeMs, market: last.market } : null };
  }

  earnings({ fromMs, toMs }: EarningsQuestion): EarningsAnswer {
    const earned = [];
    for (let market = 0; market < MARKETS_MAX; market++) {
      // A round's window ends where the next one's begins.
      const windowMs = timeFrameMs(market);
      const first = Math.ceil(fromMs / windowMs) - 1;
      const last = Math.ceil(toMs / windowMs) - 2;
      const sums = { market, rounds: 0, voided: 0, bets: 0, volumeCents: 0, paidCents: 0, feesCents: 0 };
      for (const row of this.#numbered.all(marketId(market), first, last)) {
        const { result, betCount, volumeCents, paidCents, feeBps } = this.#viewOf(this.#roundOf(row));
        sums.rounds += 1;
        if (result === RESULT_VOID) sums.voided += 1;
        sums.bets += betCount;
        sums.volumeCents += volumeCents;
        sums.paidCents += paidCents;
        if (result === RESULT_UP || result === RESULT_DOWN)
          sums.feesCents += mulDivFloor(paidCents, feeBps, WHOLE_BPS - feeBps);
      }
      if (sums.rounds > 0) earned.push(sums);
    }
    return earned;
  }

  #rowsOfMarket(market: number, fromMs: number, toMs: number, count: number): Cell[][] {
    const windowMs = timeFrameMs(market);
    const [first, last] = [Math.floor(fromMs / windowMs), Math.floor(toMs / windowMs)];
    return this.#ofMarket.all(marketId(market), first, last, fromMs, toMs, count);
  }

  #roundOf(row: Cell[]): ArchivedRound {
    return roundOf(intact(this.path, 'round', row));
  }

  #viewOf({ resolvedAtMs: _at, settledSeq, proof, ...view }: ArchivedRound): ArchivedRoundView {
    const poolCents = view.poolUpCents + view.poolDownCents;
    const paidCents = view.betCount === 0 ? 0 : poolCents - this.#restCents(view, settledSeq);
    return { ...view, paidCents, root: proof.root };
  }

  /** The house's share of the round's pool. */
  #restCents({ market, roundNumber }: RoundName, seq: number): number {
    const row = this.#settlement.get(seq, roundId(market, roundNumber));
    return row === undefined ? 0 : movedOf(intact(this.path, 'transfer', row)).amountCents;
  }

  withProof(market: number, roundNumber: number): ArchivedRoundProof | null {
    const round = this.find(market, roundNumber);
    if (round === null) return null;
    const { resolvedAtMs, proof } = round;
    return { ...this.#viewOf(round), resolvedAtMs, proof };
  }

  find(market: number, roundNumber: number): ArchivedRound | null {
    const row = this.#round.get(marketId(market), roundNumber);
    return row === undefined ? null : this.#roundOf(row);
  }

  *settledBy(fromSeq: number, toSeq: number): Generator<ArchivedRound, void, undefined> {
    const order = 'ORDER BY settled_seq, start_ms, market';
    const query = rowQuery(this.db, `SELECT * FROM round WHERE settled_seq BETWEEN ? AND ? ${order}`);
    for (const row of query.iterate(fromSeq, toSeq)) yield this.#roundOf(row);
  }
}
