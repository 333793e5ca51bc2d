/**
 * A model of the replicated log: one place for each message, the expected last sequence, ids that are known for a
 * while. The test chooses the faults on the way, operation by operation.
 */
import { decodeMessage, type LogMessage } from '../../../persistence/replication/log/message.js';
import {
  type LeaseEntry,
  type LeaseStore,
  type LogEntry,
  PlaceTaken,
  type ReplicatedLog,
} from '../../../persistence/replication/log/replicated-log.js';

/** An append's; reads know the first two. */
export type Fault =
  | 'none'
  | 'lost'
  | 'answerLost'
  /** It arrives before the next operation. */
  | 'late';

export class ModelLog implements ReplicatedLog, LeaseStore {
  readonly entries: LogEntry[] = [];
  first = 1;
  lease: LeaseEntry | null = null;
  bytesMax = 1_000_000;
  /** Repeated messages are known by their ids, as they are for two minutes. */
  knowsIds = true;
  #late: (() => void) | null = null;

  constructor(private readonly nextFault: () => Fault = () => 'none') {}

  get messages(): LogMessage[] {
    return this.entries.map(({ bytes, sequence }) => decodeMessage(bytes, sequence));
  }

  async append(bytes: Uint8Array, id: string, afterSequence: number): Promise<void> {
    this.#arrive();
    const fault = this.nextFault();
    if (fault === 'lost') throw new Error('no answer');
    if (fault === 'late') {
      this.#late = () => this.#append(bytes, id, afterSequence);
      throw new Error('no answer');
    }
    this.#append(bytes, id, afterSequence);
    if (fault === 'answerLost') throw new Error('no answer');
  }

  async read(sequence: number): Promise<LogEntry | null> {
    this.#arrive();
    const fault = this.nextFault();
    if (fault === 'lost' || fault === 'answerLost') throw new Error('no answer');
    return sequence < this.first ? null : (this.entries[sequence - 1] ?? null);
  }

  async bounds(): Promise<{ first: number; last: number }> {
    return { first: this.first, last: this.entries.length };
  }

  async deleteBefore(sequence: number): Promise<void> {
    this.first = sequence;
  }

  async readLease(): Promise<LeaseEntry | null> {
    return this.lease;
  }

  async writeLease(entry: Omit<LeaseEntry, 'revision'>, revision: number): Promise<number> {
    if ((this.lease?.revision ?? 0) !== revision) throw new PlaceTaken();
    this.lease = { ...entry, revision: revision + 1 };
    return this.lease.revision;
  }

  #append(bytes: Uint8Array, id: string, afterSequence: number): void {
    const known = this.entries.find((entry) => entry.id === id);
    if (this.knowsIds && known !== undefined && known.sequence === afterSequence + 1) return;
    if (this.entries.length !== afterSequence) throw new PlaceTaken();
    this.entries.push({ sequence: afterSequence + 1, id, bytes });
  }

  #arrive(): void {
    const late = this.#late;
    this.#late = null;
    try {
      late?.();
    } catch (thrown) {
      if (!(thrown instanceof PlaceTaken)) throw thrown;
    }
  }
}
