/**
 * Rows of the ledger, added up while they are written: the entries of every account must lead from one balance to the
 * next and, at the end, to the balance in the engine.
 */

import type { Engine } from '../../../engine/engine.js';
import { betId } from '../../../engine/model/domain.js';
import { type LedgerEntry, ledgerEntryOf } from '../../past/entries.js';
import type { Past } from '../../past/past.js';
import type { ArchivedEvent } from '../../past/streams.js';
import { dollarsText, isoText } from '../frame/format.js';
import { HOUSE, ownerText } from '../words/ledger-text.js';
import { type ExportRange, type ExportRow, type ExportSource, outside, type RowSink } from './sink.js';

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

/** Returns sentences on sums that do not add up. */
export function exportLedger(
  { past, engine }: ExportSource,
  sink: RowSink,
  range: ExportRange,
): readonly string[] {
  sink.columns(COLUMNS);
  const { fromSeq, account } = range;
  const isWhole = past.fromSeq === 0;
  const books = new Books(fromSeq <= 1);
  const add = (entry: LedgerEntry): void => {
    books.add(entry);
    sink.row(rowOf(entry));
  };
  for (const { seq, event } of eventsOf(past, range)) {
    const entry = ledgerEntryOf(seq, event);
    if (entry === null) continue;
    const forward = books.beginsAtNothing && books.isFirst(entry) ? past.forwardOf(entry) : null;
    if (forward !== null) add(forward);
    add(entry);
  }
  if (engine !== null) books.close(engine, account, isWhole);
  if (isWhole) return books.faults;
  return [...books.faults, 'the first entries are not known any more; balances are brought forward'];
}

function eventsOf(past: Past, { fromSeq, toSeq, account }: ExportRange): Iterable<ArchivedEvent> {
  if (account === null) return past.events(fromSeq, toSeq);
  const downTo = [...past.accountEvents(account, toSeq)].filter(({ seq }) => seq >= fromSeq);
  return downTo.reverse();
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

  /** Compares with the balances of `engine`; an account without entries has none, if all are known. */
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
