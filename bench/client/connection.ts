/**
 * A keep-alive connection of the load client: one request at a time, no pipelining. Without TLS responses are read into one
 * buffer shared by all connections, since streams cost a client more than the fastest servers take for a request.
 */
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { assert } from '../../engine/base/assert.js';
import { messageOf } from '../../engine/base/attempt.js';
import { type Answers, EXPECTED, WAITING } from './answers.js';
import type { Endpoint } from './job.js';

/** Large enough for any response measured, so that most arrive in one piece. */
const SHARED_BYTES = 1 << 18;
const shared = Buffer.allocUnsafe(SHARED_BYTES);

interface ConnectionEvents {
  onReady(connection: Connection): void;
  onAnswer(connection: Connection): void;
  onFailure(error: Error, connection: Connection): void;
}

export class Connection {
  plannedMs = 0;
  /** The request in flight, or the one just answered, has this template. */
  template = 0;
  isExpected = false;
  /** The server closes it after the answer that has just come. */
  isSpent = false;
  #isBusy = false;
  readonly #events: ConnectionEvents;
  readonly #answers: Answers;
  readonly #socket: Socket;
  #pieces: Buffer | null = null;
  #arrived = 0;
  #isClosing = false;

  constructor({ host, port, isTls = false }: Endpoint, answers: Answers, events: ConnectionEvents) {
    this.#answers = answers;
    this.#events = events;
    const onReady = (): void => events.onReady(this);
    if (isTls) {
      const servername = isIP(host) === 0 ? host : '';
      this.#socket = connectTls({ host, port, servername, ALPNProtocols: ['http/1.1'] }, onReady);
      this.#socket.setNoDelay(true);
      this.#socket.on('data', (piece: Buffer) => this.#onBytes(piece, piece.length));
    } else {
      const callback = (length: number): boolean => this.#onBytes(shared, length);
      this.#socket = connect({ host, port, noDelay: true, onread: { buffer: shared, callback } }, onReady);
    }
    this.#socket.on('error', (error) => this.#fail(error.message));
    this.#socket.on('close', () => this.#fail('the server closed a connection'));
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** The caller may reuse `bytes` at once. */
  send(bytes: Buffer, template: number, plannedMs: number): void {
    assert(!this.#isBusy, 'no pipelining');
    this.#isBusy = true;
    this.template = template;
    this.plannedMs = plannedMs;
    this.#socket.write(Buffer.from(bytes));
  }

  close(): void {
    this.#isClosing = true;
    this.#socket.destroy();
  }

  #fail(message: string): void {
    if (this.#isClosing) return;
    this.close();
    this.#events.onFailure(new Error(message), this);
  }

  #onBytes(piece: Buffer, length: number): boolean {
    try {
      if (!this.#isBusy) throw new Error('bytes arrived that answer no request');
      const bytes = this.#arrived === 0 ? piece : this.#append(piece, length);
      const end = this.#arrived === 0 ? length : this.#arrived;
      const checked = this.#answers.check(this.template, bytes, end);
      if (checked === WAITING) {
        if (this.#arrived === 0) this.#append(piece, length);
        return true;
      }
      this.#arrived = 0;
      this.#isBusy = false;
      this.isExpected = checked === EXPECTED;
      this.isSpent = this.#answers.isLast;
      this.#events.onAnswer(this);
    } catch (error) {
      this.#fail(messageOf(error));
    }
    return true;
  }

  #append(piece: Buffer, length: number): Buffer {
    const needed = this.#arrived + length;
    if (this.#pieces === null || this.#pieces.length < needed) {
      const grown = Buffer.allocUnsafe(needed * 2);
      this.#pieces?.copy(grown, 0, 0, this.#arrived);
      this.#pieces = grown;
    }
    piece.copy(this.#pieces, this.#arrived, 0, length);
    this.#arrived = needed;
    return this.#pieces;
  }
}
