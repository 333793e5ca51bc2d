/**
 * One machine's part in an exchange with a replicated log, on the engine's thread. It finds its journal's place,
 * follows the leader's batches into engine and journal, and leads once the leader has ended: `joined`, then
 * `leading`.
 */
import { assert, must } from '../../engine/base/assert.js';
import type { JournalWriter, LogView, SpaceLevel, StoredBatch } from '../../engine/model/ports.js';
import { invalidSecret, isOtherSecret } from '../data-dir/secrets.js';
import { JournalError } from '../errors.js';
import type { Store } from '../recovery/open-store.js';
import { replayBatch } from '../replay/replay.js';
import type { FollowStatus } from './log/replicated-log.js';
import { LogStatus } from './log-status.js';
import type { FromReplication } from './messages.js';
import { type LeaseClock, ReplicatedJournal } from './replicated-journal.js';
import type { ReplicationEvents, ReplicationLink } from './thread.js';

/** The log reaches back this many snapshots: a standby that begins with a backup finds all that came after it. */
const SNAPSHOTS_BACK = 3;

export interface ReplicaEvents {
  onStatus(status: FollowStatus): void;
  onTrouble(reason: string | null): void;
  onPublished(tookMs: number): void;
  onHandOver(to: string): void;
  /** The process must end. A leader's journal reports its failures itself. */
  onFailure(error: Error): void;
}

type State = 'joining' | 'following' | 'leading' | 'closing';

export class Replica {
  /** The last command in the log and on the disk: the archive's thread goes no further. */
  readonly replicatedSeq = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
  /**
   * True once the journal's place in the log is found: the archive may be opened. False if the journal's last batch
   * must be taken back first: the thread has ended, and nothing was written.
   */
  readonly joined: Promise<boolean>;
  readonly leading: Promise<ReplicatedJournal>;
  #state: State = 'joining';
  readonly #logStatus: LogStatus;
  readonly #thread: ReplicationLink;
  readonly #writing: StoredBatch[] = [];
  #spaceLevel: SpaceLevel | null = null;
  #journal: ReplicatedJournal | null = null;
  #successor = '';
  #status: FollowStatus | null = null;
  readonly #snapshots: number[] = [];
  #whenIdle: () => void = () => undefined;
  #resolveJoined: (isInLog: boolean) => void = () => undefined;
  #resolveLeading: (journal: ReplicatedJournal) => void = () => undefined;

