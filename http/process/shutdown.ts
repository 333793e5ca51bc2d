/**
 * How the process ends (design, section 9): a signal drains it and exits 0; whatever makes the state or the journal
 * doubtful stops it at once and exits 1. No end sends a success that is not durable.
 */
import { assert } from '../../engine/base/assert.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import type { SpaceLevel } from '../../engine/model/ports.js';
import type { Log } from '../log/log.js';

/** What has to be done for a clean end, in the order of the calls. */
export interface Closable {
  /** Refuses orders, and resolves once every accepted command is durable. */
  drain(): Promise<void>;
  /** After `drain`: answers what waits and closes everything. */
  close(): Promise<void>;
}

/** Space on the disk of the data directory, for messages. */
export interface DiskSpace {
  readonly directory: string;
  readonly freeBytes: number;
}

/** How long commands that came before a programming error may take to become durable. */
const LAST_COMMITS_MS_MAX = 5_000;
/**
 * Signals that come closer together than this are one: Ctrl-C reaches the server from the terminal and again from
 * `npm start`.
 */
const SAME_SIGNAL_MS = 1_000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export class Shutdown {
  #closable: Closable | null = null;
  /** Monotonic time of the first signal, or null. */
  #signalledMs: number | null = null;
  #isFailing = false;

  constructor(
    private readonly log: Log,
    private readonly sameSignalMs = SAME_SIGNAL_MS,
  ) {}

  /** The server is stopping: no new work should be sent to it. */
  get isStopping(): boolean {
    return this.#signalledMs !== null || this.#isFailing;
  }

  /** Why no work should be sent to a server with so much space, or null: what is refused until somebody makes some counts. */
  whyNotReady(spaceLevel: SpaceLevel): ErrorCode | null {
    if (this.isStopping) return 'shutting_down';
    return spaceLevel === 'reserve' || spaceLevel === 'hard' ? 'disk_reserve' : null;
  }

  /** From here on signals stop the server, and errors that nobody caught are fatal. */
  watch(closable: Closable): void {
    assert(this.#closable === null, 'the ending is set up once');
    this.#closable = closable;
    for (const signal of SIGNALS) process.on(signal, () => this.#onSignal(signal));
    process.on('uncaughtException', (error) => this.programmingError(error));
    process.on('unhandledRejection', (error) => this.programmingError(error));
  }

  /** The journal cannot be trusted any more, or nothing is left to save: the end, now. */
  fatal(error: unknown): never {
    this.log.tell('failed', { err: error });
    process.exit(1);
  }

  /** The state is not to be trusted any more. Commands from before may still become durable, then it is the end. */
  programmingError(error: unknown): void {
    if (this.#isFailing) return;
    const closable = this.#closable;
    if (closable === null || this.#signalledMs !== null) this.fatal(error);
    this.#isFailing = true;
    setTimeout(() => this.fatal(error), LAST_COMMITS_MS_MAX);
    closable.drain().then(
      () => this.fatal(error),
      () => this.fatal(error),
    );
  }

  /**
   * The disk is nearly full. A journal that is closed cleanly needs no copy at the next start, so it is closed
   * while there is room for that; the exit code says that it was not asked for.
   */
  diskFull(disk: DiskSpace): void {
    if (this.isStopping || this.#closable === null) return;
    this.#isFailing = true;
    this.log.tell('disk_full', disk);
    this.#stop(this.#closable).then(
      () => process.exit(1),
      (reason: unknown) => this.fatal(reason),
    );
  }

  #onSignal(signal: NodeJS.Signals): void {
    const nowMs = performance.now();
    if (this.#signalledMs !== null) {
      if (nowMs - this.#signalledMs < this.sameSignalMs) return;
      this.log.tell('stopped_at_once', { signal });
      process.exit(1);
    }
    if (this.#isFailing || this.#closable === null) return;
    this.#signalledMs = nowMs;
    this.log.tell('stopping', { signal });
    this.#stop(this.#closable).then(
      () => {
        this.log.tell('stopped');
        process.exit(0);
      },
      (error: unknown) => this.fatal(error),
    );
  }

  async #stop(closable: Closable): Promise<void> {
    await closable.drain();
    await closable.close();
  }
}
