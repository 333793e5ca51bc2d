/**
 * A process at the replicated log, on the engine's thread: it follows into the recovered engine and the journal until it
 * leads, and then has the journal that its commands go to.
 */
import { must } from '../../engine/base/assert.js';
import type { JournalWriter, SpaceLevel } from '../../engine/model/ports.js';
import { masterSecretFingerprint } from '../data-dir/secrets.js';
import { JournalError } from '../errors.js';
import type { Store } from '../recovery/open-store.js';
import { Following } from './following.js';
import { HandedDisk } from './handed-disk.js';
import type { FollowStatus } from './log/follow-status.js';
import { LogFacts, type LogView } from './log-facts.js';
import type { FromReplication } from './messages.js';
import { type LeaseClock, type Publisher, ReplicatedJournal } from './replicated-journal.js';
import type { ReplicationEvents, ReplicationLink } from './thread.js';

export interface MembershipEvents {
  /** The journal's place in the log was found. From here on the archive may be opened. */
  onJoined(): void;
  onStatus(status: FollowStatus): void;
  /** The log gives no answer, for this reason; null once it does again. */
  onTrouble(reason: string | null): void;
  /** The log has a batch that was handed over so many milliseconds ago. */
  onPublished(tookMs: number): void;
  /** An operator asks this leader to hand over to another machine. */
  onHandOver(to: string): void;
  /** The process must end. Once it leads, the journal's own events tell that. */
  onFailure(error: Error): void;
}

export class Membership {
  /** The last command that is in the log as well as on the disk: the archive's thread goes no further. */
  readonly replicatedSeq = new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
  readonly #facts: LogFacts;
  readonly #thread: ReplicationLink;
  readonly #disk: HandedDisk;
  #following: Following | null = null;
  #leading: ReplicatedJournal | null = null;
  /** Whom an operator has named as the next leader. */
  #successor = '';
  #status: FollowStatus | null = null;
  /** It follows no further, and will not lead. */
  #isClosing = false;
  #settle: ((journal: ReplicatedJournal | null) => void) | null = null;
  readonly #joined: Promise<ReplicatedJournal | null>;

