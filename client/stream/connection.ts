/**
 * One connection of the stream: messages as objects, and the watch over its heartbeats. A connection whose other side
 * has vanished looks like one on which nothing happens; the server's heartbeats tell the two apart.
 */
import { timeout } from '../base/timing.js';
import type { ClientMessage, ServerMessage } from '../base/types.js';
import { objectIn } from '../rest/send-request.js';

/** A WebSocket of browsers, of Node from 22 on, or of the package `ws`. */
export interface WebSocketLike {
  send(text: string): void;
  close(): void;
  /** Only of the package `ws`. */
  terminate?(): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
}
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike;

export interface ConnectionEnd {
  /** WebSocket's close code; 0 where the client gave it up. */
  readonly closeCode: number;
  /** The server's reason, an error code; '' for none. */
  readonly reason: string;
  /** Whether a message ever came. */
  readonly wasOpen: boolean;
}

export interface ConnectionHost {
  readonly onMessage: (message: ServerMessage) => void;
  readonly onEnd: (end: ConnectionEnd) => void;
}

const FAILED = 1006;
/** The server does not read a longer message, so that its refusal has no id. */
export const MESSAGE_BYTES_MAX = 4 * 1024;
export const NO_HEARTBEAT = 'no heartbeat';
/** Something between the client and the server has written it. */
const NO_MESSAGE = 'no message of tote';
const SILENT_LOOKS = 3;
/** The package `ws` waits ten times as long for the answer of a side that may have vanished. */
const CLOSE_MS_MAX = 3_000;

export class Connection {
  #isOver = false;
  #wasOpen = false;
  #watch: ReturnType<typeof setTimeout> | undefined;
  /** Counted up with each message, so that the watch need not be wound anew by every one. */
  #heard = 0;

  constructor(
    private readonly socket: WebSocketLike,
    private readonly silenceMsMax: number,
    private readonly host: ConnectionHost,
  ) {
    socket.addEventListener('message', ({ data }) => this.#onData(data));
    socket.addEventListener('close', ({ code, reason }) => this.#end(code, reason));
    // In Node 22 no close follows where no connection came about.
    socket.addEventListener('error', () => this.#end(FAILED, ''));
    this.#watchFrom(this.#heard, 0);
  }

  /** Returns false, and sends nothing, if the message is too long. */
  send(message: ClientMessage): boolean {
    const text = JSON.stringify(message);
    if (new TextEncoder().encode(text).length > MESSAGE_BYTES_MAX) return false;
    this.socket.send(text);
    return true;
  }

  close(reason: string): void {
    if (this.#isOver) return;
    this.#end(0, reason);
    this.socket.close();
    this.#watch = setTimeout(() => this.socket.terminate?.(), CLOSE_MS_MAX);
  }

  #onData(data: unknown): void {
    this.#heard += 1;
    const message = objectIn<ServerMessage>(String(data));
    if (message === null) {
      this.close(NO_MESSAGE);
      return;
    }
    this.#wasOpen = true;
    this.host.onMessage(message);
  }

  /** After a bot that was busy for long, the first look comes before the messages that wait. */
  #watchFrom(heard: number, silentLooks: number): void {
    this.#watch = timeout(this.silenceMsMax / SILENT_LOOKS, () => {
      if (this.#heard !== heard) this.#watchFrom(this.#heard, 0);
      else if (silentLooks + 1 < SILENT_LOOKS) this.#watchFrom(heard, silentLooks + 1);
      else this.close(NO_HEARTBEAT);
    });
  }

  #end(closeCode: number, reason: string): void {
    clearTimeout(this.#watch);
    if (this.#isOver) return;
    this.#isOver = true;
    this.host.onEnd({ closeCode, reason, wasOpen: this.#wasOpen });
  }
}
