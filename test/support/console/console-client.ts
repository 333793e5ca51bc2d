/** A browser's requests to the console, without a browser: the test may change cookies, origin and CSRF token. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import WebSocket from 'ws';
import type { LiveMessage } from '../../../http/console/live-message.js';
import type { SessionResource } from '../../../http/console/sessions.js';
import { type Answered, Client, type HeaderFields } from '../http/client.js';

interface LoggedIn {
  readonly session: SessionResource;
  readonly setCookie: string;
  readonly cookie: string;
  /** A page's own headers with a request that changes nothing. */
  readonly reads: HeaderFields;
  readonly writes: HeaderFields;
}

export class ConsoleClient {
  readonly #client: Client;

  constructor(
    readonly url: string,
    readonly origin = url,
  ) {
    this.#client = new Client(url, {});
  }

  get<T>(path: string, headers: HeaderFields = {}): Promise<Answered<T>> {
    return this.#client.get(path, headers);
  }

  send<T>(method: string, path: string, body: unknown, headers: HeaderFields): Promise<Answered<T>> {
    return this.#client.send(method, path, body === undefined ? undefined : JSON.stringify(body), headers);
  }

  login(token: string, headers: HeaderFields = {}): Promise<Answered<SessionResource>> {
    return this.send('POST', '/console/session', { token }, { Origin: this.origin, ...headers });
  }

  async loggedIn(token: string): Promise<LoggedIn> {
    const answer = await this.login(token);
    assert.equal(answer.status, 201, answer.text);
    const setCookie = answer.headers.get('set-cookie') ?? '';
    const [cookie = ''] = setCookie.split(';');
    const reads = { Cookie: cookie };
    const writes = { ...reads, Origin: this.origin, 'X-CSRF-Token': answer.data.csrfToken };
    return { session: answer.data, setCookie, cookie, reads, writes };
  }

  /** A number is the status of the refusal. */
  async stream(headers: HeaderFields): Promise<ConsoleStream | number> {
    const socket = new WebSocket(`${this.url.replace('http', 'ws')}/console/stream`, { headers });
    const opened = once(socket, 'open').then(() => new ConsoleStream(socket));
    const refused = once(socket, 'unexpected-response').then(([, response]) => Number(response.statusCode));
    socket.on('error', () => undefined);
    const first = await Promise.race([opened, refused]);
    opened.catch(() => undefined);
    refused.catch(() => undefined);
    if (typeof first === 'number') socket.terminate();
    return first;
  }
}

export class ConsoleStream {
  readonly closed: Promise<number>;
  #messages: LiveMessage[] = [];
  #wake: () => void = () => undefined;

  constructor(private readonly socket: WebSocket) {
    socket.on('message', (data) => {
      this.#messages.push(JSON.parse(String(data)) as LiveMessage);
      this.#wake();
    });
    this.closed = once(socket, 'close').then(([code]) => Number(code));
  }

  async next(isWanted: (message: LiveMessage) => boolean): Promise<LiveMessage> {
    for (;;) {
      const found = this.#messages.find(isWanted);
      this.#messages = [];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  send(text: string): void {
    this.socket.send(text);
  }

  close(): void {
    this.socket.close();
  }
}
