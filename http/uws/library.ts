/**
 * The one module that loads uWebSockets.js, which comes in two packages: `uws-glibc-2.38` (Node 22, 24 and 26) and
 * the older `uws-glibc-2.28` (Node 18 to 23). The newer is used if it really works.
 *
 * Both find their binary by the same name, for example `@uwsjs/linux-x64-20`. If there is no newer binary, the newer
 * package would load the older one's and report a version that is not running. So a package is used only with the
 * binary of its own version.
 */
import { createRequire } from 'node:module';
import { messageOf } from '../../engine/base/attempt.js';

/** Invalid once the handler has returned. */
export interface UwsRequest {
  forEach(visit: (lowerCaseName: string, value: string) => void): void;
  /** '' if absent. */
  getHeader(lowerCaseName: string): string;
  getCaseSensitiveMethod(): string;
  getUrl(): string;
  /** undefined if there is no question mark. */
  getQuery(): string | undefined;
}

/** Throws after it was ended or aborted. */
export interface UwsResponse {
  onAborted(handler: () => void): UwsResponse;
  /** The chunk is detached when the handler returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  cork(write: () => void): UwsResponse;
  writeStatus(status: string | Uint8Array): UwsResponse;
  end(body: string | Uint8Array, closeConnection: boolean): UwsResponse;
  endWithoutBody(): UwsResponse;
  /** [whether nothing is held back, whether all of it was sent]. */
  tryEnd(body: string | Uint8Array, totalBytes: number): [boolean, boolean];
  close(): UwsResponse;
  /** 4 or 16 bytes; none if the connection is gone. */
  getRemoteAddress(): ArrayBuffer;
  /** The response is invalid afterwards; the WebSocket is opened before this returns. */
  upgrade<T>(data: T, key: string, protocol: string, extensions: string, context: UwsSocketContext): void;
  /** The client's certificate, PEM; '' if it has sent none. In no type declaration of the library. */
  getX509Certificate(): string;
}

/** Opaque: names the app's WebSockets in an upgrade. */
export interface UwsSocketContext {
  readonly brand?: 'socket context';
}

/** Throws after its `close` handler was called. */
export interface UwsWebSocket<T> {
  getUserData(): T;
  /** 0: some of it is held back in memory; 1: all was sent. */
  send(message: string | Uint8Array, isBinary: boolean): number;
  /** All that `write` sends goes out in one write. */
  cork(write: () => void): void;
  getBufferedAmount(): number;
  ping(): number;
  /** Calls the `close` handler before it returns. */
  end(code: number, reason: string): void;
}

export interface UwsWebSocketBehaviour<T> {
  readonly maxPayloadLength: number;
  /** Bytes held back, beyond which messages are dropped; 0 for no bound. */
  readonly maxBackpressure: number;
  /** Seconds without any message or pong. */
  readonly idleTimeout: number;
  readonly sendPingsAutomatically: boolean;
  upgrade(response: UwsResponse, request: UwsRequest, context: UwsSocketContext): void;
  open(socket: UwsWebSocket<T>): void;
  message(socket: UwsWebSocket<T>, message: ArrayBuffer, isBinary: boolean): void;
  ping(socket: UwsWebSocket<T>): void;
  pong(socket: UwsWebSocket<T>): void;
  drain(socket: UwsWebSocket<T>): void;
  close(socket: UwsWebSocket<T>): void;
}

type UwsRoute = (response: UwsResponse, request: UwsRequest) => void;

/** Opaque. */
interface UwsListenSocket {
  readonly brand?: 'listen socket';
}

export interface UwsApp {
  get(pattern: string, route: UwsRoute): UwsApp;
  post(pattern: string, route: UwsRoute): UwsApp;
  any(pattern: string, route: UwsRoute): UwsApp;
  /** Takes GET requests that ask for a WebSocket; others go to the routes of the path. */
  ws<T>(pattern: string, behaviour: UwsWebSocketBehaviour<T>): UwsApp;
  /** `change` is 1 for each connection opened and -1 for each one closed, but not for one that became a WebSocket. */
  filter(visit: (response: UwsResponse, change: number) => void): UwsApp;
  listen(
    host: string,
    port: number,
    options: number,
    listening: (socket: UwsListenSocket | false) => void,
  ): UwsApp;
  /** Closes all sockets at once. */
  close(): UwsApp;
  /** For an acceptor in another thread. */
  getDescriptor(): UwsAppDescriptor;
  /** From now on, accepted connections are handed to the added apps in turn, and none is kept. */
  addChildAppDescriptor(descriptor: UwsAppDescriptor): UwsApp;
  /** The app gets no further connections, and keeps those that it has. */
  removeChildAppDescriptor(descriptor: UwsAppDescriptor): UwsApp;
}

/** Without files: an app that hands every connection to others before its handshake. */
interface UwsTlsOptions {
  readonly cert_file_name?: string;
  readonly key_file_name?: string;
  /** Client certificates are asked for, and those that these authorities have not signed are refused. */
  readonly ca_file_name?: string;
}

/** Opaque; threads can pass it to each other. */
export type UwsAppDescriptor = number;

interface Uws {
  App(): UwsApp;
  /** TLS 1.2 or 1.3. Throws if the files are missing or do not fit each other. */
  SSLApp(options: UwsTlsOptions): UwsApp;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  us_listen_socket_close(socket: UwsListenSocket): void;
  us_socket_local_port(socket: UwsListenSocket): number;
  _cfg(setting: string): void;
}

const PACKAGES = ['uws-glibc-2.38', 'uws-glibc-2.28'] as const;

/** Throws an error that says why if no package works. Packages are resolved from `fromUrl`. */
export function loadUws(fromUrl: string): ReturnType<typeof loadPackage> {
  const reasons: string[] = [];
  for (const name of PACKAGES) {
    try {
      return loadPackage(fromUrl, name);
    } catch (error) {
      const [reason] = messageOf(error).split('\n');
      reasons.push(`  ${name}: ${reason}`);
    }
  }
  const here = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  throw new Error(
    [
      `uWebSockets.js does not load on ${here}:`,
      ...reasons,
      'Node 20 and 22 need glibc 2.28 or later; Node 24 and later need glibc 2.38 or later (Debian 13, Ubuntu 24.04).',
      'If the platform should do, run `npm install` again: the binaries are optional packages.',
    ].join('\n'),
  );
}

function loadPackage(fromUrl: string, name: string) {
  const entry = createRequire(fromUrl).resolve(name);
  const requireBeside = createRequire(entry);
  const { version } = requireBeside('./package.json') as { version: string };
  const [major] = process.versions.node.split('.');
  const binary = `@uwsjs/${process.platform}-${process.arch}-${major}`;
  const found = requireBeside(`${binary}/package.json`) as { version: string };
  if (found.version !== version) {
    throw new Error(`version ${version} finds the binary of version ${found.version} only`);
  }
  return { library: requireBeside(entry) as Uws, version };
}

const loaded = loadUws(import.meta.url);
// Without this, replies name the library, as its own error pages do all the same.
loaded.library._cfg('silent');

export const uws: Uws = loaded.library;
export const uwsVersion: string = loaded.version;
