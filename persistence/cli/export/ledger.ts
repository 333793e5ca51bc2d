/**
 * Rows of the ledger, added up while they are written: the entries of every account must lead from one balance to the
 * next and, at the end, to the balance in the engine.
 */
import { isoText } from '../../../engine/base/iso-text.js';
import { betId } from '../../../engine/model/domain.js';
import { HOUSE } from '../../../engine/state/house.js';
import { Books, type LedgerEntry, ledgerEntryOf, ownerText } from '../../archive/reader/entries.js';
import type { Balance } from '../../archive/reader/ledger.js';
import type { ArchiveReader } from '../../archive/reader/reader.js';
import type { ArchivedEvent } from '../../archive/reader/streams.js';
import { dollarsText } from '../frame/format.js';
import {
  beginsBefore,
  type Columns,
  type Exporter,
  type ExportRange,
  type ExportSource,
  outside,
  writeRows,
} from './rows.js';

const COLUMNS: Columns<LedgerEntry> = {
  seq: ({ seq }) => seq,
  time: ({ timeMs }) => isoText(timeMs),
  account: ({ account }) => ownerText(account),
  kind: ({ kind }) => kind,
  amount: ({ amountCents }) => dollarsText(amountCents),
  balance: ({ balanceCents }) => dollarsText(balanceCents),
  amount_cents: ({ amountCents }) => amountCents,
  balance_cents: ({ balanceCents }) => balanceCents,
  bet: ({ bet }) => (bet === 0 ? null : betId(bet)),
  round: ({ round }) => (round === '' ? null : round),
  reference: ({ reference }) => (reference === '' ? null : outside(reference)),
};

export const exportLedger: Exporter = (source, range, out) => {
  const { archive } = source;
  const books = new Books(range.fromSeq <= 1);
  writeRows(out, COLUMNS, entriesOf(source, range, books));
  const knowsAll = books.beginsAtNothing && archive.fromSeq === 0;
  for (const { account, balanceCents } of balancesOf(source, range))
    books.close(account, balanceCents, knowsAll);
  if (!beginsBefore(archive, range)) return books.faults;
  return [...books.faults, 'the first entries are not known any more; balances are brought forward'];
};

function* entriesOf(source: ExportSource, range: ExportRange, books: Books): Generator<LedgerEntry> {
  const { archive } = source;
  const forwardOf = (first: Balance): LedgerEntry | null =>
    books.beginsAtNothing && books.isFirst(first) ? archive.forwardOf(first) : null;
  for (const { seq, event } of eventsOf(archive, range)) {
    const entry = ledgerEntryOf(seq, event);
    if (entry === null) continue;
    const forward = forwardOf(entry);
    for (const next of forward === null ? [entry] : [forward, entry]) {
      books.add(next);
      yield next;
    }
  }
  for (const unmoved of balancesOf(source, range)) {
    const forward = forwardOf(unmoved);
    if (forward === null) continue;
    books.add(forward);
    yield forward;
  }
}

/** At the end of the range. */
function* balancesOf({ engine }: ExportSource, { account }: ExportRange): Generator<Balance> {
  if (engine === null) return;
  const { timeMs } = engine;
  for (let owner = account ?? HOUSE; owner <= (account ?? engine.accountCount); owner++) {
    const { houseCents } = engine.totals();
    const balanceCents = owner === HOUSE ? houseCents : (engine.account(owner)?.balanceCents ?? 0);
    yield { account: owner, timeMs, amountCents: 0, balanceCents };
  }
}

function eventsOf(archive: ArchiveReader, { fromSeq, toSeq, account }: ExportRange): Iterable<ArchivedEvent> {
  if (account === null) return archive.events(fromSeq, toSeq);
  const downTo = [...archive.accountEvents(account, toSeq)].filter(({ seq }) => seq >= fromSeq);
  return downTo.reverse();
}
