/** A client of the stream, over the package `ws`, that checks the form of every message. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { after } from 'node:test';
import typia from 'typia';
import WebSocket from 'ws';
import type { ServerMessage } from '../../../http/wire/stream-types.js';
import { StreamDocument } from './stream-document.js';

const validate = typia.createValidateEquals<ServerMessage>();
const document = new StreamDocument();

type Answer = 'subscribed' | 'unsubscribed' | 'pong' | 'order' | 'cancelledAll' | 'deadman';
type OfType<T extends ServerMessage['type']> = Extract<ServerMessage, { readonly type: T }>;

export class UpgradeRefused extends Error {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super(`${status} ${body}`);
  }
}

export interface StreamOptions {
  readonly base?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
  /** The server's certificate, to be trusted. */
  readonly ca?: string;
  readonly onMessage?: (message: ServerMessage) => void;
}

/** Fails a test that would otherwise wait for ever. */
const PATIENCE_MS = 20_000;

export class StreamClient {
  readonly #messages: ServerMessage[] = [];
  readonly #waiting = new Set<() => void>();
  #ids = 0;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  isClosed = false;
  /** The answer that opened it has these. */
  headers: IncomingHttpHeaders = {};

  private constructor(
    readonly socket: WebSocket,
    private readonly onMessage: (message: ServerMessage) => void,
  ) {
    socket.on('message', (data, isBinary) => this.#onMessage(String(data), isBinary));
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        this.isClosed = true;
        for (const look of this.#waiting) look();
        resolve({ code, reason: String(reason) });
      });
    });
    socket
      .on('error', () => undefined)
      .on('upgrade', ({ headers }) => {
        this.headers = headers;
      });
  }

  static async open(
    publicUrl: string,
    secret: string | null,
    { base = '/v1', headers = {}, protocols = [], ca, onMessage = () => undefined }: StreamOptions = {},
  ): Promise<StreamClient> {
    const all = { ...(secret !== null && { 'X-API-Key': secret }), ...headers };
    const socket = new WebSocket(`${publicUrl.replace('http', 'ws')}${base}/stream`, [...protocols], {
      headers: all,
      ...(ca !== undefined && { ca }),
    });
    const client = new StreamClient(socket, onMessage);
    const refused = new Promise<never>((_, reject) => {
      socket.on('unexpected-response', (_request, response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          body += part;
        });
        response.on('end', () => reject(new UpgradeRefused(response.statusCode ?? 0, body)));
      });
    });
    await Promise.race([once(socket, 'open'), refused]);
    return client;
  }

  #onMessage(text: string, isBinary: boolean): void {
    assert.equal(isBinary, false);
    const result = validate(JSON.parse(text));
    assert.ok(result.success, `${text} ${JSON.stringify(result.success ? '' : result.errors)}`);
    document.checkSent(result.data);
    this.onMessage(result.data);
    this.#messages.push(result.data);
    for (const look of this.#waiting) look();
  }

  /** The first message of this type that fits; waits if there is none yet. */
  take<T extends ServerMessage['type']>(
    type: T,
    fits: (message: OfType<T>) => boolean = () => true,
  ): Promise<OfType<T>> {
    return this.#first(
      (message): message is OfType<T> => message.type === type && fits(message as OfType<T>),
      `message of type ${type}`,
    );
  }

  async #first<M extends ServerMessage>(
    isIt: (message: ServerMessage) => message is M,
    what: string,
  ): Promise<M> {
    const found = await this.#when(() => this.#messages.find(isIt), what);
    this.#messages.splice(this.#messages.indexOf(found), 1);
    return found;
  }

  async until(isSo: () => boolean): Promise<void> {
    await this.#when(() => (isSo() ? true : undefined), 'what is waited for');
  }

  #when<V>(find: () => V | undefined, what: string): Promise<V> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(giveUp);
        this.#waiting.delete(look);
      };
      const giveUp = setTimeout(() => {
        end();
        reject(new Error(`no ${what}; there are ${JSON.stringify(this.#messages)}`));
      }, PATIENCE_MS);
      const look = (): void => {
        const found = find();
        if (found === undefined && !this.isClosed) return;
        end();
        if (found !== undefined) resolve(found);
        else reject(new Error(`closed before ${what}: ${JSON.stringify(this.#messages)}`));
      };
      this.#waiting.add(look);
      look();
    });
  }

  arrived<T extends ServerMessage['type']>(type: T): OfType<T>[] {
    return this.#messages.filter((message): message is OfType<T> => message.type === type);
  }

  send(message: unknown): void {
    this.socket.send(JSON.stringify(message));
  }

  request(message: Readonly<Record<string, unknown>>): number {
    this.#ids += 1;
    this.send({ ...message, id: this.#ids });
    return this.#ids;
  }

  /** The request must succeed with a message of this type. */
  async ask<T extends Answer>(type: T, message: Readonly<Record<string, unknown>>): Promise<OfType<T>> {
    const answer = await this.#answerTo(this.request(message));
    if (answer.type !== type) throw new Error(JSON.stringify(answer));
    return answer as OfType<T>;
  }

  subscribe(channel: string, more: Readonly<Record<string, unknown>> = {}) {
    return this.ask('subscribed', { op: 'subscribe', channel, ...more });
  }

  /** The request must be refused; returns the code. */
  async refused(message: Readonly<Record<string, unknown>>): Promise<string> {
    const answer = await this.#answerTo(this.request(message));
    assert.equal(answer.type, 'error', JSON.stringify(answer));
    return answer.code;
  }

  #answerTo(id: number): Promise<OfType<Answer | 'error'>> {
    return this.#first(
      (message): message is OfType<Answer | 'error'> => 'id' in message && message.id === id,
      `answer to ${id}`,
    );
  }

  async settle(): Promise<void> {
    await this.ask('pong', { op: 'ping' });
  }

  /** Ends without a word, as a network does. */
  async cut(): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }

  async end(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}

type Of = { readonly server: { readonly publicUrl: string } };

/** Opens streams that end with the tests of the file. */
export function streamsOfFile() {
  const clients: StreamClient[] = [];
  after(() => {
    for (const client of clients) client.socket.terminate();
  });
  return async ({ server }: Of, secret: string | null, options?: StreamOptions): Promise<StreamClient> => {
    const client = await StreamClient.open(server.publicUrl, secret, options);
    clients.push(client);
    return client;
  };
}
