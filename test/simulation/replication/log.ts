/**
 * The replicated log and its lease as a model: one place for each message, the expected last sequence, ids that are
 * known. Everything that was ever appended stays for the checks, also what retention has deleted.
 */
import { messageOf } from '../../../engine/base/attempt.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { CHAIN_START } from '../../../persistence/journal/segment/batch-row.js';
import {
  BatchJoiner,
  decodeMessage,
  type LogMessage,
  type Takeover,
} from '../../../persistence/replication/log/message.js';
import {
  type LeaseEntry,
  type LogEntry,
  PlaceTaken,
} from '../../../persistence/replication/log/replicated-log.js';
import type { Scheduler } from '../machine/scheduler.js';

export class SimLog {
  readonly entries: LogEntry[] = [];
  readonly batches: { readonly row: StoredBatch; readonly epoch: number }[] = [];
  /** By epoch; also lost ones, until another one has the epoch. */
  readonly takeovers = new Map<number, { readonly takeover: Takeover; readonly atMs: number }>();
  readonly lost = new Set<string>();
  /** Messages that are on their way to a log when it loses some do not arrive. */
  losses = 0;
  lease: LeaseEntry | null = null;
  first = 1;
  fault: string | null = null;
  #joiner = new BatchJoiner({ lastSeq: 0, chain: CHAIN_START });

  constructor(private readonly scheduler: Scheduler) {}

  get lastEpoch(): number {
    return this.#joiner.lastEpoch;
  }

  append(bytes: Uint8Array, id: string, afterSequence: number): void {
    const known = this.entries.find((entry) => entry.id === id);
    if (known?.sequence === afterSequence + 1) return;
    if (known !== undefined) throw new Error(`message ${id} is number ${known.sequence} of the log`);
    if (this.entries.length !== afterSequence) throw new PlaceTaken('the log ends elsewhere');
    const message = this.#add({ sequence: afterSequence + 1, id, bytes });
    if (message.kind === 'takeover')
      this.takeovers.set(message.epoch, { takeover: message, atMs: this.scheduler.nowMs });
  }

  goBack(sequence: number): void {
    const kept = this.entries.splice(0, this.entries.length).slice(0, sequence);
    for (const { row } of this.batches.splice(0, this.batches.length)) this.lost.add(row.chain);
    this.#joiner = new BatchJoiner({ lastSeq: 0, chain: CHAIN_START });
    for (const entry of kept) this.#add(entry);
    for (const { row } of this.batches) this.lost.delete(row.chain);
    this.losses += 1;
  }

  #add(entry: LogEntry): LogMessage {
    this.entries.push(entry);
    const message = decodeMessage(entry.bytes, entry.sequence);
    try {
      const row = this.#joiner.add(message, entry.sequence);
      if (row !== null) this.batches.push({ row, epoch: message.epoch });
    } catch (thrown) {
      this.fault ??= messageOf(thrown);
    }
    return message;
  }

  read(sequence: number): LogEntry | null {
    return sequence < this.first ? null : (this.entries[sequence - 1] ?? null);
  }

  deleteBefore(sequence: number): void {
    this.first = Math.max(this.first, sequence);
  }

  writeLease(entry: Omit<LeaseEntry, 'revision'>, revision: number): number {
    if ((this.lease?.revision ?? 0) !== revision) throw new PlaceTaken('another one has written the lease');
    this.lease = { ...entry, revision: revision + 1 };
    return this.lease.revision;
  }
}
