/**
 * The ledger of one account, from the archive and the journal (`HistoryReader.origin`). Entries that neither has are
 * replaced by one entry `forward`, with the balance of the account at that time.
 */
import type { Engine } from '../../../engine/engine.js';
import { isUnfilled } from '../../../engine/model/domain.js';
import type { PastEvent } from '../../../engine/model/events.js';
import { type LedgerEntry, ledgerEntryOf } from '../../replay/ledger.js';
import type { HistoryReader, Source } from './history-reader.js';

export interface AccountHistory {
  /** The engine at the end. */
  readonly engine: Engine;
  readonly entries: readonly LedgerEntry[];
  readonly counts: BetCounts;
  readonly source: Source;
}

/** Counts of the bets in the entries. A limit order that has rested counts from its fill. */
export interface BetCounts {
  placed: number;
  stakedCents: number;
  settled: number;
  paidCents: number;
}

/** What happened to `account` up to command `toSeq`. With `isReplay` it is replayed from the journal alone. */
export function accountHistory(
  past: HistoryReader,
  account: number,
  toSeq: number,
  isReplay = false,
): AccountHistory {
  const { engine, archivedTo, source } = past.origin(toSeq, isReplay);
  const collected = new Collected(account);
  for (const { seq, event } of past.archive.events({ of: 'account', account }, archivedTo)) {
    if (seq > 0) collected.add(seq, event);
  }
  if (!past.archive.isWhole(archivedTo)) {
    collected.bringForward(archivedTo, engine.account(account)?.balanceCents ?? 0, engine.timeMs);
  }
  for (const { seq, events } of past.replay(engine, toSeq)) {
    if (seq <= archivedTo) continue;
    for (const event of events) collected.add(seq, event);
  }
  return { engine, entries: collected.entries, counts: collected.counts, source };
}

class Collected {
  readonly entries: LedgerEntry[] = [];
  readonly counts: BetCounts = { placed: 0, stakedCents: 0, settled: 0, paidCents: 0 };

  constructor(readonly account: number) {}

  add(seq: number, event: PastEvent): void {
    if (!('account' in event) || event.account !== this.account) return;
    if (event.type === 'betPlaced' || event.type === 'orderFilled') {
      this.counts.placed += 1;
      this.counts.stakedCents += event.stakeCents;
    } else if (event.type === 'betSettled' && !isUnfilled(event.result)) {
      this.counts.settled += 1;
      this.counts.paidCents += event.payoutCents;
    }
    const entry = ledgerEntryOf(seq, event);
    if (entry !== null) this.entries.push(entry);
  }

  /** Adds the balance before the first known entry, or the one at `seq` if there is none. */
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
