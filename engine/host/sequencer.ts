/**
 * The only way into the engine (design, "The way of an order"). It stamps and applies commands, collects the accepted
 * ones in batches, hands the batches to the journal one at a time, and acknowledges nothing before it is durable.
 *
 * Group commit: if the writer is idle, a batch is handed over at the end of the event-loop turn; otherwise it fills
 * until the one in flight is durable. The next batch is handed over before the waiters of the durable one are
 * released, so that the disk works while responses are sent.
 */
import { assert, fail } from '../base/assert.js';
import type { Engine } from '../engine.js';
import { encodeCommand } from '../model/command-codec.js';
import type { Command } from '../model/commands.js';
import type { ErrorCode } from '../model/errors.js';
import type { Accepted, Outcome, Rejected } from '../model/events.js';
import type { Batch, Clock, JournalWriter, SpaceLevel } from '../model/ports.js';
import type { ClockCondition, ClockGuard } from './clock-guard.js';
import { CommandClock } from './command-clock.js';
import { type EventReader, OpenBatch, type Release } from './open-batch.js';

export interface SequencerOptions {
  /** Orders are refused while this many commands are not yet durable. */
  readonly backlogCommandsMax: number;
  /** Orders are refused while a command is older than this and not yet durable. */
  readonly backlogAgeMsMax: number;
  /** A commit that takes longer than this is a fail-stop. */
  readonly commitHangMsMax: number;
  /** A batch with this many commands is closed, and the next one begins. */
  readonly batchCommandsMax: number;
  /** Runs the function at the end of this turn of the event loop. */
  readonly schedule: (run: () => void) => void;
  /** The process must end, with an error; nothing more is acknowledged. Called at most once. */
  readonly onFatal: (error: Error) => void;
  /** The disk's hard mark is reached: the journal must be drained and closed while that still fits on it. */
  readonly onDiskFull: () => void;
  /** null where the clock is moved by hand and cannot be wrong. */
  readonly clockGuard: ClockGuard | null;
}

export const SEQUENCER_DEFAULTS = {
  backlogCommandsMax: 50_000,
  backlogAgeMsMax: 1_000,
  commitHangMsMax: 30_000,
  batchCommandsMax: 1_000,
} as const;

/** A pause between two heartbeats counts as at most this much of a hang: a stopped process is no slow disk. */
const HEARTBEAT_GAP_MS_MAX = 1_000;

/** Answers go out for so long in one turn: at the end of a round hundreds of large ones wait for one batch. */
const RELEASE_MS_MAX = 2;

const STOPPED: Rejected = { status: 'rejected', code: 'shutting_down', detail: 'the server is stopping' };

/** A batch that is closed: its row was made when its last command was the engine's last. */
interface ClosedBatch {
  readonly batch: OpenBatch;
  readonly row: Batch;
}

export class Sequencer {
  readonly #closed: ClosedBatch[] = [];
  #open: OpenBatch | null = null;
  #inFlight: OpenBatch | null = null;
  /** How long the commit in flight has been seen to take. */
  #inFlightMs = 0;
  #heartbeatMs: number;
  #flushScheduled = false;
  readonly #flush: () => void;
  /** Durable batches with waiters that are not released yet, oldest first. */
  readonly #releasing: OpenBatch[] = [];
  #releaseScheduled = false;
  readonly #releaseLater: () => void;
  readonly #readers: EventReader[] = [];

  #durableSeq: number;
  /** Number of the last command that joined a batch. */
  #joinedSeq: number;
  readonly #commandClock: CommandClock;
  #spaceLevel: SpaceLevel = 'ok';
  #backlogAged = false;
  #drained: { resolve: () => void; reject: (error: Error) => void } | null = null;
  #draining = false;
  #closing = false;
  /** What broke the engine; earlier commands still become durable, then the process ends. */
  #engineError: Error | null = null;
  #failed = false;

