/**
 * The ledger of one account, from the journal and, where its beginning was deleted, the archive. Entries that neither
 * knows are one entry `forward`: the balance that the account brought along.
 */
import type { Engine } from '../../../engine/engine.js';
import type { EngineEvent } from '../../../engine/model/events.js';
import { type LedgerEntry, ledgerEntryOf } from '../../replay/ledger.js';
import type { HistoryReader } from './history-reader.js';

export interface AccountHistory {
  /** As it stands at the end of the look. */
  readonly engine: Engine;
  readonly entries: readonly LedgerEntry[];
  readonly counts: BetCounts;
}

/** Bets of which the entries tell. */
export interface BetCounts {
  placed: number;
  stakedCents: number;
  settled: number;
  paidCents: number;
}

/** What happened to `account` up to command `toSeq`. */
export function accountHistory(past: HistoryReader, account: number, toSeq: number): AccountHistory {
  const engine = past.history.beginning();
  const beginningSeq = engine.seq;
  const collected = new Collected(account);
  for (const { seq, event } of past.archived({ of: 'account', account }, beginningSeq)) {
    if (seq > 0) collected.add(seq, event);
  }
  if (!past.isWhole(beginningSeq)) {
    collected.bringForward(beginningSeq, engine.account(account)?.balanceCents ?? 0, engine.timeMs);
  }
  for (const { seq, events } of past.carryOn(engine, toSeq)) {
    for (const event of events) collected.add(seq, event);
  }
  return { engine, entries: collected.entries, counts: collected.counts };
}

class Collected {
  readonly entries: LedgerEntry[] = [];
  readonly counts: BetCounts = { placed: 0, stakedCents: 0, settled: 0, paidCents: 0 };

  constructor(readonly account: number) {}

  add(seq: number, event: EngineEvent): void {
    if (!('account' in event) || event.account !== this.account) return;
    if (event.type === 'betPlaced') {
      this.counts.placed += 1;
      this.counts.stakedCents += event.stakeCents;
    } else if (event.type === 'betSettled') {
      this.counts.settled += 1;
      this.counts.paidCents += event.payoutCents;
    }
    const entry = ledgerEntryOf(seq, event);
    if (entry !== null) this.entries.push(entry);
  }

  /** The balance before the first known entry, or the one at `seq` where there is none. */
  bringForward(seq: number, balanceCents: number, timeMs: number): void {
    const first = this.entries[0];
    const forwardCents = first === undefined ? balanceCents : first.balanceCents - first.amountCents;
    if (forwardCents === 0) return;
    this.entries.unshift({
      seq: first === undefined ? seq : first.seq - 1,
      timeMs: first?.timeMs ?? timeMs,
      account: this.account,
      kind: 'forward',
      amountCents: forwardCents,
      balanceCents: forwardCents,
      bet: 0,
      round: '',
      reference: '',
    });
  }
}