  /** `disk` writes the journal of `store`, and has not been opened. */
  constructor(
    private readonly store: Pick<Store, 'engine' | 'masterSecret' | 'dir'>,
    disk: JournalWriter,
    startThread: (events: ReplicationEvents) => ReplicationLink,
    private readonly clock: LeaseClock,
    private readonly events: MembershipEvents,
  ) {
    this.#disk = new HandedDisk(disk);
    this.#facts = new LogFacts(clock.leaseMs, clock.monotonicMs);
    this.#joined = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#thread = startThread({
      onTold: (message) => this.#onTold(message),
      onFailure: (error) => this.#onFailure(error),
    });
  }

  /**
   * The journal of a leader, once this process leads; null where the journal's last batch must be taken back first. Nothing
   * has been written then.
   */
  untilLeading(): Promise<ReplicatedJournal | null> {
    return this.#joined;
  }

  /** What is known of the log and of who else is there. */
  get log(): LogView {
    return this.#facts.view();
  }
  /** What is known of the log; null until something is, and not renewed once this process leads. */
  get following(): FollowStatus | null {
    return this.#status;
  }

  /** Snapshots hold everything up to command `seq`. */
  covered(seq: number): void {
    if (this.#leading !== null) this.#thread.post({ kind: 'covered', seq });
  }

  /** Nothing more will be published: a standby may take over at once. */
  release(): void {
    this.#thread.post({ kind: 'release', successor: this.#successor });
  }

  /** Of a process that follows: resolves once its files are closed. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const following = this.#following;
    if (following !== null) {
      await new Promise<void>((resolve) => following.whenIdle(resolve));
      await this.#disk.close();
    }
    await this.#thread.close();
  }

  #onTold(message: Exclude<FromReplication, { kind: 'failed' | 'closed' }>): void {
    switch (message.kind) {
      case 'unpublished':
        void this.#thread.close().then(() => this.#settle?.(null));
        break;
      case 'joined':
        this.#join(message.seq);
        break;
      case 'batch':
        if (!this.#isClosing) this.#take(message.row);
        break;
      case 'following':
        this.#status = message.status;
        this.#facts.followed(message.status);
        this.events.onStatus(message.status);
        break;
      case 'leading':
        if (!this.#isClosing) this.#lead(message.epoch, message.sequence);
        break;
      case 'published':
        this.events.onPublished(this.#facts.published(message.sequence));
        must(this.#leading, 'the journal of a leader').published(message.lastSeq);
        break;
      case 'confirmed':
        must(this.#leading, 'the journal of a leader').confirmed(message.lastSeq);
        break;
      case 'renewed':
        this.#facts.renewed();
        break;
      case 'standby':
        this.#facts.heard(message.report);
        break;
      case 'handOver':
        this.#successor = message.to;
        this.events.onHandOver(message.to);
        break;
      case 'trouble':
        this.#facts.inTrouble(message.reason);
        this.events.onTrouble(message.reason);
    }
  }

  #join(seq: number): void {
    this.#replicatedTo(seq);
    const following = new Following(this.store.engine, this.#disk, ({ lastSeq, commands }) => {
      this.#replicatedTo(lastSeq);
      this.#thread.post({ kind: 'taken', chars: commands.length });
    });
    this.#following = following;
    this.#disk.open({
      onDurable: (lastSeq) => following.onDurable(lastSeq),
      onFailure: (error) => this.#onFailure(error),
      onSpaceLevel: (level) => this.#onSpace(level),
    });
    this.events.onJoined();
  }

  #take(row: Parameters<Following['take']>[0]): void {
    try {
      must(this.#following, 'a place in the log').take(row);
      this.#checkSecret();
    } catch (thrown) {
      if (!(thrown instanceof JournalError)) throw thrown;
      this.#onFailure(thrown);
    }
  }

  /** All machines of an exchange have one master secret: the rounds that one opens, another must be able to prove. */
  #checkSecret(): void {
    const { engine, masterSecret, dir } = this.store;
    const inForce = engine.rules?.masterSecretFingerprint;
    if (inForce === undefined || inForce === masterSecretFingerprint(masterSecret)) return;
    throw new JournalError(
      'secret_invalid',
      `The file ${dir.masterSecretFile} is not that of the exchange that is replicated here. Empty this data directory, and put the leader's file in it.`,
    );
  }

  #lead(epoch: number, sequence: number): void {
    this.#facts.leads(epoch, sequence);
    must(this.#following, 'a place in the log').whenIdle(() => {
      this.#following = null;
      this.#replicatedTo(this.store.engine.seq);
      const publisher: Publisher = {
        publish: (batch) => {
          this.#facts.publishing();
          this.#thread.post({ kind: 'publish', batch });
        },
        confirm: (lastSeq) => this.#thread.post({ kind: 'confirm', lastSeq }),
        close: () => this.#thread.close(),
      };
      const onReplicated = (seq: number): void => this.#replicatedTo(seq);
      this.#leading = new ReplicatedJournal(this.#disk, publisher, this.clock, onReplicated);
      this.#settle?.(this.#leading);
    });
  }

  #replicatedTo(seq: number): void {
    Atomics.store(this.replicatedSeq, 0, BigInt(seq));
  }

  /** Below the hard limit the journal could not be closed any more. */
  #onSpace(level: SpaceLevel): void {
    if (level !== 'hard') return;
    this.#onFailure(
      new JournalError(
        'disk_full',
        `Too little space is left on the disk of ${this.store.dir.root}. Free some, and start again.`,
      ),
    );
  }

  #onFailure(error: Error): void {
    if (this.#leading !== null) this.#leading.fail(error);
    else this.events.onFailure(error);
  }
}