  /** `disk` writes the journal of `store`, and has not been opened. */
  constructor(
    private readonly store: Pick<Store, 'engine' | 'masterSecret' | 'dir'>,
    private readonly disk: JournalWriter,
    startThread: (events: ReplicationEvents) => ReplicationLink,
    private readonly clock: LeaseClock,
    private readonly events: ReplicaEvents,
  ) {
    this.#logStatus = new LogStatus(clock.leaseMs, clock.monotonicMs);
    this.joined = new Promise((resolve) => {
      this.#resolveJoined = resolve;
    });
    this.leading = new Promise((resolve) => {
      this.#resolveLeading = resolve;
    });
    this.#thread = startThread({
      onMessage: (message) => this.#onMessage(message),
      onFailure: (error) => this.#onFailure(error),
    });
  }

  get log(): LogView {
    return this.#logStatus.view();
  }

  get isJoining(): boolean {
    return this.#state === 'joining';
  }

  get isFollowing(): boolean {
    return this.#state === 'following';
  }

  /** null until the log has answered. A leader does not renew it. */
  get following(): FollowStatus | null {
    return this.#status;
  }

  /** The log may forget all that older snapshots hold. */
  snapshotTaken(seq: number): void {
    this.#snapshots.push(seq);
    if (this.#snapshots.length < SNAPSHOTS_BACK) return;
    const oldest = must(this.#snapshots.shift(), 'a snapshot');
    if (this.#state === 'leading') this.#thread.post({ kind: 'covered', seq: oldest });
  }

  /** Nothing more will be published: a standby may take over at once. */
  release(): void {
    this.#logStatus.released();
    this.#thread.post({ kind: 'release', successor: this.#successor });
  }

  /** Only while nobody has opened a leader's journal. Resolves once its files are closed. */
  async close(): Promise<void> {
    const hasDisk = this.#state !== 'joining';
    this.#state = 'closing';
    if (hasDisk) {
      if (this.#writing.length > 0)
        await new Promise<void>((resolve) => {
          this.#whenIdle = resolve;
        });
      await this.disk.close();
    }
    await this.#thread.close();
  }

  #onMessage(message: Exclude<FromReplication, { kind: 'failed' }>): void {
    switch (message.kind) {
      case 'unpublished':
        void this.#thread.close().then(() => this.#resolveJoined(false));
        break;
      case 'joined':
        this.#join(message.seq);
        break;
      case 'batch':
        if (this.#state === 'following') this.#take(message.row);
        break;
      case 'following':
        this.#status = message.status;
        this.#logStatus.followed(message.status);
        this.events.onStatus(message.status);
        break;
      case 'leading':
        if (this.#state === 'following') this.#lead(message.epoch, message.sequence);
        break;
      case 'published':
        this.events.onPublished(this.#logStatus.published(message.sequence));
        must(this.#journal, 'the journal of a leader').published(message.lastSeq);
        break;
      case 'confirmed':
        must(this.#journal, 'the journal of a leader').published(message.lastSeq);
        break;
      case 'renewed':
        this.#logStatus.renewed(message.atMs);
        break;
      case 'standby':
        this.#logStatus.heard(message.report);
        break;
      case 'handOver':
        this.#successor = message.to;
        this.events.onHandOver(message.to);
        break;
      case 'trouble':
        this.#logStatus.inTrouble(message.reason);
        this.events.onTrouble(message.reason);
    }
  }

  #join(seq: number): void {
    assert(this.#state === 'joining' || this.#state === 'closing', 'a journal joins its log once');
    if (this.#state === 'closing') return;
    this.#state = 'following';
    this.#replicatedTo(seq);
    this.disk.open({
      onDurable: (lastSeq) => this.#onDurable(lastSeq),
      onFailure: (error) => this.#onFailure(error),
      // The process may end: the log has all that was acknowledged.
      onLost: ({ error }) => this.#onFailure(error),
      onSpaceLevel: (level) => this.#onSpaceLevel(level),
    });
    this.#resolveJoined(true);
  }

  /**
   * The log has the batch by now, so its row waits for no other's sync: the journal's thread gives waiting rows one
   * sync.
   */
  #take(row: StoredBatch): void {
    try {
      replayBatch(this.store.engine, row);
      this.#checkSecret();
      this.#writing.push(row);
      this.disk.commit(row);
    } catch (thrown) {
      if (!(thrown instanceof JournalError)) throw thrown;
      this.#onFailure(thrown);
    }
  }

  /** Every machine of an exchange must be able to prove the rounds that another one opened. */
  #checkSecret(): void {
    const { engine, masterSecret, dir } = this.store;
    if (!isOtherSecret(engine.rules, masterSecret)) return;
    throw invalidSecret(
      dir.masterSecretFile,
      "is not that of the exchange that is replicated here. Empty this data directory, and put the leader's file in it.",
    );
  }

  #onDurable(lastSeq: number): void {
    if (this.#journal !== null) {
      this.#journal.written(lastSeq);
      return;
    }
    for (let row = this.#writing[0]; row !== undefined && row.lastSeq <= lastSeq; row = this.#writing[0]) {
      this.#writing.shift();
      this.#replicatedTo(row.lastSeq);
      this.#thread.post({ kind: 'taken', chars: row.commands.length });
    }
    if (this.#writing.length === 0) this.#whenIdle();
  }

  #lead(epoch: number, sequence: number): void {
    assert(this.#writing.length === 0, 'a machine leads once its disk has what it read');
    this.#state = 'leading';
    this.#logStatus.leads(epoch, sequence);
    this.#replicatedTo(this.store.engine.seq);
    const publisher = {
      publish: (batch: Parameters<JournalWriter['commit']>[0]) => {
        this.#logStatus.publishing();
        this.#thread.post({ kind: 'publish', batch });
      },
      confirm: (lastSeq: number) => this.#thread.post({ kind: 'confirm', lastSeq }),
      close: () => this.#thread.close(),
    };
    const onReplicated = (seq: number): void => this.#replicatedTo(seq);
    this.#journal = new ReplicatedJournal(
      this.disk,
      publisher,
      this.clock,
      onReplicated,
      this.#spaceLevel,
      () => this.#logStatus.isLapsed,
    );
    this.#resolveLeading(this.#journal);
  }

  #replicatedTo(seq: number): void {
    Atomics.store(this.replicatedSeq, 0, BigInt(seq));
  }

  /** A standby ends below the hard limit, while its journal can still be closed. */
  #onSpaceLevel(level: SpaceLevel): void {
    this.#spaceLevel = level;
    if (this.#journal !== null) this.#journal.spaceLevel(level);
    else if (level === 'hard')
      this.#onFailure(
        new JournalError(
          'disk_full',
          `Too little space is left on the disk of ${this.store.dir.root}. Free some, and start again.`,
        ),
      );
  }

  #onFailure(error: Error): void {
    if (this.#journal !== null) this.#journal.fail(error);
    else this.events.onFailure(error);
  }
}
