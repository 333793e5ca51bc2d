/**
 * The ledger's rows, added up while they are written: every account's entries must lead from one balance to the next
 * and, at the end, to the balance that the engine has.
 */

import type { Engine } from '../../../engine/engine.js';
import { betId } from '../../../engine/model/domain.js';
import { type LedgerEntry, ledgerEntryOf } from '../../replay/ledger.js';
import { readEvents } from '../export-events.js';
import { dollarsText, isoText } from '../frame/format.js';
import type { HistoryReader } from '../past/history-reader.js';
import { ownerText } from '../words/ledger-text.js';
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

const FAULTS_TOLD = 10;

/** Writes the entries of commands `fromSeq` to `toSeq`; returns what does not add up, in sentences. */
export function exportLedger(
  past: HistoryReader,
  sink: RowSink,
  fromSeq: number,
  toSeq: number,
): readonly string[] {
  sink.columns(COLUMNS);
  const books = new Books(fromSeq <= 1);
  let isGapKnown = false;
  const write = (entry: LedgerEntry): void => {
    if (isGapKnown && books.isFirst(entry) && entry.balanceCents !== entry.amountCents) {
      const forward = forwardOf(entry);
      books.add(forward);
      sink.row(rowOf(forward));
    }
    books.add(entry);
    sink.row(rowOf(entry));
  };
  const { engine, isWhole } = readEvents(past, fromSeq, toSeq, {
    onReach: (isReached) => {
      isGapKnown = books.beginsAtNothing && !isReached;
    },
    onEvent: (seq, event) => {
      const entry = ledgerEntryOf(seq, event);
      if (entry !== null) write(entry);
    },
  });
  if (engine !== null) books.close(engine, isWhole);
  if (isWhole) return books.faults;
  return [...books.faults, 'what happened first is not known any more; balances are brought forward'];
}

/** What an account brought along: the balance before its first known entry. */
function forwardOf(entry: LedgerEntry): LedgerEntry {
  const amountCents = entry.balanceCents - entry.amountCents;
  const about = { bet: 0, round: '', reference: '' };
  return { ...entry, ...about, kind: 'forward', amountCents, balanceCents: amountCents };
}

class Books {
  readonly faults: string[] = [];
  readonly #balances = new Map<number, number>();

  /** `beginsAtNothing`: the range begins with the first command, when all balances are 0. */
  constructor(readonly beginsAtNothing: boolean) {}

  isFirst({ account }: LedgerEntry): boolean {
    return !this.#balances.has(account);
  }

  add({ account, amountCents, balanceCents, seq }: LedgerEntry): void {
    const before = this.#balances.get(account) ?? (this.beginsAtNothing ? 0 : balanceCents - amountCents);
    this.#balances.set(account, balanceCents);
    if (before + amountCents === balanceCents) return;
    this.#say(
      `${ownerText(account)}, sequence number ${seq}: ${before} and ${amountCents} are not ${balanceCents} cents`,
    );
  }

  /** Compares with the balances of `engine`; an account without entries has none, if all entries are known. */
  close(engine: Engine, isWhole: boolean): void {
    for (let account = 0; account <= engine.accountCount; account++) {
      const balanceCents =
        account === 0 ? engine.totals().houseCents : (engine.account(account)?.balanceCents ?? 0);
      const isUnknown = !this.#balances.has(account) && (!this.beginsAtNothing || !isWhole);
      const sumCents = this.#balances.get(account) ?? 0;
      if (isUnknown || sumCents === balanceCents) continue;
      this.#say(
        `${ownerText(account)}: the entries come to ${sumCents} cents, the balance is ${balanceCents} cents`,
      );
    }
  }

  #say(fault: string): void {
    if (this.faults.length < FAULTS_TOLD) this.faults.push(fault);
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
