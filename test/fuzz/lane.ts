/**
 * Sends requests one after the other. Framed requests share a keep-alive connection, because a server that took one
 * for two would answer the next one wrongly; every broken one gets a connection of its own.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Answer, takeAnswer } from './answers.js';
import type { Prepared } from './requests.js';

export type Outcome = readonly Answer[];

/** A server that is silent for this long hangs. Its own limits on slow requests are shorter. */
const SILENCE_MS_MAX = 30_000;

export class Lane {
  #socket: Socket | null = null;

  constructor(private readonly port: number) {}

  exchange(prepared: Prepared): Promise<Outcome> {
    return prepared.isFramed ? this.#framed(prepared) : this.#raw(prepared);
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  async #framed(prepared: Prepared): Promise<Outcome> {
    const socket = await this.#connected();
    return new Promise((resolve, reject) => {
      let received: Buffer = Buffer.alloc(0);
      const finish = (act: () => void): void => {
        socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('timeout');
        act();
      };
      socket.on('data', (bytes: Buffer) => {
        received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
        try {
          const taken = takeAnswer(received, 0, prepared.method === 'HEAD');
          if (taken === null) return;
          if (taken.end !== received.length) throw new Error('more than one answer to one request');
          if (taken.answer.headers.get('connection') === 'close') this.close();
          finish(() => resolve([taken.answer]));
        } catch (error) {
          finish(() => reject(error));
        }
      });
      socket.on('close', () =>
        finish(() => reject(new Error('closed without an answer to a framed request'))),
      );
      socket.on('timeout', () => finish(() => reject(new Error('no answer: the server hangs'))));
      socket.write(prepared.bytes);
    });
  }

  /** Closes the client's end at once: the server need not wait for more. */
  #raw(prepared: Prepared): Promise<Outcome> {
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true });
    socket.setTimeout(SILENCE_MS_MAX);
    const pieces: Buffer[] = [];
    return new Promise((resolve, reject) => {
      socket.on('data', (bytes: Buffer) => pieces.push(bytes));
      socket.on('timeout', () => {
        reject(new Error('the server neither answers nor closes'));
        socket.destroy();
      });
      // A reset is one of the ways in which a server closes.
      socket.on('error', () => {});
      socket.on('close', () => {
        try {
          resolve(takeAll(Buffer.concat(pieces)));
        } catch (error) {
          reject(error);
        }
      });
      socket.end(prepared.bytes);
    });
  }

  async #connected(): Promise<Socket> {
    if (this.#socket !== null && !this.#socket.destroyed) return this.#socket;
    const socket = connect({ port: this.port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => {});
    socket.setTimeout(SILENCE_MS_MAX);
    this.#socket = socket;
    await once(socket, 'connect');
    return socket;
  }
}

/** A last answer may be cut off by the close. */
function takeAll(bytes: Buffer): Answer[] {
  const answers: Answer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const taken = takeAnswer(bytes, at, false);
    if (taken === null) break;
    answers.push(taken.answer);
    at = taken.end;
  }
  return answers;
}
