/**
 * A process's part in the replicated log: it follows, takes over and leads. Its thread (`worker.ts`), or a
 * simulation, gives it timers, log and journal.
 */
import { must } from '../../engine/base/assert.js';
import type { Batch, StoredBatch } from '../../engine/model/ports.js';
import { toErrorParts } from '../journal/messages.js';
import { Candidate, type OpenJournal, RENEWALS_PER_LEASE } from './candidate.js';
import type { Leader } from './log/leader.js';
import { decodeMessage, positionAfter } from './log/message.js';
import { Patience, Troubles } from './log/patience.js';
import type { EpochMemory, FollowStatus, LeaseStore, LogWords, ReplicatedLog } from './log/replicated-log.js';
import type { FromReplication, ReplicationOptions, ToReplication } from './messages.js';

export type SharedLog = ReplicatedLog & LeaseStore & LogWords;

export interface Timers {
  monotonicMs(): number;
  after(ms: number, run: () => void): () => void;
}

export interface ReplicatorParts extends Omit<ReplicationOptions, 'nats'> {
  readonly timers: Timers;
  readonly openLog: () => Promise<SharedLog>;
  readonly epochs: EpochMemory;
  readonly openJournal: () => OpenJournal;
  readonly post: (message: FromReplication) => void;
  readonly onFailure: () => void;
}

const PAUSE_MS = 100;
/** Text of batches that the engine's thread was told of and has not taken yet. */
const UNTAKEN_CHARS_MAX = 4 * 1024 * 1024;
/** An ending process tries for this long to give the lease back. */
const RELEASE_MS_MAX = 1_000;

export class Replicator {
  readonly #troubles: Troubles;
  readonly #patience: Record<'follow' | 'publish' | 'lease', Patience>;
  #untakenChars = 0;
  #wake: () => void = () => undefined;
  #log: SharedLog | null = null;
  #leader: Leader | null = null;
  #isReleased = false;

