/** The bounds of streams, and the count of each key's. */
import { KEYS_MAX } from '../board/rights.js';

/** Open streams of one key, at all gateways together. */
export const STREAMS_PER_KEY_MAX = 20;
/** Bytes of a message that a client sends. */
export const MESSAGE_BYTES_MAX = 4 * 1024;
/** Messages of a connection in a second; more are refused. */
export const MESSAGES_PER_SECOND = 50;
/** So many in a second end the stream. */
export const FLOOD_PER_SECOND = 500;
/** Messages in a row that are not understood end the stream. */
export const MISUNDERSTOOD_MAX = 10;
/** A client for whom more than this waits in memory is too slow. */
export const WAITING_BYTES_MAX = 1024 * 1024;
/** What waits while old events are sent, which are in memory already. */
export const CATCH_UP_BYTES_MAX = 256 * 1024;
/** How often each client is asked for a sign of life; the library cuts off one that gives none for 60 s, without a word. */
export const PING_MS = 15_000;
/** Pings in a row without a sign of life; at the next one the stream ends. */
export const UNANSWERED_PINGS_MAX = 2;
export const HEARTBEAT_MS = 1_000;
/** How often one market's or asset's newest state is sent at most; the first change goes out at once. */
export const FLUSH_MS = 50;

export interface StreamsMemory {
  readonly open: SharedArrayBuffer;
  readonly heard: SharedArrayBuffer;
}

export const streamsMemory = (): StreamsMemory => ({
  open: new SharedArrayBuffer(KEYS_MAX + 1),
  heard: new SharedArrayBuffer((KEYS_MAX + 1) * Uint32Array.BYTES_PER_ELEMENT),
});

/** Open streams by key, and their messages, in memory that all threads share. */
export class StreamCounts {
  readonly #counts: Uint8Array;
  readonly #heard: Uint32Array;

  constructor({ open, heard }: StreamsMemory) {
    this.#counts = new Uint8Array(open);
    this.#heard = new Uint32Array(heard);
  }

  /** Returns false, and counts nothing, if the key has as many as it may. */
  take(key: number): boolean {
    if (Atomics.add(this.#counts, key, 1) < STREAMS_PER_KEY_MAX) return true;
    this.giveBack(key);
    return false;
  }

  giveBack(key: number): void {
    Atomics.sub(this.#counts, key, 1);
  }

  /** A stream of the key has sent a message. */
  hear(key: number): void {
    Atomics.add(this.#heard, key, 1);
  }

  /** Messages of the key's streams, modulo 2^32. */
  heard(key: number): number {
    return Atomics.load(this.#heard, key);
  }
}

/** Counts a connection's messages, second by second. */
export class MessageRate {
  #secondBeganMs = Number.NEGATIVE_INFINITY;
  #messages = 0;

  /** Counts a message at this monotonic time. Returns how many there were in its second. */
  count(nowMs: number): number {
    if (nowMs - this.#secondBeganMs >= 1_000) {
      this.#secondBeganMs = nowMs;
      this.#messages = 0;
    }
    this.#messages += 1;
    return this.#messages;
  }
}
