/**
 * Rows of the ledger, added up while they are written: the entries of every account must lead from one balance to the
 * next and, at the end, to the balance in the engine.
 */

import type { Engine } from '../../../engine/engine.js';
import { betId } from '../../../engine/model/domain.js';
import type { PastEvent } from '../../../engine/model/events.js';
import type { ArchivedEvent } from '../../replay/history-archive.js';
import { type LedgerEntry, ledgerEntryOf } from '../../replay/ledger.js';
import { dollarsText, isoText } from '../frame/format.js';
import type { HistoryReader } from '../past/history-reader.js';
import { ownerText } from '../words/ledger-text.js';
import { type ExportRange, HOUSE, isOf, refuseUnknown } from './range.js';
import { type ExportRow, outside, type RowSink } from './sink.js';

const COLUMNS = [
  'seq',
  'time',
  'account',
  'kind',
  'amount',
  'balance',
  'amount_cents',
  'balance_cents',
  'bet',
  'round',
  'reference',
] as const;

const FAULTS_KEPT = 10;

/** Writes the entries of the range's commands. Returns what does not add up, as sentences. */
export function exportLedger(past: HistoryReader, sink: RowSink, range: ExportRange): readonly string[] {
  sink.columns(COLUMNS);
  const { fromSeq, toSeq, account, isReplay } = range;
  const { archivedTo, start } = past.rangeOrigin(fromSeq, toSeq, isReplay);
  const isWhole = past.archive.isWhole(archivedTo);
  const books = new Books(fromSeq <= 1);
  const isGapKnown = books.beginsAtNothing && !isWhole;
  const add = (seq: number, event: PastEvent): void => {
    const entry = ledgerEntryOf(seq, event);
    if (entry === null) return;
    if (isGapKnown && books.isFirst(entry) && entry.balanceCents !== entry.amountCents) {
      const forward = forwardOf(entry);
      books.add(forward);
      sink.row(rowOf(forward));
    }
    books.add(entry);
    sink.row(rowOf(entry));
  };
  for (const { seq, event } of archivedEvents(past, range, archivedTo)) add(seq, event);
  const engine = start();
  if (engine !== null) {
    for (const { seq, events } of past.replay(engine, toSeq)) {
      if (seq < fromSeq || seq <= archivedTo) continue;
      for (const event of events) if (isOf(event, account)) add(seq, event);
    }
  }
  refuseUnknown(past, engine, range);
  if (engine !== null) books.close(engine, account, isWhole);
  if (isWhole) return books.faults;
  return [...books.faults, 'what happened first is not known any more; balances are brought forward'];
}

function* archivedEvents(
  past: HistoryReader,
  { fromSeq, toSeq, account }: ExportRange,
  archivedTo: number,
): Generator<ArchivedEvent, void, undefined> {
  const lastSeq = Math.min(toSeq, archivedTo);
  if (account === null) yield* past.archive.allEvents(fromSeq, lastSeq);
  else {
    for (const found of past.archive.events({ of: 'account', account }, lastSeq)) {
      if (found.seq >= fromSeq) yield found;
    }
  }
}

/** The balance of an account before its first known entry. */
function forwardOf(entry: LedgerEntry): LedgerEntry {
  const amountCents = entry.balanceCents - entry.amountCents;
  const about = { bet: 0, round: '', reference: '' };
  return { ...entry, ...about, kind: 'forward', amountCents, balanceCents: amountCents };
}

class Books {
  readonly faults: string[] = [];
  readonly #balances = new Map<number, number>();

  /** `beginsAtNothing`: the range begins with the first command, before which all balances are 0. */
  constructor(readonly beginsAtNothing: boolean) {}

  isFirst({ account }: LedgerEntry): boolean {
    return !this.#balances.has(account);
  }

  add({ account, amountCents, balanceCents, seq }: LedgerEntry): void {
    const before = this.#balances.get(account) ?? (this.beginsAtNothing ? 0 : balanceCents - amountCents);
    this.#balances.set(account, balanceCents);
    if (before + amountCents === balanceCents) return;
    this.#fault(
      `${ownerText(account)}, sequence number ${seq}: ${before} and ${amountCents} are not ${balanceCents} cents`,
    );
  }

  /**
   * Compares with the balances of `engine`, of all or of one; an account without entries has none, if all are known.
   */
  close(engine: Engine, only: number | null, isWhole: boolean): void {
    for (let account = only ?? HOUSE; account <= (only ?? engine.accountCount); account++) {
      const balanceCents =
        account === HOUSE ? engine.totals().houseCents : (engine.account(account)?.balanceCents ?? 0);
      const isUnknown = !this.#balances.has(account) && (!this.beginsAtNothing || !isWhole);
      const sumCents = this.#balances.get(account) ?? 0;
      if (isUnknown || sumCents === balanceCents) continue;
      this.#fault(
        `${ownerText(account)}: the entries come to ${sumCents} cents, the balance is ${balanceCents} cents`,
      );
    }
  }

  #fault(fault: string): void {
    if (this.faults.length < FAULTS_KEPT) this.faults.push(fault);
  }
}

const rowOf = (entry: LedgerEntry): ExportRow => ({
  seq: entry.seq,
  time: isoText(entry.timeMs),
  account: ownerText(entry.account),
  kind: entry.kind,
  amount: dollarsText(entry.amountCents),
  balance: dollarsText(entry.balanceCents),
  amount_cents: entry.amountCents,
  balance_cents: entry.balanceCents,
  bet: entry.bet === 0 ? null : betId(entry.bet),
  round: entry.round === '' ? null : entry.round,
  reference: entry.reference === '' ? null : outside(entry.reference),
});
