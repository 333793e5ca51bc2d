/**
 * The queries of lists that the archive alone answers, and the cursors of their pages: an account's ledger and the
 * actions of operators, whose entries are events of commands, and settled rounds.
 */
import type {
  LedgerPlace,
  LedgerQuestion,
  RoundsAnswer,
  RoundsQuestion,
} from '../../../engine/model/archive-reads.js';
import { MARKETS_MAX } from '../../../engine/model/domain.js';
import { BAD_CURSOR, cursorText, parseCursor } from '../../kit/cursor.js';
import { parseLimit, parseTime } from '../../kit/params.js';

export const ARCHIVE_LIMIT_DEFAULT = 100;

type Given = ReadonlyMap<string, string>;

export function eventsQuery(list: string, given: Given): Pick<LedgerQuestion, 'before' | 'limit'> {
  const limit = parseLimit(given.get('limit'), ARCHIVE_LIMIT_DEFAULT);
  const place = parseCursor(given.get('cursor'), list, 2);
  const [seq = 0, item = 0] = place ?? [];
  return { before: place === null ? null : { seq, item }, limit };
}

export const eventsCursor = (list: string, before: LedgerPlace | null): string | null =>
  before === null ? null : cursorText(list, before.seq, before.item);

interface RoundsQuery extends Pick<RoundsQuestion, 'fromMs' | 'toMs' | 'after' | 'limit'> {
  /** With its filters: a cursor leads on in no other. */
  readonly list: string;
}

export function roundsQuery(given: Given, market: number | null, status: string | null): RoundsQuery {
  const limit = parseLimit(given.get('limit'), ARCHIVE_LIMIT_DEFAULT);
  const fromMs = parseTime('from', given.get('from'));
  const toMs = parseTime('to', given.get('to'));
  const list = ['rounds', market, status, fromMs, toMs].join('/');
  const place = parseCursor(given.get('cursor'), list, 2);
  const [startTimeMs = 0, placeMarket = 0] = place ?? [];
  if (placeMarket >= MARKETS_MAX) throw BAD_CURSOR;
  return { list, fromMs, toMs, after: place === null ? null : { startTimeMs, market: placeMarket }, limit };
}

export const roundsCursor = (list: string, after: RoundsAnswer['nextAfter']): string | null =>
  after === null ? null : cursorText(list, after.startTimeMs, after.market);
