/**
 * Follows the replicated log from the journal's place, batch by batch, and watches the lease until this process may
 * lead.
 */
import type { StoredBatch } from '../../../engine/model/ports.js';
import { JournalError } from '../../errors.js';
import type { LeaderOptions, LeadFrom } from './leader.js';
import { type LocalJournal, locate, unpublished } from './locate.js';
import { BatchJoiner, decodeMessage, type LogMessage, type Takeover } from './message.js';
import type {
  EpochMemory,
  FollowStatus,
  LeaseEntry,
  LeaseState,
  LeaseStore,
  LogEntry,
  LogPlace,
  ReplicatedLog,
  Role,
} from './replicated-log.js';

interface FollowerOptions extends LeaderOptions {
  readonly role: Role;
  readonly epochs: EpochMemory;
  /** Resolves after so many milliseconds, or earlier when there may be a new message. */
  readonly rest: (ms: number) => Promise<void>;
  readonly onBatch: (row: StoredBatch) => Promise<void>;
  readonly onStatus: (status: FollowStatus) => void;
  /** The log has lost its end; null when it is there again, or is known to be lost. */
  readonly onLost: (reason: string | null) => void;
}

/** The log has lost the last message read, deleted the next, or begins elsewhere: the place must be found anew. */
export class PlaceLost extends Error {
  override readonly name = 'PlaceLost';
}

/** The lease may be read before the log's last message, which may come this much later. */
const MAY_COME_MS = 1_000;
/** A reader at the end looks this often for a message whose news was lost. */
const POLL_MS = 100;
const STATUS_EVERY_MS = 500;
/** A lapse is noticed a part of the lease's duration later at the most. */
const LOOKS_PER_LEASE = 8;

export class Follower {
  readonly #watch: LeaseWatch;
  readonly #reader: LogReader;
  #lease: LeaseState = 'held';
  #leader = '';
  #toldSeq = 0;
  /** Since then neither the log nor the journal here has all that the last leader had. */
  #missingSinceMs: number | null = null;
  #leaseSeenMs = Number.NEGATIVE_INFINITY;
  #statusMs = Number.NEGATIVE_INFINITY;
  /** When the end of the log was last reached; at first, when following began. */
  #endMs: number;

  private constructor(
    private readonly log: ReplicatedLog & LeaseStore,
    private readonly journal: LocalJournal,
    private place: LogPlace,
    private readonly joiner: BatchJoiner,
    private readonly options: FollowerOptions,
  ) {
    this.#reader = new LogReader(log, place.sequence);
    this.#watch = new LeaseWatch(options.leaseMs, options.node);
    this.#endMs = options.monotonicMs();
  }

  /**
   * null if the log has others in place of the journal's last batch: it must be taken back first (`take-back.ts`).
   * Throws the errors of `locate`, and `secret_invalid` in the log of another exchange.
   */
  static async start(
    log: ReplicatedLog & LeaseStore,
    journal: LocalJournal,
    options: FollowerOptions,
  ): Promise<Follower | null> {
    refuseOther(await options.retry.until(() => log.readLease()), options.exchange);
    const located = await options.retry.until(() => locate(log, journal));
    if (located === null) return null;
    return new Follower(log, journal, located.place, new BatchJoiner(located.at, located.epoch), options);
  }

  /** The journal's last number that the log has, as far as it was read. */
  get seq(): number {
    return this.joiner.at.lastSeq;
  }

  /** The journal had batches behind the log's end when following began, and the log lacks some of them still. */
  get isAhead(): boolean {
    return this.joiner.at.lastSeq < this.journal.end.lastSeq;
  }

