/**
 * How the process ends (design, section 9): a signal drains it and exits 0; whatever makes the state or the journal
 * doubtful stops it at once and exits 1. No end sends a success that is not durable.
 */
import { assert } from '../engine/assert.js';
import type { Log } from './log.js';

/** What has to be done for a clean end, in the order of the calls. */
export interface Closable {
  /** Refuses orders, and resolves once every accepted command is durable. */
  drain(): Promise<void>;
  /** After `drain`: answers what waits and closes everything. */
  close(): Promise<void>;
}

/** How long commands that came before a programming error may take to become durable. */
const LAST_COMMITS_MS_MAX = 5_000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export class Ending {
  #closable: Closable | null = null;
  #isStopping = false;
  #isFailing = false;

  constructor(private readonly log: Log) {}

  /** The server is stopping: no new work should be sent to it. */
  get isStopping(): boolean {
    return this.#isStopping || this.#isFailing;
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
    this.log.fatal({ err: error }, 'the server stops: nothing more is acknowledged; a restart recovers');
    process.exit(1);
  }

  /** The state is not to be trusted any more. Commands from before may still become durable, then it is the end. */
  programmingError(error: unknown): void {
    if (this.#isFailing) return;
    const closable = this.#closable;
    if (closable === null || this.#isStopping) this.fatal(error);
    this.#isFailing = true;
    setTimeout(() => this.fatal(error), LAST_COMMITS_MS_MAX);
    closable.drain().then(
      () => this.fatal(error),
      () => this.fatal(error),
    );
  }

  #onSignal(signal: NodeJS.Signals): void {
    if (this.#isStopping) {
      this.log.warn({ signal }, 'a second signal: the server ends without closing; the next start recovers');
      process.exit(1);
    }
    if (this.#isFailing || this.#closable === null) return;
    this.#isStopping = true;
    this.log.info({ signal }, 'stopping');
    this.#stop(this.#closable).then(
      () => {
        this.log.info('stopped');
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
