/**
 * Rows of the ledger, added up while they are written: the entries of every account must lead from one balance to the
 * next and, at the end, to the balance in the engine.
 */
import { isoText } from '../../../engine/base/iso-text.js';
import { betId } from '../../../engine/model/domain.js';
import { HOUSE } from '../../../engine/state/house.js';
import { Books, type LedgerEntry, ledgerEntryOf, ownerText } from '../../archive/reader/entries.js';
import type { ArchiveReader } from '../../archive/reader/reader.js';
import type { ArchivedEvent } from '../../archive/reader/streams.js';
import { dollarsText } from '../frame/format.js';
import { type Columns, type Exporter, type ExportRange, outside, writeRows } from './rows.js';

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

export const exportLedger: Exporter = ({ archive, engine }, range, out) => {
  const isWhole = archive.fromSeq < range.fromSeq;
  const books = new Books(range.fromSeq === 1 || !isWhole);
  writeRows(out, COLUMNS, entriesOf(archive, range, books));
  if (engine !== null && range.toSeq >= archive.fromSeq) {
    const [first, last] = [range.account ?? HOUSE, range.account ?? engine.accountCount];
    for (let account = first; account <= last; account++) {
      const { houseCents } = engine.totals();
      const balanceCents = account === HOUSE ? houseCents : (engine.account(account)?.balanceCents ?? 0);
      books.close(account, balanceCents);
    }
  }
  if (isWhole) return books.faults;
  return [...books.faults, 'the first entries are not known any more; balances are brought forward'];
};

function* entriesOf(archive: ArchiveReader, range: ExportRange, books: Books): Generator<LedgerEntry> {
  for (const { seq, event } of eventsOf(archive, range)) {
    const entry = ledgerEntryOf(seq, event);
    if (entry === null) continue;
    books.add(entry);
    yield entry;
  }
}

function eventsOf(archive: ArchiveReader, { fromSeq, toSeq, account }: ExportRange): Iterable<ArchivedEvent> {
  if (account === null) return archive.events(fromSeq, toSeq);
  const downTo = [...archive.accountEvents(account, toSeq)].filter(({ seq }) => seq >= fromSeq);
  return downTo.reverse();
}
