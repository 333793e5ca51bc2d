/** Reads the log message by message; far from its end, some messages ahead. */
import type { LogEntry, ReplicatedLog } from './replicated-log.js';

/** Asked for at a time. */
const AHEAD_MAX = 16;

export class LogReader {
  #ahead: Promise<LogEntry | null>[] = [];
  #window = 1;

  /** `sequence` is the last message that has been read. */
  constructor(
    private readonly log: Pick<ReplicatedLog, 'read'>,
    private readSequence: number,
  ) {}

  get sequence(): number {
    return this.readSequence;
  }

  /** The next message, or null at the end. Throws what reading throws; the same message is then the next one again. */
  async next(): Promise<LogEntry | null> {
    while (this.#ahead.length < this.#window) {
      const asked = this.log.read(this.readSequence + 1 + this.#ahead.length);
      // Whoever awaits it learns of its failure; if it is dropped, nobody needs to.
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
