import { KEYS_MAX } from '../../engine/model/domain.js';

/** At all gateways together. */
export const STREAMS_PER_KEY_MAX = 20;
export const MESSAGE_BYTES_MAX = 4 * 1024;
/** Further messages are refused. */
export const MESSAGES_PER_SECOND = 50;
export const FLOOD_PER_SECOND = 500;
/** Further ones are refused. Each is sent a snapshot, which costs as much as a hundred other messages. */
export const SUBSCRIPTIONS_PER_SECOND = 10;
/** In a row; then the stream ends. */
export const MISUNDERSTOOD_MAX = 10;
/** A client for whom more than this waits in memory is too slow. */
export const WAITING_BYTES_MAX = 1024 * 1024;
/** While old events are sent, which are in memory already. */
export const CATCH_UP_BYTES_MAX = 256 * 1024;
/** The library cuts off a client that gives no sign of life for 60 s, without a word. */
export const PING_MS = 15_000;
/** At the next ping without a sign of life the stream ends. */
export const UNANSWERED_PINGS_MAX = 2;
export const HEARTBEAT_MS = 1_000;
/** Bounds how often a market's or asset's newest state is sent; the first change goes out at once. */
export const FLUSH_MS = 50;

export type StreamsMemory = ReturnType<typeof streamsMemory>;
export const streamsMemory = () => ({
  open: new SharedArrayBuffer(KEYS_MAX + 1),
  heard: new SharedArrayBuffer((KEYS_MAX + 1) * Uint32Array.BYTES_PER_ELEMENT),
});

/** In memory that all threads share. */
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

  isFull(key: number): boolean {
    return Atomics.load(this.#counts, key) >= STREAMS_PER_KEY_MAX;
  }

  giveBack(key: number): void {
    Atomics.sub(this.#counts, key, 1);
  }

  hear(key: number): void {
    Atomics.add(this.#heard, key, 1);
  }

  /** Messages of the key's streams, modulo 2^32. */
  heard(key: number): number {
    return Atomics.load(this.#heard, key);
  }
}