  lookSoon(): void {
    this.#leaseSeenMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Resolves at the end of the log, once nobody else seems to lead. Call it again if the attempt to lead came too
   * late. Throws `PlaceLost`, and `replication_led` in the role `leader` while another process leads.
   */
  async untilLeaderless(): Promise<LeadFrom> {
    const { retry, rest } = this.options;
    for (;;) {
      const entry = await retry.until(() => this.#reader.next());
      await this.#lookAtLease();
      await this.#tellStatus(entry === null);
      if (entry !== null) await this.#take(entry);
      else if (await this.#isMyTurn()) return this.#leadFrom();
      else await rest(POLL_MS);
    }
  }

  #leadFrom(): LeadFrom {
    const epoch = Math.max(this.joiner.lastEpoch, this.options.epochs.highest) + 1;
    const leaseRevision = this.#watch.revision;
    return { end: this.place, at: this.joiner.at, epoch, toldSeq: this.#toldSeq, leaseRevision };
  }

  async #take(entry: LogEntry): Promise<void> {
    const before = this.joiner.at.lastSeq;
    const { message, row } = await this.#join(entry);
    this.place = { sequence: entry.sequence, id: entry.id };
    this.options.epochs.raise(message.epoch);
    if (message.kind === 'takeover') this.#tookOver(message);
    // A takeover, or parts that a leader left unfinished.
    if (row === null) return;
    if (before >= this.journal.end.lastSeq) await this.options.onBatch(row);
    else if (this.journal.chainAt(row.lastSeq) !== row.chain) throw unpublished(this.journal.end.lastSeq);
  }

  /** A new leader must not be followed at once by another one. */
  #tookOver({ node, epoch }: Takeover): void {
    this.#leader = node;
    this.#lease = 'held';
    this.#watch.tookOver(epoch, this.options.monotonicMs());
  }

  /**
   * A message that does not follow may show that the log has others in place of those that were read, or that another
   * machine has begun it elsewhere than where the journal here ends.
   */
  async #join({ bytes, sequence }: LogEntry): Promise<{ message: LogMessage; row: StoredBatch | null }> {
    try {
      const message = decodeMessage(bytes, sequence);
      return { message, row: this.joiner.add(message, sequence) };
    } catch (thrown) {
      if (this.place.sequence === 0) throw new PlaceLost('the replicated log begins elsewhere');
      await this.#checkPlace();
      throw thrown;
    }
  }

