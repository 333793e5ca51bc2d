/** HTTP by hand, over a plain socket: for requests that no client library would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Answered } from './client.js';

export interface RawOptions {
  /** The address that the server sees, of 127.0.0.0/8. */
  readonly localAddress?: string;
}

function open(url: string, { localAddress }: RawOptions): Socket {
  const { hostname, port } = new URL(url);
  return connect({ host: hostname, port: Number(port), ...(localAddress !== undefined && { localAddress }) });
}

/**
 * Sends the bytes on a connection of its own and resolves with the one answer; rejects where the server closes
 * without one. `Connection: close` is no use here (the server may keep open), so the answer is read by its length.
 */
export async function sendRaw(
  url: string,
  bytes: string | Buffer,
  options: RawOptions = {},
): Promise<Answered> {
  const socket = open(url, options);
  let received = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.write(bytes);
  try {
    for (;;) {
      const answered = parseAnswer(received);
      if (answered !== null) return answered;
      const more = await Promise.race([once(socket, 'data'), closed.then(() => null)]);
      if (more === null && parseAnswer(received) === null) {
        throw new Error(`closed without an answer after ${JSON.stringify(received.toString('latin1'))}`);
      }
    }
  } finally {
    socket.destroy();
  }
}

/** The first complete answer in the bytes, or null. */
function parseAnswer(bytes: Buffer): Answered | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const length = Number(headers.get('Content-Length') ?? 0);
  const body = bytes.subarray(end + 4);
  if (body.length < length) return null;
  const text = body.subarray(0, length).toString('utf8');
  const envelope = (text.startsWith('{') ? JSON.parse(text) : {}) as { data?: unknown; error?: string };
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text,
    data: envelope.data,
    error: envelope.error ?? '',
  };
}

/** A request with a body and its Content-Length; `headers` as lines. */
export function rawRequest(method: string, path: string, headers: readonly string[], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`${method} ${path} HTTP/1.1`, 'Host: test', ...headers, ...length, '', body].join('\r\n');
}
