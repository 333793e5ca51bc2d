/**
 * The network between clients and one server: it delays, loses and doubles requests and replies. A server that dies
 * takes the requests that it was working on with it; a reply that it has sent may still arrive.
 */
import { assert } from '../../../engine/base/assert.js';
import type { HeaderBlock, HeaderList, HttpHandler, HttpRequest } from '../../../engine/model/ports.js';
import { headerList, plainRequest } from '../../support/http/plain-request.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { Coverage } from '../coverage.js';
import type { Scheduler } from './scheduler.js';

export interface ClientRequest
  extends Partial<Omit<HttpRequest, 'body' | 'method' | 'path'>>,
    Pick<HttpRequest, 'method' | 'path'> {
  readonly port: 'public' | 'operator';
  readonly body?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly text: string;
}

/** The headers are taken apart when somebody looks at them. */
class SentReply implements Reply {
  #headers: HeaderList | null = null;

  constructor(
    readonly status: number,
    private readonly sentHeaders: HeaderList | HeaderBlock,
    readonly text: string,
  ) {}

  get headers(): HeaderList {
    this.#headers ??= headerList(this.sentHeaders);
    return this.#headers;
  }
}

/** null: no answer. The client cannot know whether the request took effect. */
export type OnReply = (reply: Reply | null) => void;

/** One delivery of a request to a server; a request that the network doubles has two. */
export interface Exchange {
  readonly request: ClientRequest;
  readonly takenMs: number;
  isAnswered: boolean;
  /** The client has closed its connection: an answer goes nowhere. */
  isGone: boolean;
}

type OnSent = (exchange: Exchange, reply: Reply) => void;

export interface Handlers {
  readonly public: HttpHandler;
  readonly operator: HttpHandler;
}

/** A client that goes away does so after this at the latest. */
const GONE_MS_MAX = 30;
const PATIENCE_MS = 5_000;
const DELAY_MS_USUAL = 40;
const DELAY_MS_MAX = 4_000;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Network {
  readonly pending = new Set<Exchange>();
  #handlers: Handlers | null = null;
  #incarnation = 0;
  isCalm = true;

  constructor(
    private readonly scheduler: Scheduler,
    private readonly rng: Rng,
    private readonly lossChance: number,
    private readonly coverage: Coverage,
    private readonly onSent: OnSent,
  ) {}

  get hasOperatorWaiting(): boolean {
    for (const { request } of this.pending) if (request.port === 'operator') return true;
    return false;
  }

  serve(handlers: Handlers | null): void {
    this.#handlers = handlers;
    this.#incarnation++;
    this.pending.clear();
  }

  send(request: ClientRequest, onReply: OnReply): void {
    this.sendAt(this.scheduler.nowMs + this.#delayMs(), request, onReply);
  }

  sendAt(arrivesMs: number, request: ClientRequest, onReply: OnReply): void {
    let hasReplied = false;
    const replyOnce: OnReply = (reply) => {
      if (hasReplied) return;
      hasReplied = true;
      onReply(reply);
    };
    const atMs = Math.max(arrivesMs, this.scheduler.nowMs);
    this.scheduler.at(atMs + PATIENCE_MS, () => replyOnce(null));
    if (this.#loses('request lost')) return;
    this.scheduler.at(atMs, () => this.#deliver(request, replyOnce));
    if (this.#loses('request doubled')) {
      this.scheduler.at(atMs + this.#delayMs(), () => this.#deliver(request, replyOnce));
    }
  }

  #loses(what: string): boolean {
    if (this.isCalm || !this.rng.chance(this.lossChance)) return false;
    this.coverage.hit('fault', what);
    return true;
  }

  #delayMs(): number {
    if (!this.isCalm && this.rng.chance(this.lossChance)) {
      this.coverage.hit('fault', 'delayed');
      return this.rng.integer(DELAY_MS_USUAL, DELAY_MS_MAX);
    }
    return this.rng.integer(0, DELAY_MS_USUAL);
  }

  #deliver(request: ClientRequest, onReply: OnReply): void {
    const handlers = this.#handlers;
    if (handlers === null) {
      this.scheduler.after(1, () => onReply(null));
      return;
    }
    const exchange: Exchange = { request, takenMs: this.scheduler.nowMs, isAnswered: false, isGone: false };
    const incarnation = this.#incarnation;
    this.pending.add(exchange);
    if (this.#loses('client gone')) {
      this.scheduler.after(this.rng.integer(0, GONE_MS_MAX), () => {
        exchange.isGone = true;
        this.pending.delete(exchange);
      });
    }
    const http = httpRequest(request);
    handlers[request.port](http, {
      send: (status, headers, body) => {
        assert(!exchange.isAnswered, `${request.method} ${request.path} is answered once`);
        // A dead process does nothing more.
        if (incarnation !== this.#incarnation) return;
        exchange.isAnswered = true;
        if (exchange.isGone) return;
        this.pending.delete(exchange);
        const text = typeof body === 'string' ? body : decoder.decode(body);
        // Heads in bytes are written over.
        const sent = headers instanceof Uint8Array ? headerList(headers) : headers;
        const reply = new SentReply(status, sent, text);
        this.onSent(exchange, reply);
        if (this.#loses('reply lost')) return;
        this.scheduler.after(this.#delayMs(), () => onReply(reply));
      },
    });
    // As on a socket: the body's memory is somebody else's once the handler has returned.
    http.body.fill(0);
    http.body = NO_BODY;
  }
}

const NO_BODY = new Uint8Array(0);

function httpRequest({ port: _, body = '', ...facts }: ClientRequest): HttpRequest & { body: Uint8Array } {
  const contentType = body === '' ? '' : 'application/json';
  return { ...plainRequest({ contentType, ...facts }), body: encoder.encode(body) };
}
