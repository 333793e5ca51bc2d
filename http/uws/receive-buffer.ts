/**
 * The event loop's receive buffer, so that a request's head can be read exactly as it was sent (`sent-head.ts`).
 *
 * uWebSockets.js has no call for it. But a body's chunk is that very memory, not a copy: it is detached when its
 * handler returns, unless it was transferred before. So a connection to ourselves sends one body and its first chunk
 * is kept; a second request then proves that received bytes can be read there. Every read of every connection of this
 * thread starts at the buffer's first byte. The library frees the buffer when the thread ends. It is only ever read,
 * and only within the library's callbacks, when it holds the bytes just received. Connections with TLS have one of their
 * own, with what was decrypted.
 */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TlsFiles } from '../../config/certificate.js';
import { type UwsListenSocket, type UwsResponse, uws } from './library.js';
import { newApp } from './listening.js';

const HOST = '127.0.0.1';
/** More than the longest head that the library accepts. */
const HEAD_BYTES_MAX = 8 * 1024;
const BODY = Buffer.alloc(8 * HEAD_BYTES_MAX);
const POST = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${BODY.length}\r\n\r\n`;
/** Ends with a byte that the library drops. */
const GET = Buffer.from('GET / HTTP/1.1\r\nhost: a\xe9\r\n\r\n', 'latin1');
/** Far more than the few milliseconds that this takes. */
const TIMEOUT_MS = 5_000;

type Buffers = Promise<Uint8Array | null> | null;
let plain: Buffers = null;
let decrypted: Buffers = null;

/**
 * Resolves with the first bytes of the buffer of connections with or without TLS, enough for any head, or with null if
 * they cannot be read. Rejects if the library refuses the certificate.
 */
export function receiveBuffer(tls: TlsFiles | null): Promise<Uint8Array | null> {
  if (tls === null) {
    plain ??= new Promise((resolve) => open(null, resolve));
    return plain;
  }
  decrypted ??= new Promise((resolve) => open(tls, resolve));
  return decrypted;
}

function open(tls: TlsFiles | null, resolve: (buffer: Uint8Array | null) => void): void {
  const app = newApp(tls);
  let kept: Uint8Array | null = null;
  app.post('/*', (response) => {
    response.onAborted(() => undefined);
    response.onData((chunk, isLast) => {
      kept ??= keep(chunk);
      if (isLast) response.cork(() => response.end('', false));
    });
    // Not earlier: a body received together with the head does not start at the first byte.
    client.write(BODY);
  });
  app.get('/*', (response: UwsResponse) => {
    const isReadable = kept !== null && GET.equals(kept.subarray(0, GET.length));
    response.end('', true);
    finish(isReadable ? kept : null);
  });
  let listening: UwsListenSocket | false = false;
  app.listen(HOST, 0, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
    listening = socket;
  });
  const port = listening === false ? 0 : uws.us_socket_local_port(listening);
  // Nobody else can have this port, so the certificate need not name this address.
  const client = tls === null ? connect(port, HOST) : connectTls(port, HOST, { rejectUnauthorized: false });
  client.setNoDelay(true);
  client.on(tls === null ? 'connect' : 'secureConnect', () => client.write(POST));
  client.once('data', () => client.write(GET));
  client.on('error', () => finish(null));
  const timer = setTimeout(() => finish(null), TIMEOUT_MS);
  const finish = (buffer: Uint8Array | null): void => {
    clearTimeout(timer);
    client.destroy();
    setImmediate(() => app.close());
    resolve(buffer);
  };
}

/** Keeps a chunk's memory if it is long enough. Must not throw: the library would end the process. */
function keep(chunk: ArrayBuffer): Uint8Array | null {
  if (chunk.byteLength < HEAD_BYTES_MAX) return null;
  try {
    return new Uint8Array(structuredClone(chunk, { transfer: [chunk] }), 0, HEAD_BYTES_MAX);
  } catch {
    return null;
  }
}