  /** Throws `PlaceLost` unless the last message that was read still stands before the next. */
  async #checkPlace(): Promise<void> {
    const { sequence, id } = this.place;
    if (sequence === 0) return;
    const there = await this.options.retry.until(() => this.log.read(sequence));
    if (there?.id === id) return;
    const { first } = await this.options.retry.until(() => this.log.bounds());
    if (there === null && first === sequence + 1) return;
    throw new PlaceLost(`message ${sequence} of the replicated log is not the one that was read`);
  }

  #mayLead(): boolean {
    const { role } = this.options;
    if (this.#lease === 'none') return role === 'leader' || (role === 'auto' && !this.#isEmptied);
    if (this.#lease !== 'held') return role !== 'standby' || this.#hasBegun;
    if (role === 'leader' && this.#watch.isRenewed) throw ledBy(this.#leader);
    return false;
  }

  get #hasBegun(): boolean {
    return this.joiner.lastEpoch > 0 || this.journal.end.lastSeq > 0;
  }

  /** The exchange has been led, and neither log nor lease tells how far: another machine's journal may go on further. */
  get #isEmptied(): boolean {
    return this.#lease === 'none' && this.place.sequence === 0 && this.options.epochs.highest > 0;
  }

  /**
   * The next leader must have all that the last one had, in the log or in the journal here: it publishes anew the
   * part that the log has lost. Else orders that clients were told of would be gone.
   */
  async #isMyTurn(): Promise<boolean> {
    const mayLead = this.#mayLead();
    if (mayLead) await this.#checkPlace();
    const ownSeq = Math.max(this.joiner.at.lastSeq, this.journal.end.lastSeq);
    const isAllHere = ownSeq >= this.#toldSeq;
    this.#tellMissing(mayLead ? !isAllHere : this.#isEmptied, ownSeq);
    return mayLead && isAllHere;
  }

  #tellMissing(isMissing: boolean, ownSeq: number): void {
    const { monotonicMs, onLost, node } = this.options;
    if (!isMissing) {
      this.#missingSinceMs = null;
      onLost(null);
      return;
    }
    this.#missingSinceMs ??= monotonicMs();
    if (monotonicMs() - this.#missingSinceMs < MAY_COME_MS) return;
    const accept = `npx tote promote ${node} --accept-loss`;
    onLost(
      this.#isEmptied
        ? `the log is empty, and this exchange has been led. The journal here ends at ${ownSeq}; if no other machine's goes on further (npx tote status), ${accept}`
        : `the log ends at command ${this.joiner.at.lastSeq}, and had ${this.#toldSeq}. Nobody may lead without orders that clients were told of: ` +
            `start ${this.#leader}, which has them. If its disk is lost, ${accept}`,
    );
  }

  async #lookAtLease(): Promise<void> {
    const { leaseMs, monotonicMs, retry, epochs } = this.options;
    if (monotonicMs() - this.#leaseSeenMs < leaseMs / LOOKS_PER_LEASE) return;
    const entry = await retry.until(() => this.log.readLease());
    this.#leaseSeenMs = monotonicMs();
    this.#lease = this.#watch.saw(entry, this.#leaseSeenMs);
    // A server that lags behind gives an older one. An operator's released lease counts, whatever its number.
    if (entry === null || (entry.revision < this.#watch.revision && !entry.isReleased)) return;
    // Until a new leader writes the lease, the entry is an earlier one's, which is known from its takeover.
    if (entry.epoch >= this.joiner.lastEpoch) this.#leader = entry.holder;
    this.#toldSeq = entry.lastSeq;
    epochs.raise(entry.epoch);
  }

  async #tellStatus(isAtEnd: boolean): Promise<void> {
    const { monotonicMs, retry, onStatus } = this.options;
    const nowMs = monotonicMs();
    if (isAtEnd) this.#endMs = nowMs;
    if (nowMs - this.#statusMs < STATUS_EVERY_MS) return;
    this.#statusMs = nowMs;
    // At its end a log that has lost messages looks as if nothing were new.
    if (isAtEnd) await this.#checkPlace();
    const { at, lastEpoch: epoch } = this.joiner;
    // The message that was read last may not be taken yet.
    const readSequence = this.place.sequence;
    const lastSequence = isAtEnd ? readSequence : (await retry.until(() => this.log.bounds())).last;
    const leaseAgeMs = nowMs - this.#watch.renewedMs;
    const status = { lease: this.#lease, leaseAgeMs, leader: this.#leader, epoch };
    if (lastSequence === readSequence) this.#endMs = nowMs;
    onStatus({ ...status, readSequence, lastSequence, readSeq: at.lastSeq, behindMs: nowMs - this.#endMs });
  }
}

/** A journal has no place in the log of another exchange. */
function refuseOther(lease: LeaseEntry | null, exchange: string): void {
  if (lease === null || lease.exchange === null || lease.exchange === exchange) return;
  throw new JournalError(
    'secret_invalid',
    "This stream is another exchange's: its leader has another master secret. If TOTE_REPLICATION and TOTE_REPLICATION_STREAM are right, keep " +
      "this data directory, and start in an empty one with the leader's master-secret.",
  );
}

function ledBy(leader: string): JournalError {
  return new JournalError(
    'replication_led',
    `${leader} leads this exchange: its lease is being renewed. Start this server as a standby with TOTE_ROLE=auto, or let it take over: ` +
      'npx tote promote NODE',
  );
}

export class LeaseWatch {
  revision = -1;
  /** Two revisions were seen: somebody renews the lease. */
  isRenewed = false;
  #sinceMs = 0;
  #seenMs = Number.NEGATIVE_INFINITY;
  #epoch = 0;
  /** Monotonic: when a renewal was last seen. */
  renewedMs = 0;

  constructor(
    private readonly leaseMs: number,
    private readonly node: string,
  ) {}

  /** The new leader writes the lease next; until then the entry is an earlier leader's. */
  tookOver(epoch: number, nowMs: number): void {
    this.#epoch = epoch;
    this.#sinceMs = nowMs;
    this.renewedMs = nowMs;
  }

  /**
   * `entry` was read at the monotonic `nowMs`. A reader that was stopped, or could not read, has not watched: the
   * lease begins anew. An older revision comes from a server that lags behind, and is no renewal.
   */
  saw(entry: LeaseEntry | null, nowMs: number): LeaseState {
    const hasWatched = nowMs - this.#seenMs <= this.leaseMs / 2;
    this.#seenMs = nowMs;
    const revision = entry?.revision ?? 0;
    if (revision > this.revision) {
      this.isRenewed = this.revision > 0;
      this.revision = revision;
      this.renewedMs = nowMs;
      this.#sinceMs = nowMs;
    }
    if (!hasWatched) this.#sinceMs = nowMs;
    if (entry === null && this.#epoch === 0) return 'none';
    const isNewest = entry !== null && entry.epoch >= this.#epoch;
    if (isNewest && entry.isReleased && (entry.successor === '' || entry.successor === this.node))
      return 'released';
    return nowMs - this.#sinceMs >= this.leaseMs ? 'lapsed' : 'held';
  }
}

const AHEAD_MAX = 16;

class LogReader {
  #ahead: Promise<LogEntry | null>[] = [];
  #window = 1;

  constructor(
    private readonly log: Pick<ReplicatedLog, 'read'>,
    private readSequence: number,
  ) {}

  /** null at the end. After a throw the same message is the next one again. */
  async next(): Promise<LogEntry | null> {
    while (this.#ahead.length < this.#window) {
      const asked = this.log.read(this.readSequence + 1 + this.#ahead.length);
      // The caller that awaits it learns of its failure; a dropped one may fail unseen.
      asked.catch(() => undefined);
      this.#ahead.push(asked);
    }
    try {
      const entry = (await this.#ahead.shift()) ?? null;
      if (entry === null) this.#startOver();
      else {
        this.readSequence += 1;
        this.#window = Math.min(this.#window * 2, AHEAD_MAX);
      }
      return entry;
    } catch (thrown) {
      this.#startOver();
      throw thrown;
    }
  }

  #startOver(): void {
    this.#ahead = [];
    this.#window = 1;
  }
}
