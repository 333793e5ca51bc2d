/**
 * Commands that become durable together. The journal gets their text; their events are kept here for the readers, and
 * the waiters until they are released.
 */
import { assert } from '../base/assert.js';
import type { TextWriter } from '../base/text-writer.js';
import { writeCommand, writePlaceOrder } from '../model/command-codec.js';
import type { Command, PlaceOrder } from '../model/commands.js';
import type { BetPlaced, EngineEvent } from '../model/events.js';
import type { Batch } from '../model/ports.js';

/** In monotonic milliseconds. */
export interface CommitTimes {
  readonly handedOverMs: number;
  /** When the disk of this machine had it, and a replicated log perhaps not; 0 where nothing is replicated. */
  readonly writtenMs: number;
  readonly durableMs: number;
}
/** For commands that were durable before anybody waited. */
export const NOT_WAITED: CommitTimes = { handedOverMs: 0, writtenMs: 0, durableMs: 0 };
export type Release = (times: CommitTimes) => void;
/** The clock is read once per this many waiters. */
const RELEASED_AT_ONCE = 8;
const OPEN = 0x5b;
const COMMA = 0x2c;
const CLOSE = 0x5d;
/** Receives, once and in order, the events of every durable command except orders that only place a bet. */
export type EventReader = (seq: number, events: readonly EngineEvent[]) => void;
/** Receives every durable bet of these orders once and in order, a batch at a time, after the batch's other events. */
export type BetReader = (bets: readonly BetPlaced[]) => void;
export type EndReader = (firstSeq: number, lastSeq: number) => void;
/** Receives the same events as `EventReader` once they are applied, while the engine still has what they name. */
export type AppliedReader = (events: readonly EngineEvent[]) => void;
export interface BatchReader {
  readonly applied: AppliedReader;
  readonly events: EventReader;
  readonly bets: BetReader;
  readonly end: EndReader;
}

export class OpenBatch implements CommitTimes {
  lastSeq: number;
  handedOverMs = 0;
  writtenMs = 0;
  durableMs = 0;
  #timeMs = 0;
  /** Commands other than orders, in step with `#events`. */
  readonly #seqs: number[] = [];
  readonly #events: (readonly EngineEvent[])[] = [];
  readonly #bets: BetPlaced[] = [];
  readonly #waiters: Release[] = [];
  readonly #refusals: (() => void)[] = [];
  #released = 0;

  /** `openedMs` is monotonic. `text` is the batch's alone until its row has been made. */
  constructor(
    readonly firstSeq: number,
    readonly openedMs: number,
    private readonly text: TextWriter,
  ) {
    this.lastSeq = firstSeq - 1;
    text.clear();
    text.byte(OPEN);
  }

  get count(): number {
    return this.lastSeq - this.firstSeq + 1;
  }

  add(command: Command, events: readonly EngineEvent[]): void {
    this.#join(command.timeMs);
    writeCommand(this.text, command);
    this.#seqs.push(this.lastSeq);
    this.#events.push(events);
  }

  /** Nearly all commands are orders, so their events are stored without an array for each. */
  addOrder(order: PlaceOrder, [bet]: readonly EngineEvent[]): void {
    assert(bet?.type === 'betPlaced', 'an order places a bet');
    this.#join(order.timeMs);
    writePlaceOrder(this.text, order);
    this.#bets.push(bet);
  }

  #join(timeMs: number): void {
    if (this.count > 0) this.text.byte(COMMA);
    this.#timeMs = timeMs;
    this.lastSeq++;
  }

  /** Either `release` is called, or `refuse`, or neither. */
  wait(release: Release, refuse: () => void): void {
    this.#waiters.push(release);
    this.#refusals.push(refuse);
  }

  refuseWaiters(): void {
    for (const refuse of this.#refusals) refuse();
  }

  row(digest: string): Batch {
    this.text.byte(CLOSE);
    return {
      firstSeq: this.firstSeq,
      lastSeq: this.lastSeq,
      timeMs: this.#timeMs,
      commands: this.text.toString(),
      digest,
    };
  }

  dispatch(readers: readonly BatchReader[]): void {
    for (const { events: readEvents, bets: readBets, end } of readers) {
      for (const [at, events] of this.#events.entries()) readEvents(this.#seqs[at] as number, events);
      if (this.#bets.length > 0) readBets(this.#bets);
      end(this.firstSeq, this.lastSeq);
    }
  }

  /** Releases waiters in order, at least a few, until `shouldStop`. Returns whether none is left. */
  releaseWaiters(shouldStop: () => boolean): boolean {
    while (this.#released < this.#waiters.length) {
      this.#waiters[this.#released++]?.(this);
      if (this.#released % RELEASED_AT_ONCE === 0 && shouldStop()) break;
    }
    return this.#released === this.#waiters.length;
  }
}
