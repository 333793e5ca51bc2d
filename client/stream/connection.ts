/**
 * One connection of the stream: messages as objects, and the watch over its heartbeats. A connection whose other side
 * has vanished looks like one on which nothing happens; the server's heartbeats tell the two apart.
 */
import type { ClientMessage, ServerMessage } from './messages.js';

/** A WebSocket of browsers, of Node from 22 on, or of the package `ws`. */
export interface WebSocketLike {
  send(text: string): void;
  close(): void;
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
    // A close follows.
    socket.addEventListener('error', () => undefined);
    this.#watchFrom(this.#heard);
  }

  send(message: ClientMessage): void {
    if (!this.#isOver) this.socket.send(JSON.stringify(message));
  }

  close(reason: string): void {
    if (this.#isOver) return;
    this.socket.close();
    this.#end(0, reason);
  }

  #onData(data: unknown): void {
    if (this.#isOver) return;
    this.#heard += 1;
    this.#wasOpen = true;
    this.host.onMessage(JSON.parse(String(data)) as ServerMessage);
  }

  #watchFrom(heard: number): void {
    this.#watch = setTimeout(() => {
      if (this.#heard === heard) this.close('no heartbeat');
      else this.#watchFrom(this.#heard);
    }, this.silenceMsMax);
  }

  #end(closeCode: number, reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#watch);
    this.host.onEnd({ closeCode, reason, wasOpen: this.#wasOpen });
  }
}
