/** The range of an export: which commands, and whose events. */
import type { Engine } from '../../../engine/engine.js';
import { accountId } from '../../../engine/model/domain.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import { JournalError } from '../../errors.js';
import type { HistoryReader } from '../past/history-reader.js';

/** The account number of the house in the ledger. */
export const HOUSE = 0;

/** Which commands are exported, and the events of which account; null for all. */
export interface ExportRange {
  readonly fromSeq: number;
  readonly toSeq: number;
  readonly account: number | null;
  /** Whether everything is replayed from the journal. */
  readonly isReplay: boolean;
}

export const isOf = (event: EngineEvent, account: number | null): boolean =>
  account === null || ('account' in event && event.account === account);

/** `engine` is at the end of the range; null if only the archive reaches so far back. */
export function refuseUnknown(
  past: HistoryReader,
  engine: Engine | null,
  { account, toSeq }: ExportRange,
): void {
  if (account === null || account === HOUSE) return;
  if ((engine ?? past.history.beginning()).account(account) !== null) return;
  throw new JournalError(
    'not_found',
    `There is no account ${accountId(account)} at sequence number ${toSeq}.`,
  );
}