  constructor(private readonly parts: ReplicatorParts) {
    this.#troubles = new Troubles((reason) => parts.post({ kind: 'trouble', reason }));
    const pause = (): Promise<void> => this.#delay(PAUSE_MS);
    const patience = (activity: string): Patience => new Patience(pause, this.#troubles.of(activity));
    this.#patience = { follow: patience('follow'), publish: patience('publish'), lease: patience('lease') };
  }

  start(): void {
    this.#run().catch((thrown: unknown) => this.#failed(thrown));
  }

  /** The owner calls `release` and ends it; no message does. */
  take(message: ToReplication): void {
    switch (message.kind) {
      case 'taken':
        this.#untakenChars -= message.chars;
        this.#wake();
        break;
      case 'publish':
        this.#attempt(this.#publish(message.batch));
        break;
      case 'confirm':
        this.#attempt(this.#confirm(message.lastSeq));
        break;
      case 'covered':
        this.#attempt(this.#cover(message.seq));
        break;
      case 'release':
        void this.release(message.successor);
    }
  }

  /** Silent servers need not be waited for: the lease lapses. */
  async release(successor: string): Promise<void> {
    const leader = this.#leader;
    if (leader === null || this.#isReleased) return;
    this.#isReleased = true;
    await Promise.race([leader.release(successor).catch(() => undefined), this.#delay(RELEASE_MS_MAX)]);
  }

  async #run(): Promise<void> {
    const { openLog, node, post, leaseMs } = this.parts;
    const log = await this.#patience.follow.until(openLog);
    this.#log = log;
    log.onNews(() => this.#wake());
    const leader = await this.#untilLeading(log);
    if (leader === null) return;
    this.#leader = leader;
    log.onHandOver(node, (to) => post({ kind: 'handOver', to }));
    log.onReport((report) => post({ kind: 'standby', report }));
    post({ kind: 'leading', epoch: leader.epoch, sequence: leader.sequence });
    for (;;) {
      await this.#delay(leaseMs / RENEWALS_PER_LEASE);
      await this.#patience.lease.until(() => leader.renew());
      post({ kind: 'renewed' });
    }
  }

  async #untilLeading(log: SharedLog): Promise<Leader | null> {
    const { role, node, leaseMs, timers, epochs, openJournal, post } = this.parts;
    const { follow: patience, ...ofLeader } = this.#patience;
    const candidate = new Candidate({
      ...{ log, role, node, leaseMs, epochs, openJournal, patience, ofLeader },
      monotonicMs: () => timers.monotonicMs(),
      rest: (ms) => this.#rest(ms),
      onJoined: (seq) => post({ kind: 'joined', seq }),
      onBatch: (row) => this.#tellBatch(row),
      allTaken: async () => {
        while (this.#untakenChars > 0) await this.#rest(PAUSE_MS);
      },
      onStatus: (status) => this.#tellStatus(log, status),
      onLost: this.#troubles.of('lost'),
    });
    log.onReleased(() => {
      candidate.lookSoon();
      this.#wake();
    });
    const leader = await candidate.untilLeading();
    if (leader === null) post({ kind: 'unpublished' });
    return leader;
  }

  #tellStatus(log: SharedLog, status: FollowStatus): void {
    this.parts.post({ kind: 'following', status });
    const { readSequence, lastSequence, behindMs } = status;
    log.report({ node: this.parts.node, messagesBehind: lastSequence - readSequence, behindMs });
  }

  async #tellBatch(row: StoredBatch): Promise<void> {
    this.#untakenChars += row.commands.length;
    this.parts.post({ kind: 'batch', row });
    while (this.#untakenChars > UNTAKEN_CHARS_MAX) await this.#rest(PAUSE_MS);
  }

  async #publish(batch: Batch): Promise<void> {
    const leader = must(this.#leader, 'the leader');
    await leader.publish(batch);
    this.parts.post({ kind: 'published', lastSeq: batch.lastSeq, sequence: leader.sequence });
  }

  async #confirm(lastSeq: number): Promise<void> {
    await must(this.#leader, 'the leader').confirm();
    this.parts.post({ kind: 'confirmed', lastSeq });
  }

  #cover(seq: number): Promise<void> {
    const log = must(this.#log, 'the log');
    return this.#patience.follow.until(() => deleteCovered(log, seq));
  }

  #attempt(work: Promise<void>): void {
    work.catch((thrown: unknown) => this.#failed(thrown));
  }

  #failed(thrown: unknown): void {
    this.parts.post({ kind: 'failed', error: toErrorParts(thrown) });
    this.parts.onFailure();
  }

  #delay(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.parts.timers.after(ms, resolve);
    });
  }

  /** A message, or news of one, shortens the pause. */
  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.parts.timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}

/**
 * Deletes the messages that no journal needs that reaches command `seq`. The last one up to there stays, so that such
 * a journal finds its place.
 */
export async function deleteCovered(log: ReplicatedLog, seq: number): Promise<void> {
  const { first, last } = await log.bounds();
  let kept = first;
  let low = first;
  let high = last;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const seqThere = await positionAt(log, middle);
    if (seqThere === null) return;
    if (seqThere <= seq) kept = middle;
    if (seqThere <= seq) low = middle + 1;
    else high = middle - 1;
  }
  // A part before a batch's last one is no place of any journal.
  while (kept > first && !(await isPlace(log, kept))) kept -= 1;
  if (kept > first) await log.deleteBefore(kept);
}

async function isPlace(log: ReplicatedLog, sequence: number): Promise<boolean> {
  const entry = await log.read(sequence);
  return entry !== null && positionAfter(decodeMessage(entry.bytes, sequence)) !== null;
}

/** After this message. For a part before the last, the number before its batch. */
async function positionAt(log: ReplicatedLog, sequence: number): Promise<number | null> {
  const entry = await log.read(sequence);
  if (entry === null) return null;
  const message = decodeMessage(entry.bytes, sequence);
  if (message.kind === 'takeover') return message.position.lastSeq;
  return positionAfter(message)?.lastSeq ?? message.row.firstSeq - 1;
}
