/**
 * A keep-alive connection of the load client: one request at a time, no pipelining.
 *
 * node:net's streams cost the client more per request than the fastest servers under test (docs/performance.md). So
 * responses are read into one buffer shared by all connections (`onread`, public), and requests are written through
 * the socket's own handle. The handle is not public API; where Node lacks it, `socket.write` is used, and the client
 * is slower.
 */
import { connect, type Socket } from 'node:net';
import { assert } from '../../engine/base/assert.js';
import { type Answers, WAITING } from './answers.js';

/** Large enough for any response measured, so that most arrive in one piece. */
const SHARED_BYTES = 1 << 18;
const shared = Buffer.allocUnsafe(SHARED_BYTES);

export interface ConnectionEvents {
  onAnswer(connection: Connection): void;
  /** The connection has failed, and with it the run. */
  onFailure(error: Error): void;
}

export class Connection {
  /** When the request in flight was due, in the run's milliseconds. */
  plannedMs = 0;
  readonly #events: ConnectionEvents;
  readonly #answers: Answers;
  readonly #socket: Socket;
  #write: (bytes: Buffer) => void = () => assert(false, 'not connected yet');
  /** Template of the request in flight, or -1. */
  #template = -1;
  /** What has arrived of a response that came in pieces. */
  #pieces: Buffer | null = null;
  #arrived = 0;
  #closing = false;

  constructor(host: string, port: number, answers: Answers, events: ConnectionEvents, onReady: () => void) {
    this.#answers = answers;
    this.#events = events;
    this.#socket = connect({
      host,
      port,
      noDelay: true,
      onread: { buffer: shared, callback: (length) => this.#onBytes(length) },
    });
    this.#socket.once('connect', () => {
      this.#write = rawWriter(this.#socket);
      onReady();
    });
    this.#socket.on('error', (error) => this.#fail(error.message));
    this.#socket.on('close', () => this.#fail('the server closed a connection'));
  }

  /** Sends `bytes`. The caller may reuse them at once. */
  send(bytes: Buffer, template: number, plannedMs: number): void {
    assert(this.#template < 0, 'no pipelining');
    this.#template = template;
    this.plannedMs = plannedMs;
    this.#write(bytes);
  }

  close(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  #fail(message: string): void {
    if (this.#closing) return;
    this.close();
    this.#events.onFailure(new Error(message));
  }

  #onBytes(length: number): boolean {
    try {
      if (this.#template < 0) throw new Error('bytes arrived that answer no request');
      const bytes = this.#arrived === 0 ? shared : this.#append(length);
      const end = this.#arrived === 0 ? length : this.#arrived;
      if (this.#answers.check(this.#template, bytes, end) === WAITING) {
        if (this.#arrived === 0) this.#append(length);
        return true;
      }
      this.#arrived = 0;
      this.#template = -1;
      this.#events.onAnswer(this);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
    return true;
  }

  #append(length: number): Buffer {
    const needed = this.#arrived + length;
    if (this.#pieces === null || this.#pieces.length < needed) {
      const grown = Buffer.allocUnsafe(needed * 2);
      this.#pieces?.copy(grown, 0, 0, this.#arrived);
      this.#pieces = grown;
    }
    shared.copy(this.#pieces, this.#arrived, 0, length);
    this.#arrived = needed;
    return this.#pieces;
  }
}

/** The part of Node's `tcp_wrap` and `stream_wrap` that a synchronous write needs. */
interface RawHandle {
  writeBuffer(request: object, bytes: Buffer): number;
}
interface StreamWrap {
  readonly WriteWrap: new () => object;
  readonly kLastWriteWasAsync: number;
  readonly streamBaseState: Int32Array;
}

function rawWriter(socket: Socket): (bytes: Buffer) => void {
  const handle: unknown = Reflect.get(socket, '_handle');
  if (!isRawHandle(handle) || streamWrap === null) {
    return (bytes) => {
      socket.write(Buffer.from(bytes));
    };
  }
  const { WriteWrap, kLastWriteWasAsync, streamBaseState } = streamWrap;
  const request = new WriteWrap();
  return (bytes) => {
    const failed = handle.writeBuffer(request, bytes);
    if (failed !== 0) throw new Error(`a write failed with ${failed}`);
    // The only request in flight is far smaller than the kernel's buffer, so it has been sent.
    assert(streamBaseState[kLastWriteWasAsync] === 0, 'a write left at once');
  };
}

const streamWrap = findStreamWrap();

function findStreamWrap(): StreamWrap | null {
  const binding: unknown = Reflect.get(process, 'binding');
  if (typeof binding !== 'function') return null;
  try {
    const found: unknown = Reflect.apply(binding, process, ['stream_wrap']);
    return isStreamWrap(found) ? found : null;
  } catch {
    return null;
  }
}

function isRawHandle(value: unknown): value is RawHandle {
  return (
    typeof value === 'object' && value !== null && typeof Reflect.get(value, 'writeBuffer') === 'function'
  );
}

function isStreamWrap(value: unknown): value is StreamWrap {
  if (typeof value !== 'object' || value === null) return false;
  return (
    typeof Reflect.get(value, 'WriteWrap') === 'function' &&
    typeof Reflect.get(value, 'kLastWriteWasAsync') === 'number' &&
    Reflect.get(value, 'streamBaseState') instanceof Int32Array
  );
}

/** Whether requests use the socket's handle. Reports say so: figures with and without are not comparable. */
export const writesRaw = streamWrap !== null;
