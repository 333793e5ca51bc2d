/**
 * The queries of lists that the archive alone answers, and the cursors of their pages: an account's ledger and the
 * actions of operators, whose entries are events of commands, and settled rounds.
 */
import type { LedgerPlace, LedgerQuestion, RoundsAnswer } from '../../../engine/model/archive-reads.js';
import { MARKETS_MAX } from '../../../engine/model/domain.js';
import { BAD_CURSOR, cursorText, markOf, placeIn } from '../../kit/cursor.js';
import { type Given, parseLimit, parseTime } from '../../kit/params.js';

export const ARCHIVE_LIMIT_DEFAULT = 100;

export function eventsQuery(mark: number, given: Given): Pick<LedgerQuestion, 'before' | 'limit'> {
  const limit = parseLimit(given.get('limit'), ARCHIVE_LIMIT_DEFAULT);
  const place = placeIn(given, mark, 2);
  const [seq = 0, item = 0] = place ?? [];
  return { before: place === null ? null : { seq, item }, limit };
}

export const eventsCursor = (mark: number, before: LedgerPlace | null): string | null =>
  before === null ? null : cursorText(mark, before.seq, before.item);

/** `mark` is for the cursor of the next page. */
export function roundsQuery(given: Given, market: number | null, status: string | null) {
  const limit = parseLimit(given.get('limit'), ARCHIVE_LIMIT_DEFAULT);
  const fromMs = parseTime('from', given.get('from'));
  const toMs = parseTime('to', given.get('to'));
  const mark = markOf('rounds', { market, status, fromMs, toMs });
  const place = placeIn(given, mark, 2);
  const [startTimeMs = 0, placeMarket = 0] = place ?? [];
  if (placeMarket >= MARKETS_MAX) throw BAD_CURSOR;
  return { mark, fromMs, toMs, after: place === null ? null : { startTimeMs, market: placeMarket }, limit };
}

export const roundsCursor = (mark: number, after: RoundsAnswer['nextAfter']): string | null =>
  after === null ? null : cursorText(mark, after.startTimeMs, after.market);
