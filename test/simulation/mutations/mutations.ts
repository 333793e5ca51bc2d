/**
 * Planted bugs, to prove that they are found. They exist only here: as a wrapper around a part that the simulation
 * provides, or as a method of a real class replaced for one run.
 */
import { Engine } from '../../../engine/engine.js';
import { OpenBatch } from '../../../engine/host/open-batch.js';
import { BoundaryWindow } from '../../../engine/host/ticks/boundary-window.js';
import type { Batch } from '../../../engine/model/ports.js';
import { AccountTable } from '../../../engine/state/accounts.js';
import { BetTable } from '../../../engine/state/bets.js';
import { type IdempotencyEntry, IdempotencyMemory } from '../../../engine/state/idempotency.js';
import { RetainedBets } from '../../../engine/state/retained-bets.js';
import { SimJournalWriter } from '../machine/journal-writer.js';
import { SimStore } from '../machine/store.js';
import { THREAD_MUTATIONS } from '../threads/mutations.js';
import { LIMIT_MUTATIONS } from './limit-mutations.js';
import { both, exchange, type Mutation, planted, SELDOM } from './planting.js';

const forgetSyncs = (): (() => void) => {
  let syncs = 0;
  return exchange(SimStore.prototype, 'sync', (_self, real) => {
    if (++syncs % SELDOM !== 0) real();
  });
};

/** The mark is written before its row is synced. */
const markEarly = (): (() => void) =>
  exchange(SimStore.prototype, 'append', (self, real, batch) => {
    const row = real(batch);
    self.writeMark({ lastSeq: row.lastSeq, checksum: row.checksum });
    return row;
  });

/** Recovery loses the Idempotency-Key of one order. */
const forgetKey = (): (() => void) =>
  exchange(SimStore.prototype, 'readBatches', function* (_self, real, afterSeq) {
    for (const row of real(afterSeq))
      yield { ...row, commands: row.commands.replace(/,\[\d+,\d+,\d+\],/, ',null,') };
  });

/** Now and then the acknowledgement is sent before the write. */
class EarlyWriter extends SimJournalWriter {
  #unwritten: Batch | null = null;
  #writtenSeq = 0;

  override commit(batch: Batch): void {
    super.commit(batch);
    if (batch.lastSeq % SELDOM !== 0) return;
    this.#unwritten = batch;
    super.acknowledge(batch.lastSeq);
  }

  protected override write(batch: Batch): void {
    const early = this.#unwritten;
    this.#unwritten = null;
    for (const next of [early, batch]) {
      if (next === null || next.lastSeq <= this.#writtenSeq) continue;
      this.#writtenSeq = next.lastSeq;
      super.write(next);
    }
  }

  protected override acknowledge(lastSeq: number): void {
    if (lastSeq % SELDOM !== 0) super.acknowledge(lastSeq);
  }
}

/** Every so many bets are promised a cent more than their odds give once they have been told. */
function payOneCentMore(): () => void {
  let table: BetTable | null = null;
  const remember = exchange(BetTable.prototype, 'take', (self, real) => {
    table = self;
    return real();
  });
  const alter = exchange(RetainedBets.prototype, 'placed', (_self, real, account, row, kept) => {
    real(account, row, kept);
    const chunk = table?.chunk(row);
    const i = table?.index(row) ?? 0;
    if (chunk !== undefined && chunk.bet.at(i) % SELDOM === 0)
      chunk.payoutCents.set(i, chunk.payoutCents.at(i) + 1);
  });
  return both(remember, alter);
}

/** Now and then a settled bet is paid again. */
function settleTwice(): () => void {
  let last: { table: AccountTable; account: number; cents: number; seq: number } | null = null;
  const remember = exchange(AccountTable.prototype, 'move', (self, real, account, cents, seq) => {
    last = { table: self, account, cents, seq };
    return real(account, cents, seq);
  });
  const again = exchange(RetainedBets.prototype, 'settled', (_self, real, account, row, kept) => {
    real(account, row, kept);
    if (last !== null && last.account === account && last.cents > 0 && last.seq % SELDOM === 0) {
      const { table, cents, seq } = last;
      table.move(account, cents, seq);
    }
  });
  return both(again, remember);
}

/** Bets are taken for `byMs` longer than the rules say, or less long. */
function closeLate(byMs: number): () => void {
  return exchange(Engine.prototype, 'apply', (_self, real, command, gate, guards) => {
    if (command.kind !== 'configure') return real(command, gate, guards);
    const { rules } = command;
    return real({ ...command, rules: { ...rules, cutoffMs: rules.cutoffMs - byMs } }, gate);
  });
}

/** Now and then an Idempotency-Key stands for the order that its account had replayed before. */
function replayAnother(): () => void {
  let last: IdempotencyEntry | null = null;
  let finds = 0;
  return exchange(IdempotencyMemory.prototype, 'find', (_self, real, account, digest, nowMs, ttlMs) => {
    const entry = real(account, digest, nowMs, ttlMs);
    if (entry === null) return null;
    const other = last;
    last = entry;
    if (other?.placed.account !== account || ++finds % SELDOM !== 0) return entry;
    return { ...other, digest: entry.digest };
  });
}

/** The first tick after a boundary is taken for its price. */
function priceLate(): () => void {
  return exchange(BoundaryWindow.prototype, 'finalPrice', (self, real, boundaryMs, nowMs) => {
    const tick = real(boundaryMs, nowMs);
    return tick !== undefined && tick !== null && boundaryMs % (SELDOM * 3_000) === 0 ? self.latest : tick;
  });
}

/** Waiters hear of a batch when it is handed to the disk, not when it is there. */
function answerEarly(): () => void {
  return exchange(OpenBatch.prototype, 'row', (self, real, digest) => {
    if (self.firstSeq % SELDOM === 0) self.releaseWaiters(() => false);
    return real(digest);
  });
}

/** Readers of events miss a batch now and then: clients are shown rounds as they were. */
function loseEvents(): () => void {
  return exchange(OpenBatch.prototype, 'dispatch', (self, real, readers) => {
    if (self.firstSeq % SELDOM !== 0) real(readers);
  });
}

export const MUTATIONS: readonly Mutation[] = [
  planted('skip-fsync', 'a batch is acknowledged without a sync', forgetSyncs),
  {
    name: 'ack-early',
    bug: 'a batch is acknowledged before it is written',
    writer: (store, host) => new EarlyWriter(store, host),
  },
  planted('mark-early', 'the mark is written before the sync', markEarly, { seed: 14 }),
  planted('drop-idempotency', 'recovery forgets an Idempotency-Key', forgetKey),
  planted('one-cent', 'a payout is one cent wrong', payOneCentMore),
  planted('settle-twice', 'a bet is paid twice', settleTwice),
  planted('cutoff-off-by-one', 'bets are taken a millisecond too long', () => closeLate(1), { seed: 2 }),
  planted('cutoff-early', 'bets are refused a millisecond too soon', () => closeLate(-1), { seed: 2 }),
  planted('replay-another', 'a replay answers for another order', replayAnother),
  planted('wrong-tick', 'a round is closed at a tick from after its end', priceLate),
  planted('answer-early', 'an answer goes out before its batch is durable', answerEarly),
  planted('lose-events', 'the market view misses a batch', loseEvents, { seed: 6 }),
  ...LIMIT_MUTATIONS,
  ...THREAD_MUTATIONS,
];

export const mutationNamed = (name: string): Mutation | null =>
  MUTATIONS.find((one) => one.name === name) ?? null;
