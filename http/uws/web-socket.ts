/** The WebSockets of an app: each with the owner that opened it. */
import type { StreamOwner, StreamSocket } from '../../engine/model/ports.js';
import type { UwsWebSocket, UwsWebSocketBehaviour } from './library.js';

/** Longer messages end the connection without a word: the library does not pass them on. */
const MESSAGE_BYTES_MAX = 64 * 1024;
/** A client that answers no ping for so long has gone. The library sends one in time. */
const IDLE_SECONDS_MAX = 60;

/** What the library keeps with a WebSocket. */
export interface WebSocketData {
  readonly open: (socket: StreamSocket) => StreamOwner;
  owner: StreamOwner | null;
}

type Socket = UwsWebSocket<WebSocketData>;

class OpenSocket implements StreamSocket {
  constructor(private readonly socket: Socket) {}

  send(text: string | Uint8Array): boolean {
    return this.socket.send(text, false) === 1;
  }

  get waitingBytes(): number {
    return this.socket.getBufferedAmount();
  }

  close(code: number, reason: string): void {
    this.socket.end(code, reason);
  }
}

export interface WebSocketHost {
  /** Runs what the library calls; an exception must not reach it. */
  guarded(run: () => void): void;
  /** Counts a closed connection. */
  onWebSocketClosed(): void;
}

/** The behaviour of a path's WebSockets. What waits to be sent is bounded by their owners. */
export function webSockets(
  host: WebSocketHost,
  upgrade: UwsWebSocketBehaviour<WebSocketData>['upgrade'],
): UwsWebSocketBehaviour<WebSocketData> {
  return {
    maxPayloadLength: MESSAGE_BYTES_MAX,
    maxBackpressure: 0,
    idleTimeout: IDLE_SECONDS_MAX,
    sendPingsAutomatically: true,
    upgrade,
    open: (socket) =>
      host.guarded(() => {
        const data = socket.getUserData();
        data.owner = data.open(new OpenSocket(socket));
      }),
    message: (socket, message, isBinary) =>
      host.guarded(() => socket.getUserData().owner?.onMessage(new Uint8Array(message), isBinary)),
    drain: (socket) => host.guarded(() => socket.getUserData().owner?.onRoom()),
    close: (socket) =>
      host.guarded(() => {
        host.onWebSocketClosed();
        socket.getUserData().owner?.onClosed();
      }),
  };
}
