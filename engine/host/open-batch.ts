/**
 * A batch of commands that become durable together. The journal gets their text; their events are kept here for the
 * readers, and the waiters until they are released.
 */
import type { EngineEvent } from '../model/events.js';
import type { Batch } from '../model/ports.js';

export type Release = () => void;
/** The clock is read once per this many waiters. */
const RELEASED_AT_ONCE = 8;
/** Receives the events of every durable command except orders, once and in order. */
export type EventReader = (seq: number, events: readonly EngineEvent[]) => void;

export class OpenBatch {
  lastSeq: number;
  #timeMs = 0;
  #text = '';
  /** Sequence numbers and events of commands other than orders, in step. */
  readonly #seqs: number[] = [];
  readonly #events: (readonly EngineEvent[])[] = [];
  readonly #waiters: Release[] = [];
  #released = 0;

  /** `openedMs` is the monotonic time at which the first command joined. */
  constructor(
    readonly firstSeq: number,
    readonly openedMs: number,
  ) {
    this.lastSeq = firstSeq - 1;
  }

  get count(): number {
    return this.lastSeq - this.firstSeq + 1;
  }

  add(commandText: string, timeMs: number, events: readonly EngineEvent[]): void {
    this.addOrder(commandText, timeMs);
    this.#seqs.push(this.lastSeq);
    this.#events.push(events);
  }

  /** Readers get no orders: nobody but its sender waits for what one did, and they are nearly all of the commands. */
  addOrder(commandText: string, timeMs: number): void {
    this.#text += this.#text === '' ? commandText : `,${commandText}`;
    this.#timeMs = timeMs;
    this.lastSeq++;
  }

  wait(release: Release): void {
    this.#waiters.push(release);
  }

  /** The journal's row; `digest` is the engine's rolling digest after the last command. */
  row(digest: string): Batch {
    return {
      firstSeq: this.firstSeq,
      lastSeq: this.lastSeq,
      timeMs: this.#timeMs,
      commands: `[${this.#text}]`,
      digest,
    };
  }

  dispatch(readers: readonly EventReader[]): void {
    for (const reader of readers) {
      for (const [at, events] of this.#events.entries()) reader(this.#seqs[at] as number, events);
    }
  }

  /** Releases waiters in their order, some of them at least, until `shouldStop`; returns whether none is left. */
  releaseWaiters(shouldStop: () => boolean): boolean {
    while (this.#released < this.#waiters.length) {
      this.#waiters[this.#released++]?.();
      if (this.#released % RELEASED_AT_ONCE === 0 && shouldStop()) break;
    }
    return this.#released === this.#waiters.length;
  }
}
