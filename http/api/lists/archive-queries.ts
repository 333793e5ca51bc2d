/**
 * The queries of lists that the archive alone answers, an account's ledger and settled rounds, and the cursors of their
 * pages.
 */
import type {
  LedgerAnswer,
  LedgerQuestion,
  RoundsAnswer,
  RoundsQuestion,
} from '../../../engine/model/archive-reads.js';
import { MARKETS_MAX } from '../../../engine/model/domain.js';
import { BAD_CURSOR, cursorText, parseCursor } from '../../kit/cursor.js';
import { parseLimit, parseTime } from '../../kit/params.js';

export const LEDGER_LIMIT_DEFAULT = 100;
export const ROUNDS_LIMIT_DEFAULT = 100;
const LEDGER = 'ledger';
const ROUNDS = 'rounds';

type Given = ReadonlyMap<string, string>;

export function ledgerQuery(given: Given): Pick<LedgerQuestion, 'before' | 'limit'> {
  const limit = parseLimit(given.get('limit'), LEDGER_LIMIT_DEFAULT);
  const place = parseCursor(given.get('cursor'), LEDGER, 2);
  const [seq = 0, item = 0] = place ?? [];
  return { before: place === null ? null : { seq, item }, limit };
}

export const ledgerCursor = ({ nextBefore }: Pick<LedgerAnswer, 'nextBefore'>): string | null =>
  nextBefore === null ? null : cursorText(LEDGER, nextBefore.seq, nextBefore.item);

export function roundsQuery(given: Given): Pick<RoundsQuestion, 'fromMs' | 'toMs' | 'after' | 'limit'> {
  const limit = parseLimit(given.get('limit'), ROUNDS_LIMIT_DEFAULT);
  const fromMs = parseTime('from', given.get('from'));
  const toMs = parseTime('to', given.get('to'));
  const place = parseCursor(given.get('cursor'), ROUNDS, 2);
  const [startTimeMs = 0, market = 0] = place ?? [];
  if (market >= MARKETS_MAX) throw BAD_CURSOR;
  return { fromMs, toMs, after: place === null ? null : { startTimeMs, market }, limit };
}

export const roundsCursor = ({ nextAfter }: Pick<RoundsAnswer, 'nextAfter'>): string | null =>
  nextAfter === null ? null : cursorText(ROUNDS, nextAfter.startTimeMs, nextAfter.market);