  /** `engine` is new or recovered: everything in it is durable. */
  constructor(
    readonly engine: Engine,
    private readonly clock: Clock,
    private readonly journal: JournalWriter,
    private readonly options: SequencerOptions,
  ) {
    this.#durableSeq = engine.seq;
    this.#joinedSeq = engine.seq;
    this.#commandClock = new CommandClock(clock, options.clockGuard, engine.timeMs);
    this.#heartbeatMs = clock.monotonicMs();
    this.#flush = () => {
      this.#flushScheduled = false;
      this.#handOver();
    };
    this.#releaseLater = () => {
      this.#releaseScheduled = false;
      this.#releaseWaiters();
    };
    journal.open({
      onDurable: (lastSeq) => this.#onDurable(lastSeq),
      onFailure: (error) => this.#fail(error),
      onSpaceLevel: (level) => this.#onSpaceLevel(level),
    });
  }

  /** Number of the last durable command. */
  get durableSeq(): number {
    return this.#durableSeq;
  }
  /** Number of accepted commands that are not durable yet. */
  get backlogCommands(): number {
    return this.engine.seq - this.#durableSeq;
  }
  /** No command is accepted any more. */
  get stopped(): boolean {
    return this.#failed || this.#closing || this.#engineError !== null;
  }
  /** The server is stopping: long operations should finish early. */
  get ending(): boolean {
    return this.#draining || this.stopped;
  }
  get spaceLevel(): SpaceLevel {
    return this.#spaceLevel;
  }
  get clockCondition(): ClockCondition {
    return this.#commandClock.condition;
  }

  /** Why orders are refused now, the most serious reason first, or null. */
  get gate(): ErrorCode | null {
    if (this.#draining) return 'shutting_down';
    if (!this.#commandClock.sound) return 'clock_unsynchronised';
    if (this.#spaceLevel === 'reserve' || this.#spaceLevel === 'hard') return 'disk_reserve';
    const full = this.engine.seq - this.#durableSeq >= this.options.backlogCommandsMax;
    return full || this.#backlogAged ? 'journal_backlog' : null;
  }

  /** The time of a command submitted now, in milliseconds (see `CommandClock`). */
  stampMs(): number {
    return this.#commandClock.next();
  }

  /**
   * Applies a command stamped in this turn, after whatever is due by its time. Accepted means applied, not durable:
   * respond from `whenDurable(outcome.seq, ...)`.
   */
  submit(command: Command): Outcome {
    if (this.engine.nextDueMs <= command.timeMs && command.kind !== 'advance') {
      this.#apply({ kind: 'advance', timeMs: command.timeMs });
    }
    return this.#apply(command);
  }

  #apply(command: Command): Outcome {
    if (this.stopped) return STOPPED;
    try {
      const outcome = this.engine.apply(command, command.kind === 'placeOrder' ? this.gate : null);
      if (outcome.status === 'accepted') this.#join(command, outcome);
      return outcome;
    } catch (error) {
      this.#onEngineError(error instanceof Error ? error : new Error(String(error)));
      return STOPPED;
    }
  }

  #join(command: Command, outcome: Accepted): void {
    this.#open ??= new OpenBatch(outcome.seq, this.clock.monotonicMs());
    const batch = this.#open;
    if (command.kind === 'placeOrder') batch.addOrder(encodeCommand(command), command.timeMs);
    else batch.add(encodeCommand(command), command.timeMs, outcome.events);
    if (batch.lastSeq !== outcome.seq) fail(`command ${outcome.seq} came after ${batch.lastSeq - 1}`);
    this.#joinedSeq = outcome.seq;
    if (batch.count >= this.options.batchCommandsMax) this.#closeOpenBatch();
    if (this.#inFlight === null && !this.#flushScheduled) {
      this.#flushScheduled = true;
      this.options.schedule(this.#flush);
    }
  }

  #closeOpenBatch(): void {
    if (this.#open === null) return;
    this.#closed.push({ batch: this.#open, row: this.#open.row(this.engine.rollingDigest()) });
    this.#open = null;
  }

  /** Hands the oldest batch to the writer, if it is idle and there is one. */
  #handOver(): void {
    if (this.#failed || this.#inFlight !== null) return;
    if (this.#closed.length === 0) this.#closeOpenBatch();
    const next = this.#closed.shift();
    if (next === undefined) return;
    this.#inFlight = next.batch;
    this.#inFlightMs = 0;
    this.journal.commit(next.row);
  }

  #onDurable(lastSeq: number): void {
    if (this.#failed) return;
    const batch = this.#inFlight;
    assert(batch !== null && batch.lastSeq === lastSeq, `the journal acknowledged ${lastSeq} out of turn`);
    this.#inFlight = null;
    this.#durableSeq = lastSeq;
    this.#handOver();
    this.#updateBacklog(this.clock.monotonicMs());
    batch.dispatch(this.#readers);
    this.#releasing.push(batch);
    this.#releaseWaiters();
  }

  /** Releases who waits for what is durable: for a moment now, the rest in the next turns. */
  #releaseWaiters(): void {
    const untilMs = this.clock.monotonicMs() + RELEASE_MS_MAX;
    const shouldStop = (): boolean => this.#failed || this.clock.monotonicMs() >= untilMs;
    while (this.#releasing[0]?.releaseWaiters(shouldStop)) {
      this.#releasing.shift();
      if (this.#releasing.length > 0 && shouldStop()) break;
    }
    if (this.#releasing.length === 0) this.#endWhenIdle();
    else if (!this.#failed && !this.#releaseScheduled) {
      this.#releaseScheduled = true;
      this.options.schedule(this.#releaseLater);
    }
  }

  /**
   * Calls `release` once command `seq` is durable: at once if it is, otherwise in order. Never called after a
   * failure, nor for reads of a state that a programming error may have corrupted.
   */
  whenDurable(seq: number, release: Release): void {
    if (this.#failed || this.#engineError !== null) return;
    if (seq <= this.#durableSeq) release();
    else this.#batchWith(seq).wait(release);
  }

  #batchWith(seq: number): OpenBatch {
    if (this.#inFlight !== null && seq <= this.#inFlight.lastSeq) return this.#inFlight;
    const batch = this.#closed.find((entry) => seq <= entry.batch.lastSeq)?.batch ?? this.#open;
    if (batch === null || seq > batch.lastSeq) fail(`command ${seq} is in no batch`);
    return batch;
  }

  /** The reader gets every command but orders that becomes durable from now on, before those who wait for it. */
  onEvents(reader: EventReader): void {
    this.#readers.push(reader);
  }

  /** Looks at the clocks and at the writer; to be called several times a second. */
  heartbeat(): void {
    const monotonicMs = this.clock.monotonicMs();
    this.#commandClock.check();
    this.#updateBacklog(monotonicMs);
    const elapsedMs = Math.min(monotonicMs - this.#heartbeatMs, HEARTBEAT_GAP_MS_MAX);
    this.#heartbeatMs = monotonicMs;
    if (this.#inFlight === null) return;
    this.#inFlightMs += elapsedMs;
    if (this.#inFlightMs > this.options.commitHangMsMax) {
      this.#fail(new Error(`the journal has not answered for ${this.options.commitHangMsMax / 1_000} s`));
    }
  }

  #updateBacklog(monotonicMs: number): void {
    const oldest = this.#inFlight ?? this.#closed[0]?.batch ?? this.#open;
    this.#backlogAged = oldest !== null && monotonicMs - oldest.openedMs > this.options.backlogAgeMsMax;
  }

  /** Below the reserve only orders stop; at the hard mark the server does, with a journal that is whole. */
  #onSpaceLevel(level: SpaceLevel): void {
    this.#spaceLevel = level;
    if (level === 'hard') this.options.onDiskFull();
  }

  /** Refuses orders, and resolves once everything is durable; from then on no command is taken. */
  drain(): Promise<void> {
    assert(!this.#draining, 'the sequencer is drained once');
    this.#draining = true;
    return new Promise((resolve, reject) => {
      this.#drained = { resolve, reject };
      if (this.#failed) reject(new Error('the journal has failed'));
      else this.#endWhenIdle();
    });
  }

  /**
   * Commands before the failed one are sound, and their clients are waiting: they are still committed. If the failed
   * command had already got its number, the open batch's digest is unknown, and none of that batch is committed.
   */
  #onEngineError(error: Error): void {
    this.#engineError = error;
    if (this.engine.seq !== this.#joinedSeq) this.#open = null;
    this.#handOver();
    this.#endWhenIdle();
  }

  #endWhenIdle(): void {
    if (this.#failed || this.#inFlight !== null || this.#closed.length > 0 || this.#open !== null) return;
    if (this.#releasing.length > 0) return;
    if (this.#engineError !== null) {
      this.#fail(this.#engineError);
    } else if (this.#drained !== null) {
      this.#closing = true;
      this.#drained.resolve();
    }
  }

  #fail(error: Error): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#drained?.reject(error);
    this.options.onFatal(error);
  }
}
