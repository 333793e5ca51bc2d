/**
 * Follows the replicated log from where the journal stands: finds that place, hands over batch after batch, and watches the
 * lease until this process may try to lead.
 */
import type { StoredBatch } from '../../../engine/model/ports.js';
import { JournalError } from '../../errors.js';
import type { LeadFrom } from './leader.js';
import { type LeaseState, LeaseWatch } from './lease.js';
import { type LocalJournal, locate } from './locate.js';
import { LogReader } from './log-reader.js';
import { BatchJoiner, decodeMessage } from './message.js';
import type { Patience } from './patience.js';
import type { LeaseStore, LogEntry, ReplicatedLog } from './replicated-log.js';

/**
 * `leader` leads at once, and is refused while another process does. `standby` follows, and leads once a leader has ended.
 * `auto` is a standby that also begins an empty log.
 */
export type Role = 'leader' | 'standby' | 'auto';

/** What a process that follows knows of the log. */
export interface FollowStatus {
  readonly lease: LeaseState;
  /** Who leads, or led last; '' if nobody has. */
  readonly leader: string;
  readonly epoch: number;
  /** Numbers of the last message read, and of the last one of the log at that time. */
  readonly readSequence: number;
  readonly lastSequence: number;
  /** The last command of what was read. */
  readonly readSeq: number;
  /** How long ago the end of the log was reached; 0 at the end. Nothing that was in the log before then is missing. */
  readonly behindMs: number;
}

export interface FollowerOptions {
  readonly role: Role;
  readonly node: string;
  readonly leaseMs: number;
  readonly monotonicMs: () => number;
  readonly patience: Patience;
  /** Resolves after so many milliseconds, or earlier when there may be a new message. */
  readonly rest: (ms: number) => Promise<void>;
  /** Resolves once the batch has found room with whoever takes it. */
  readonly onBatch: (row: StoredBatch) => Promise<void>;
  readonly onStatus: (status: FollowStatus) => void;
}

/** How often a reader at the end looks for a message whose news was lost. */
const POLL_MS = 100;
const STATUS_EVERY_MS = 500;
/** Looks at the lease within its duration: a lapse is noticed that much later at the most. */
const LOOKS_PER_LEASE = 8;

export class Follower {
  readonly #watch: LeaseWatch;
  #lease: LeaseState = 'held';
  #leader = '';
  #revision = -1;
  /** How many revisions of the lease were seen: two mean that somebody renews it. */
  #revisions = 0;
  #leaseSeenMs = Number.NEGATIVE_INFINITY;
  #statusMs = Number.NEGATIVE_INFINITY;
  /** When the end of the log was reached last; at first, when following began. */
  #endMs: number;

  private constructor(
    private readonly log: ReplicatedLog & LeaseStore,
    private readonly endSeq: number,
    private readonly reader: LogReader,
    private readonly joiner: BatchJoiner,
    /** The journal has batches behind the log's end. */
    readonly isAhead: boolean,
    private readonly options: FollowerOptions,
  ) {
    this.#watch = new LeaseWatch(options.leaseMs, options.node);
    this.#endMs = options.monotonicMs();
  }

  /**
   * null where the journal's last batch is not in the log and others are in its place: it must be taken back first
   * (`take-back.ts`). Throws what `locate` throws.
   */
  static async start(
    log: ReplicatedLog & LeaseStore,
    journal: LocalJournal,
    options: FollowerOptions,
  ): Promise<Follower | null> {
    const located = await options.patience.until(() => locate(log, journal));
    if (located.kind === 'unpublished') return null;
    const isEmpty = located.kind === 'empty';
    const reader = new LogReader(log, isEmpty ? 0 : located.sequence);
    const joiner = isEmpty ? new BatchJoiner(journal.end) : new BatchJoiner(located.at, located.epoch);
    const isAhead = !isEmpty && located.isAhead;
    return new Follower(log, journal.end.lastSeq, reader, joiner, isAhead, options);
  }

  /** The journal's last sequence number that the log has, as far as it has been read. */
  get seq(): number {
    return this.joiner.at.lastSeq;
  }

  /** The lease may have been given back. */
  lookSoon(): void {
    this.#leaseSeenMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Resolves at the end of the log, once nobody else seems to lead. To be called again if the attempt to lead came too late.
   * Throws `replication_led` in the role `leader` while another process leads.
   */
  async untilLeaderless(): Promise<LeadFrom> {
    const { patience, rest } = this.options;
    for (;;) {
      const entry = await patience.until(() => this.reader.next());
      await this.#lookAtLease();
      await this.#tellStatus(entry === null);
      if (entry !== null) await this.#take(entry);
      else if (this.#mayLead()) {
        const { at, lastEpoch } = this.joiner;
        return { sequence: this.reader.sequence, at, epoch: lastEpoch + 1 };
      } else await rest(POLL_MS);
    }
  }

  async #take(entry: LogEntry): Promise<void> {
    const message = decodeMessage(entry.bytes, entry.sequence);
    const row = this.joiner.add(message, entry.sequence);
    if (message.kind === 'takeover') this.#leader = message.node;
    if (row === null) return;
    // Parts that a leader left unfinished, or a takeover, are in nobody's way.
    if (this.isAhead) throw unpublished(this.endSeq);
    await this.options.onBatch(row);
  }

  #mayLead(): boolean {
    const { role } = this.options;
    if (this.#lease === 'none') return role !== 'standby';
    if (this.#lease !== 'held') return role !== 'standby' || this.joiner.lastEpoch > 0;
    if (role === 'leader' && this.#revisions > 1) throw ledBy(this.#leader);
    return false;
  }

  async #lookAtLease(): Promise<void> {
    const { leaseMs, monotonicMs, patience } = this.options;
    if (monotonicMs() - this.#leaseSeenMs < leaseMs / LOOKS_PER_LEASE) return;
    const entry = await patience.until(() => this.log.readLease());
    this.#leaseSeenMs = monotonicMs();
    this.#lease = this.#watch.saw(entry, this.#leaseSeenMs);
    if (entry === null) return;
    this.#leader = entry.holder;
    if (entry.revision === this.#revision) return;
    this.#revision = entry.revision;
    this.#revisions += 1;
  }

  async #tellStatus(isAtEnd: boolean): Promise<void> {
    const { monotonicMs, patience, onStatus } = this.options;
    const nowMs = monotonicMs();
    if (isAtEnd) this.#endMs = nowMs;
    if (nowMs - this.#statusMs < STATUS_EVERY_MS) return;
    this.#statusMs = nowMs;
    const { at, lastEpoch: epoch } = this.joiner;
    const readSequence = this.reader.sequence;
    const lastSequence = isAtEnd ? readSequence : (await patience.until(() => this.log.bounds())).last;
    const status = { lease: this.#lease, leader: this.#leader, epoch };
    if (lastSequence === readSequence) this.#endMs = nowMs;
    onStatus({ ...status, readSequence, lastSequence, readSeq: at.lastSeq, behindMs: nowMs - this.#endMs });
  }
}

function ledBy(leader: string): JournalError {
  return new JournalError(
    'replication_led',
    `${leader} leads this exchange: its lease is being renewed. Start this server as a standby with TOTE_ROLE=auto, or let it take over: ` +
      'npx tote promote NODE',
  );
}

function unpublished(endSeq: number): JournalError {
  return new JournalError(
    'replication_unpublished',
    `The journal here ends at sequence number ${endSeq} with a batch that no client was told of, and another leader has gone on without it. ` +
      'Start the server again: it takes that batch back and follows.',
  );
}
