/** The WebSockets of an app: each with the owner that opened it. */
import type { StreamOwner, StreamSocket } from '../../engine/model/ports.js';
import { type Client, workFor } from '../kit/client-work.js';
import type { UwsRequest, UwsWebSocket, UwsWebSocketBehaviour } from './library.js';
import type { OnFault } from './request-host.js';

/** Longer messages end the connection without a word: the library does not pass them on. */
const MESSAGE_BYTES_MAX = 64 * 1024;
/** A client that answers no ping for so long has gone. The library sends one in time. */
const IDLE_SECONDS_MAX = 60;
/** RFC 6455, section 7.4.1; for an owner that has not closed with a code of its own. */
const INTERNAL_ERROR = 1011;
const VERSION = '13';
const UPGRADES = /(?:^|,)[ \t]*upgrade[ \t]*(?:,|$)/i;
const KEY_PROTOCOL = 'tote.key.';
/** 16 bytes in base64. */
const WEB_SOCKET_KEY = /^[A-Za-z0-9+/]{22}==$/;

/**
 * RFC 6455, section 4.2.1. The library looks at the length of `Sec-WebSocket-Key` alone, and a proxy in front takes other
 * requests with it for plain ones.
 */
export const isWebSocket = (request: UwsRequest): boolean =>
  request.getHeader('sec-websocket-version') === VERSION &&
  WEB_SOCKET_KEY.test(request.getHeader('sec-websocket-key')) &&
  request.getHeader('upgrade').toLowerCase() === 'websocket' &&
  UPGRADES.test(request.getHeader('connection'));

/** '' if there is no key. Different ones are joined, and so are no key. */
export function keyOf(header: string, protocols: string): string {
  const keys = new Set(header === '' ? [] : [header]);
  for (const protocol of protocols.split(',')) {
    const name = protocol.trim();
    if (name.startsWith(KEY_PROTOCOL)) keys.add(name.slice(KEY_PROTOCOL.length));
  }
  return [...keys].join(', ');
}

export interface WebSocketData {
  readonly path: string;
  readonly address: string;
  readonly open: (socket: StreamSocket) => StreamOwner;
  stream: OpenSocket | null;
}

type Socket = UwsWebSocket<WebSocketData>;

/** An exception in the work for one WebSocket ends it alone. */
class OpenSocket implements StreamSocket, Client {
  owner: StreamOwner | null = null;
  /** The library throws at any use of a closed WebSocket. */
  isClosed = false;
  #hasFailed = false;

  constructor(
    private readonly socket: Socket,
    private readonly data: WebSocketData,
    private readonly host: WebSocketHost,
  ) {}

  open(): void {
    this.owner = this.data.open(this);
    this.owner.onOpen();
  }

  send(text: string | Uint8Array): boolean {
    if (this.isClosed) return true;
    try {
      return this.socket.send(text, false) === 1;
    } catch (error) {
      this.fail(error);
      return true;
    }
  }

  sendAll(texts: readonly string[]): boolean {
    if (!this.isClosed) {
      this.socket.cork(() => {
        for (const text of texts) this.send(text);
      });
    }
    return this.waitingBytes === 0;
  }

  ping(): void {
    if (!this.isClosed) this.socket.ping();
  }

  get waitingBytes(): number {
    return this.isClosed ? 0 : this.socket.getBufferedAmount();
  }

  close(code: number, reason: string): void {
    if (this.isClosed) return;
    this.host.onWebSocketEnding();
    this.socket.end(code, reason);
  }

  fail(error: unknown): void {
    const { path, address } = this.data;
    const requestId = this.host.onFault(error, { method: 'STREAM', path, address });
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    try {
      this.owner?.onFault(requestId);
    } catch (thrown) {
      this.host.onFault(thrown, { method: 'STREAM', path, address });
    }
    this.close(INTERNAL_ERROR, 'internal_error');
  }
}

export interface WebSocketHost {
  readonly onFault: OnFault;
  /** The server ends one: its last messages are on their way. */
  onWebSocketEnding(): void;
  onWebSocketClosed(): void;
}

/** Owners bound the bytes that wait to be sent. */
export function webSockets(
  host: WebSocketHost,
  upgrade: UwsWebSocketBehaviour<WebSocketData>['upgrade'],
): UwsWebSocketBehaviour<WebSocketData> {
  const work = (socket: Socket, run: (owner: StreamOwner) => void): void => {
    const { stream } = socket.getUserData();
    const owner = stream?.owner ?? null;
    if (owner !== null) workFor(stream, () => run(owner));
  };
  return {
    maxPayloadLength: MESSAGE_BYTES_MAX,
    maxBackpressure: 0,
    idleTimeout: IDLE_SECONDS_MAX,
    sendPingsAutomatically: true,
    upgrade,
    open: (socket) => {
      const data = socket.getUserData();
      const stream = new OpenSocket(socket, data, host);
      data.stream = stream;
      workFor(stream, () => stream.open());
    },
    message: (socket, message, isBinary) =>
      work(socket, (owner) => owner.onMessage(new Uint8Array(message), isBinary)),
    ping: (socket) => work(socket, (owner) => owner.onPing()),
    pong: (socket) => work(socket, (owner) => owner.onPong()),
    drain: (socket) => work(socket, (owner) => owner.onRoom()),
    close: (socket) => {
      host.onWebSocketClosed();
      const { stream } = socket.getUserData();
      if (stream !== null) stream.isClosed = true;
      work(socket, (owner) => owner.onClosed());
    },
  };
}
