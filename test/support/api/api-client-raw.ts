/** HTTP by hand, over a plain socket: for requests that no client library would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Answered } from '../http/client.js';

export interface RawOptions {
  /** The address that the server sees, of 127.0.0.0/8. */
  readonly localAddress?: string;
}

/** A connection for one request. Its answer is read by its length: the server may keep the connection open. */
export class RawConnection {
  #received = Buffer.alloc(0);
  readonly #closed: Promise<unknown>;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    this.#closed = once(socket, 'close');
  }

  static async open(url: string, { localAddress }: RawOptions = {}): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const from = localAddress === undefined ? {} : { localAddress };
    const socket = connect({ host: hostname, port: Number(port), ...from });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  /** Resolves once the kernel has the bytes. */
  write(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Resolves with the one answer, and closes; rejects where the server closes without one. */
  async answer(): Promise<Answered> {
    try {
      for (;;) {
        const answered = parseAnswer(this.#received);
        if (answered !== null) return answered;
        const more = await Promise.race([once(this.socket, 'data'), this.#closed.then(() => null)]);
        if (more === null && parseAnswer(this.#received) === null) {
          throw new Error(
            `closed without an answer after ${JSON.stringify(this.#received.toString('latin1'))}`,
          );
        }
      }
    } finally {
      this.socket.destroy();
    }
  }
}

/** Sends the bytes on a connection of their own and resolves with the one answer. */
export async function sendRaw(
  url: string,
  bytes: string | Buffer,
  options: RawOptions = {},
): Promise<Answered> {
  const connection = await RawConnection.open(url, options);
  const answer = connection.answer();
  await Promise.all([connection.write(bytes), answer]);
  return answer;
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
