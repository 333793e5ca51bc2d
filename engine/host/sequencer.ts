/**
 * The only way into the engine: stamps and applies commands, collects the accepted ones in batches, hands the batches
 * to the journal one at a time, and acknowledges nothing before it is durable. Group commit: an idle writer gets a
 * batch once the requests at hand are executed; otherwise the batch fills until the one in flight is durable. The next
 * one is handed over before the waiters of the durable one are released: the disk works while responses are sent.
 */
import { assert } from '../base/assert.js';
import { KnownError } from '../base/known-error.js';
import type { Engine } from '../engine.js';
import type { Command, OrderGuards, SubmittedCommand } from '../model/commands.js';
import { NO_LIMIT } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { Outcome, Rejected } from '../model/events.js';
import type { Clock, JournalLoss, JournalWriter, SpaceLevel } from '../model/ports.js';
import { BatchQueue } from './batch-queue.js';
import { CommandClock } from './command-clock.js';
import {
  type AppliedReader,
  type BatchReader,
  type BetReader,
  type EndReader,
  type EventReader,
  NOT_WAITED,
  type Release,
} from './open-batch.js';
import { ReleaseQueue } from './release-queue.js';
import type { SequencerOptions, Stage } from './sequencer-options.js';

const ignore = (): void => undefined;
/** Orders are refused while a command is older than this and not durable. */
const BACKLOG_AGE_MS_MAX = 1_000;
const COMMIT_HANG_MS_MAX = 30_000;
const HANG_TEXT = `for ${COMMIT_HANG_MS_MAX / 1_000} s`;
const DISK_HANGS = new KnownError(
  'journal_hangs',
  `The disk of the journal has not answered ${HANG_TEXT}. See what ails it, then start again: the restart recovers every acknowledged order.`,
);
const LOG_AWAY = new KnownError(
  'replication_away',
  `The stop waits no longer: the NATS servers have taken nothing ${HANG_TEXT}. The last replication_away in the log says why. What only this disk ` +
    'has was acknowledged to nobody.',
);
/** A pause between two heartbeats counts at most this much: a suspended process is not a slow disk. */
const PAUSE_MS_MAX = 1_000;
const STOPPED: Rejected = { status: 'rejected', code: 'shutting_down', detail: 'the server is stopping' };
export const LOST: Rejected = {
  status: 'rejected',
  code: 'journal_unavailable',
  detail: 'nothing can be put on record until an operator has acted',
};

export class Sequencer {
  readonly #batches: BatchQueue;
  /** How long the commit in flight has taken: a disk that hangs must stop the server. */
  #commitTookMs = 0;
  #sampledMs: number;
  #flushScheduled = false;
  readonly #flush: () => void;
  readonly #releasing: ReleaseQueue;
  readonly #readers: BatchReader[] = [];
  #durableSeq: number;
  #joinedSeq: number;
  readonly #commandClock: CommandClock;
  #spaceLevel: SpaceLevel = 'ok';
  #backlogAged = false;
  #stage: Stage = 'running';
  #drained: { resolve: () => void; reject: (error: Error) => void } | null = null;
  #engineError: Error | null = null;

