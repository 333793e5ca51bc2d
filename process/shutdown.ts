/**
 * How the process ends: a signal drains it and exits 0; an error that casts doubt on state or journal stops it at once
 * and exits 1. No shutdown acknowledges commands that are not durable.
 */
import { KnownError } from '../engine/base/known-error.js';
import type { JournalLoss } from '../engine/model/ports.js';
import type { Log } from './log/log.js';

interface Closable {
  /** Refuses orders, and resolves once every accepted command is durable. */
  drain(): Promise<void>;
  /** After `drain`: answers pending requests and closes everything. */
  close(): Promise<void>;
}

/** Commands from before a programming error may take so long to become durable. */
const LAST_COMMITS_MS_MAX = 5_000;
/** From the first step of a stop to its last: less than `TimeoutStopSec` in the unit, so that the log has the reason. */
const STOP_MS_MAX = 50_000;
/** Signals closer together count as one: Ctrl-C comes from the terminal and again from `npm start`. */
const SAME_SIGNAL_MS = 1_000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export class Shutdown {
  #closable: Closable | null = null;
  #isWatching = false;
  #signalledMs: number | null = null;
  /** Somebody wants the process to end, cleanly. */
  #isEnding = false;
  #isFailing = false;
  #isBounded = false;
  #isJournalLost = false;

  constructor(
    private readonly log: Log,
    private readonly sameSignalMs = SAME_SIGNAL_MS,
    private readonly stopMsMax = STOP_MS_MAX,
  ) {}

  /** No new work should be sent to the server. */
  get isStopping(): boolean {
    return this.#isEnding || this.#isFailing;
  }

  /**
   * Signals stop the server from now on, and uncaught errors are fatal. A standby that takes over calls it again, after
   * `unwatch`: then there is more to close.
   */
  watch(closable: Closable): void {
    this.#closable = closable;
    // The start that called goes on first, as if the signal had come just now.
    if (this.#isEnding) setImmediate(() => this.#end(closable));
    if (this.#isWatching) return;
    this.#isWatching = true;
    for (const signal of SIGNALS) process.on(signal, () => this.#onSignal(signal));
    process.on('uncaughtException', (error) => this.programmingError(error));
    process.on('unhandledRejection', (error) => this.programmingError(error));
  }

  /**
   * A standby becomes a leader: half of it cannot be closed, so a stop waits until `watch` is called again, as long as
   * a stop may take.
   */
  unwatch(): void {
    this.#closable = null;
  }

  /** The journal can no longer be trusted, or nothing is left to save: exits now. */
  fatal(error: unknown): never {
    if (error instanceof KnownError)
      this.log.write(
        'failed',
        { code: error.code },
        `the server stops: nothing more is acknowledged. ${error.message}`,
      );
    else this.log.write('failed', { err: error });
    process.exit(1);
  }

  /** The state can no longer be trusted. Commands from before may still become durable, then the process exits. */
  programmingError(error: unknown): void {
    if (this.#isFailing) return;
    const closable = this.#closable;
    if (closable === null || this.#isEnding) this.fatal(error);
    this.#isFailing = true;
    const end = (): never => this.fatal(error);
    setTimeout(end, LAST_COMMITS_MS_MAX);
    closable.drain().then(end, end);
  }

  /**
   * A cleanly closed journal needs no copy at the next start, so it is closed while there is room. The exit code shows
   * that nobody asked for the shutdown. `disk` says for the log which one is full.
   */
  diskFull(disk: object): void {
    if (this.isStopping || this.#closable === null) return;
    this.#isFailing = true;
    this.log.write('disk_full', disk);
    this.#stop(this.#closable).then(
      () => process.exit(1),
      (reason: unknown) => this.fatal(reason),
    );
  }

  /** This process alone still has the journal's files: it stays up until a signal ends it, as a failure. */
  journalLost({ error, rescue }: JournalLoss): void {
    this.#isJournalLost = true;
    this.log.write('journal_lost', { err: error, rescue });
  }

  /** An operator wants the machine `to`, or any for '', to lead: the process ends as by a signal, and as cleanly. */
  handOver(to: string): void {
    if (this.isStopping) return;
    this.#isEnding = true;
    this.log.write('handover_requested', { to: to === '' ? null : to });
    this.#end(this.#closable);
  }

  #onSignal(signal: NodeJS.Signals): void {
    const nowMs = performance.now();
    if (this.#signalledMs !== null) {
      if (nowMs - this.#signalledMs < this.sameSignalMs) return;
      this.log.write('stop_forced', { signal });
      process.exit(1);
    }
    if (this.#isJournalLost) {
      this.log.write('stopped_without_journal', { signal });
      process.exit(1);
    }
    this.#signalledMs = nowMs;
    this.log.write('stopping', { signal });
    if (this.isStopping) return;
    this.#isEnding = true;
    this.#end(this.#closable);
  }

  #end(closable: Closable | null): void {
    this.#bound();
    if (closable === null) return;
    this.#stop(closable).then(
      () => {
        this.log.write('stopped');
        process.exit(0);
      },
      (error: unknown) => this.fatal(error),
    );
  }

  async #stop(closable: Closable): Promise<void> {
    this.#bound();
    await closable.drain();
    await closable.close();
  }

  /** From the first signal on, also while a stop waits for `watch`. */
  #bound(): void {
    if (this.#isBounded) return;
    this.#isBounded = true;
    const end = (): never => this.fatal(new Error(`the stop has taken ${this.stopMsMax / 1_000} s`));
    setTimeout(end, this.stopMsMax);
  }
}
