/**
 * One keep-alive connection of the load client: a request at a time, no pipelining.
 *
 * A request costs node:net's streams 7 us, more than the servers that are measured. So the answer is read into one
 * buffer that all connections share (`onread`, public), and the request goes to the kernel through the socket's own
 * handle (not public; where a Node version has it no longer, `socket.write` does, and the client is slower).
 * Together 4.3 us, measured against a bare handler.
 */
import { connect, type Socket } from 'node:net';
import { assert } from '../../engine/base/assert.js';
import { type Answers, WAITING } from './answers.js';

/** Large enough for any answer that is measured, so that most arrive in one piece. */
const SHARED_BYTES = 1 << 18;
const shared = Buffer.allocUnsafe(SHARED_BYTES);

export interface ConnectionEvents {
  onAnswer(connection: Connection): void;
  /** The connection is of no more use, and with it the run. */
  onFailure(error: Error): void;
}

export class Connection {
  /** When the request that is under way was meant to leave, in the run's milliseconds. */
  plannedMs = 0;
  readonly #events: ConnectionEvents;
  readonly #answers: Answers;
  readonly #socket: Socket;
  #write: (bytes: Buffer) => void = () => assert(false, 'not connected yet');
  /** Template of the request under way, or -1. */
  #template = -1;
  /** What has arrived of an answer that came in pieces. */
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

  /** Sends `bytes`, which the caller may use again at once. */
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
      if (this.#answers.judge(this.#template, bytes, end) === WAITING) {
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
    // The one request under way is far smaller than the kernel's buffer, so it has left.
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

/** Whether requests take the short way; reports say so, since figures of both ways do not compare. */
export const writesRaw = streamWrap !== null;