  /** `engine` is new or recovered: everything in it is durable. */
  constructor(
    readonly engine: Engine,
    private readonly clock: Clock,
    private readonly journal: JournalWriter,
    private readonly options: SequencerOptions,
  ) {
    this.#durableSeq = engine.seq;
    this.#joinedSeq = engine.seq;
    this.#batches = new BatchQueue(options.batchCommandsMax, clock, () => engine.rollingDigest());
    this.#commandClock = new CommandClock(clock, options.clockGuard, engine.timeMs);
    this.#sampledMs = clock.monotonicMs();
    this.#flush = () => {
      this.#flushScheduled = false;
      this.#handOver(this.clock.monotonicMs());
    };
    this.#releasing = new ReleaseQueue({ ...options, clock, onEmpty: () => this.#endWhenIdle() });
    journal.open({
      onDurable: (lastSeq) => this.#onDurable(lastSeq),
      onFailure: (error) => this.#fail(error),
      onLost: (loss) => this.#lose(loss),
      onSpaceLevel: (level) => {
        this.#spaceLevel = level;
        // At the reserve only orders stop; at the hard limit the server does, with an intact journal.
        if (level === 'hard') options.onDiskFull();
      },
    });
  }

  get durableSeq(): number {
    return this.#durableSeq;
  }
  get backlogCommands(): number {
    return this.engine.seq - this.#durableSeq;
  }
  get stopped(): boolean {
    return this.#stage !== 'running' && this.#stage !== 'draining';
  }
  /** Long operations should finish early. */
  get ending(): boolean {
    return this.#stage !== 'running';
  }
  /** The journal's files were deleted or replaced. The process stays up, but accepts no command any more. */
  get isLost(): boolean {
    return this.#stage === 'lost';
  }
  /** Another machine may have placed orders that this one does not know. */
  get mayBeSucceeded(): boolean {
    return this.journal.mayBeSucceeded === true;
  }
  get spaceLevel(): SpaceLevel {
    return this.#spaceLevel;
  }
  get wallClock(): Pick<CommandClock, 'condition' | 'nowMs' | 'offsetMs' | 'believe'> {
    return this.#commandClock;
  }

  /** Why orders are refused now, the most serious reason first, or null. */
  get gate(): ErrorCode | null {
    if (this.isLost) return LOST.code;
    if (this.#stage !== 'running') return STOPPED.code;
    if (!this.#commandClock.sound) return 'clock_unsynchronised';
    if (this.#spaceLevel === 'reserve' || this.#spaceLevel === 'hard') return 'disk_reserve';
    return this.isBacklogged ? 'journal_backlog' : null;
  }
  /** Whether so much waits to become durable, or for so long, that nothing more should wait for it. */
  get isBacklogged(): boolean {
    const isFull = this.backlogCommands >= this.options.backlogCommandsMax;
    return !this.isLost && (isFull || this.#backlogAged);
  }

  /** Stands still while the server stops. */
  stampMs(): number {
    const isStopping = this.#stage === 'draining' || this.#stage === 'drained';
    return isStopping ? this.engine.timeMs : this.#commandClock.next();
  }

  /** Executes locks and ends of rounds due by `timeMs`, so that no command sees a round past its time. */
  advance(timeMs: number): void {
    if (this.engine.nextDueMs > timeMs || this.stopped) return;
    const { status } = this.#apply({ kind: 'advance', timeMs }, null);
    assert(status === 'accepted' || this.stopped, `what was due by ${timeMs} is ${status}`);
  }

  /**
   * Applies a command stamped in this turn, once everything due by its time is done; `guards` are those of an order.
   * Accepted means applied, not durable: respond from `whenDurable(outcome.seq, ...)`.
   */
  submit(command: SubmittedCommand, guards: OrderGuards | null = null): Outcome {
    // The time must be on record before anything that follows from it.
    if (command.kind !== 'moveClock') this.advance(command.timeMs);
    return this.#apply(command, guards);
  }

  #apply(command: Command, guards: OrderGuards | null): Outcome {
    if (this.stopped) return this.isLost ? LOST : STOPPED;
    const isOrder = command.kind === 'placeOrder';
    try {
      const outcome = isOrder
        ? this.engine.placeOrder(command, this.gate, guards)
        : this.engine.apply(command, this.gate, guards);
      this.options.meter.command(command.kind, outcome.status);
      if (outcome.status !== 'accepted') return outcome;
      const batch = this.#batches.open(outcome.seq);
      if (isOrder && command.limitOddsE4 === NO_LIMIT && outcome.events.length === 1)
        batch.addOrder(command, outcome.events);
      else {
        batch.add(command, outcome.events);
        for (const { applied } of this.#readers) applied(outcome.events);
      }
      this.#joined(outcome.seq);
      return outcome;
    } catch (error) {
      return this.#onEngineError(error);
    }
  }

  #joined(seq: number): void {
    this.#batches.joined(seq);
    this.#joinedSeq = seq;
    if (this.#batches.isInFlight || this.#flushScheduled) return;
    this.#flushScheduled = true;
    this.options.afterWork(this.#flush);
  }

  #handOver(nowMs: number): void {
    if (this.#stage === 'failed' || this.isLost || this.#batches.isInFlight) return;
    const row = this.#batches.next(nowMs);
    if (row === null) return;
    this.#commitTookMs = 0;
    this.journal.commit(row);
  }

  #onDurable(lastSeq: number): void {
    if (this.#stage === 'failed' || this.isLost) return;
    const nowMs = this.clock.monotonicMs();
    const batch = this.#batches.acknowledge(lastSeq, nowMs, this.journal.writtenMs ?? 0);
    this.#durableSeq = lastSeq;
    this.#handOver(nowMs);
    this.#updateBacklog(nowMs);
    this.options.meter.batch(batch.count, nowMs - batch.handedOverMs);
    batch.dispatch(this.#readers);
    this.#releasing.push(batch);
  }

  /**
   * Calls `release` once command `seq` is durable: at once if it is, otherwise in order. Never called after a
   * failure, nor for reads of a state that a programming error may have corrupted. If the journal's files are lost before the
   * command was written, `refuse` is called instead.
   */
  whenDurable(seq: number, release: Release, refuse: () => void = ignore): void {
    if (this.#stage === 'broken' || this.#stage === 'failed') return;
    if (seq <= this.#durableSeq) release(NOT_WAITED);
    else if (this.isLost) refuse();
    else this.#batches.with(seq).wait(release, refuse);
  }

  /** The readers receive all that becomes durable from now on, before the waiters are released. */
  onEvents(
    events: EventReader,
    bets: BetReader = ignore,
    end: EndReader = ignore,
    applied: AppliedReader = ignore,
  ): void {
    this.#readers.push({ events, bets, end, applied });
  }

  /** Call several times a second. */
  heartbeat(): void {
    const monotonicMs = this.clock.monotonicMs();
    this.#commandClock.check();
    this.#updateBacklog(monotonicMs);
    // The server waits for a log that is away, but not once it is told to stop.
    const mayHang = this.journal.awaitsLog === true && this.#stage === 'running';
    const passedMs = Math.min(monotonicMs - this.#sampledMs, PAUSE_MS_MAX);
    this.#sampledMs = monotonicMs;
    if (!this.#batches.isInFlight || mayHang) return;
    this.#commitTookMs += passedMs;
    if (this.#commitTookMs <= COMMIT_HANG_MS_MAX) return;
    this.#fail(this.journal.awaitsLog === true ? LOG_AWAY : DISK_HANGS);
  }

  #updateBacklog(monotonicMs: number): void {
    this.#backlogAged = this.#batches.ageMs(monotonicMs) > BACKLOG_AGE_MS_MAX;
  }

  /** Rejects orders, and resolves once everything is durable. From then on no command is accepted. */
  drain(): Promise<void> {
    assert(this.#drained === null, 'the sequencer is drained once');
    if (this.#stage === 'running') {
      this.#keepTime();
      this.#stage = 'draining';
    }
    return new Promise((resolve, reject) => {
      this.#drained = { resolve, reject };
      if (this.#stage === 'failed' || this.isLost) reject(new Error('the journal has failed'));
      else this.#endWhenIdle();
    });
  }

  /**
   * Who goes on, with whichever clock, begins there: an order that was refused as too late stays so. Where another machine
   * may lead, none was.
   */
  #keepTime(): void {
    if (this.mayBeSucceeded) return;
    const timeMs = this.stampMs();
    this.advance(timeMs);
    if (timeMs > this.engine.timeMs) this.#apply({ kind: 'moveClock', timeMs }, null);
  }

  /**
   * Commands before the failed one are sound, and their clients are waiting: they are still committed. If the failed
   * command had already got its number, the open batch's digest is unknown, and none of that batch is committed.
   */
  #onEngineError(thrown: unknown): Rejected {
    this.#stage = 'broken';
    this.#engineError = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (this.engine.seq !== this.#joinedSeq) this.#batches.dropOpen();
    this.#endWhenIdle();
    return STOPPED;
  }

  #endWhenIdle(): void {
    if (this.#stage !== 'draining' && this.#stage !== 'broken') return;
    if (!this.#batches.isEmpty || !this.#releasing.isEmpty) return;
    if (this.#engineError === null) {
      this.#stage = 'drained';
      this.#drained?.resolve();
    } else this.#fail(this.#engineError);
  }

  /** Reads go on, but not of commands that were never written: the state is ahead of the journal by these. */
  #lose(loss: JournalLoss): void {
    if (this.#stage !== 'running') {
      this.#fail(loss.error);
      return;
    }
    this.#stage = 'lost';
    this.options.onJournalLost(loss);
    this.#batches.refuseAfter(loss.heldSeq);
  }

  #fail(error: Error): void {
    if (this.#stage === 'failed') return;
    this.#stage = 'failed';
    this.#releasing.stop();
    this.#drained?.reject(error);
    this.options.onFatal(error);
  }
}
