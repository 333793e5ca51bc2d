/**
 * The client: one method for each endpoint of the API, named as the operation in its document. Amounts are dollars,
 * as the API has them; `base/money.ts` computes with them exactly.
 */
import { ServerClock } from './base/clock.js';
import { ToteError } from './base/errors.js';
import { realSurroundings, type Surroundings } from './base/timing.js';
import type {
  Account,
  CancelledOrders,
  DataOf,
  JournalHead,
  LedgerEntry,
  Limits,
  Market,
  OrderProof,
  OrderQuote,
  OrderResult,
  Position,
  QueryOf,
  QuoteRequest,
  Receipt,
  RoundDetail,
  RoundProof,
  SeenOrder,
  ServerTime,
  SettledRound,
  SigningKey,
} from './base/types.js';
import { type CallDefaults, Caller, type Query, type Request } from './rest/caller.js';
import { Hosts } from './rest/hosts.js';
import type { Page } from './rest/pages.js';
import {
  type CallOptions,
  markOrder,
  type OrderOptions,
  type OrderToPlace,
  type PlacedOrder,
} from './rest/persist.js';
import type { Fetch } from './rest/send-request.js';
import type { WebSocketConstructor } from './stream/connection.js';
import { type StreamOptions, ToteStream } from './stream/stream.js';

export interface ClientOptions {
  /**
   * The API's address with its base path; all addresses of an exchange on several machines: the client goes on to the
   * next one when one does not answer, or does not serve.
   */
  readonly url?: string | readonly string[];
  /** The secret of an API key: `tote_` and 43 characters. Keep it on your servers. */
  readonly key: string;
  /** How long each attempt waits for its answer: 10 seconds if not given. */
  readonly timeoutMs?: number;
  /** For how long failures that pass are tried again: 30 seconds if not given. */
  readonly retryForMs?: number;
  readonly fetch?: Fetch;
  /** Clock, chance and waiting, for tests. */
  readonly surroundings?: Surroundings;
}

export interface WatchOptions {
  /** From one look to the next: 1 second if not given. */
  readonly everyMs?: number;
  /** Ends the watching without an error. */
  readonly signal?: AbortSignal;
}

const DEFAULT_URL = 'http://127.0.0.1:8080/v1';
const DEFAULTS = { timeoutMs: 10_000, retryForMs: 30_000 };

export class ToteClient {
  /** The server's clock, as far as `getTime` has found out. */
  readonly clock: ServerClock;
  readonly #caller: Caller;
  readonly #around: Surroundings;
  readonly #defaults: CallDefaults;
  readonly #hosts: Hosts;
  readonly #key: string;

  constructor({ url = DEFAULT_URL, key, surroundings = realSurroundings, ...options }: ClientOptions) {
    const { timeoutMs = DEFAULTS.timeoutMs, retryForMs = DEFAULTS.retryForMs } = options;
    // A plain call: browsers refuse `fetch` as a method of another object.
    const send: Fetch = options.fetch ?? ((input, init) => fetch(input, init));
    const urls = typeof url === 'string' ? [url] : url;
    this.#hosts = new Hosts(urls.map((base) => base.replace(/\/+$/, '')));
    this.#key = key;
    this.#defaults = { timeoutMs, retryForMs };
    this.#around = surroundings;
    this.clock = new ServerClock(surroundings);
    this.#caller = new Caller(this.#hosts, { 'X-API-Key': key }, send, this.#defaults, surroundings);
  }

  /** All active markets with their current rounds, pools and odds. */
  listMarkets(options: CallOptions = {}): Promise<DataOf<'listMarkets'>> {
    return this.#get('/markets', options);
  }

  /** One market. Fails with `market_not_found` if no active market has the id. */
  getMarket(id: string, options: CallOptions = {}): Promise<Market> {
    return this.#get(`/markets/${encodeURIComponent(id)}`, options);
  }

  /** The open price of each asset's latest round. */
  listPrices(options: CallOptions = {}): Promise<DataOf<'listPrices'>> {
    return this.#get('/prices', options);
  }

  /** A round with its result, prices and seed. Fails with `round_not_found` if the server has no such round. */
  getRound(id: string, options: CallOptions = {}): Promise<RoundDetail> {
    return this.#get(`/rounds/${encodeURIComponent(id)}`, options);
  }

  /** Settled rounds, the last to start first: a page of all that the server has ever settled. */
  listRounds(query: QueryOf<'listRounds'> = {}, options: CallOptions = {}): Promise<Page<SettledRound>> {
    return this.#page('/rounds', query, options);
  }

  /** Settled rounds of one market. Fails with `market_not_found` if there is no such market. */
  listMarketRounds(
    id: string,
    query: QueryOf<'listMarketRounds'> = {},
    options: CallOptions = {},
  ): Promise<Page<SettledRound>> {
    return this.#page(`/markets/${encodeURIComponent(id)}/rounds`, query, options);
  }

  /** The evidence for a settled round: give it to `verifyProof`. */
  getRoundProof(id: string, options: CallOptions = {}): Promise<RoundProof> {
    return this.#get(`/rounds/${encodeURIComponent(id)}/proof`, options);
  }

  /**
   * Proves that one of your bets is under the root of its round. Fails with `proof_not_found` until the round is
   * settled.
   */
  getOrderProof(id: string, options: CallOptions = {}): Promise<OrderProof> {
    return this.#get(`/orders/${encodeURIComponent(id)}/proof`, options);
  }

  /**
   * The server's signature that one of your bets is in its journal: give it to `verifyReceipt`. A later call gives the
   * same until the signing key is rotated.
   */
  getOrderReceipt(id: string, options: CallOptions = {}): Promise<Receipt> {
    return this.#get(`/orders/${encodeURIComponent(id)}/receipt`, options);
  }

  /** The keys with which the server signs, the one in use first. */
  listSigningKeys(options: CallOptions = {}): Promise<readonly SigningKey[]> {
    return this.#get('/keys', options);
  }

  /**
   * The journal's newest signed head; null before the first. Keep it: `verifyHead` checks it offline, and with it `tote
   * verify --head` finds a journal that lacks a command of then.
   */
  async getJournalHead(options: CallOptions = {}): Promise<JournalHead | null> {
    return (await this.#caller.call({ method: 'GET', path: '/keys' }, options)).head ?? null;
  }

  /** Every movement of your money, newest first: a page of entries that add up to your balance. */
  getLedger(query: QueryOf<'getLedger'> = {}, options: CallOptions = {}): Promise<Page<LedgerEntry>> {
    return this.#page('/account/ledger', query, options);
  }

  /** Your open bets, or with `status: 'all'` all of them ever; the last placed or ended first. */
  listPositions(query: QueryOf<'listPositions'> = {}, options: CallOptions = {}): Promise<Page<Position>> {
    return this.#page('/positions', query, options);
  }

  /** Your bets, the most recently placed first. */
  listOrders(query: QueryOf<'listOrders'> = {}, options: CallOptions = {}): Promise<Page<Position>> {
    // A cursor takes the place of an order where the list began, not that of a time.
    const { before, ...rest } = query;
    const isOver = query.cursor !== undefined && before?.startsWith('bet_');
    return this.#page('/orders', isOver ? rest : query, options);
  }

  /** One of your bets, however old. Fails with `order_not_found` if you have none with this id. */
  getOrder(id: string, options: CallOptions = {}): Promise<Position> {
    return this.#get(`/orders/${encodeURIComponent(id)}`, options);
  }

  /** Whether an order was placed under this Idempotency-Key; it places nothing. */
  getOrderByIdempotencyKey(key: string, options: CallOptions = {}): Promise<SeenOrder> {
    return this.#get(`/orders/by-idempotency-key/${encodeURIComponent(key)}`, options);
  }

  /** Your balance, open bets, keys and limits, as of one moment. */
  getAccount(options: CallOptions = {}): Promise<Account> {
    return this.#get('/account', options);
  }

  /** The server's time, which also sets `clock`: ask a few times to know it within half of the fastest round trip. */
  async getTime(options: CallOptions = {}): Promise<ServerTime> {
    let sentMs = 0;
    const onSend = (): void => {
      sentMs = this.#around.monotonicMs();
    };
    const time = await this.#data<ServerTime>({ method: 'GET', path: '/time', onSend }, options);
    this.clock.observe(sentMs, time.timeMs);
    return time;
  }

  /** Your rate limits with what is left of each, and what the rules allow you to bet. */
  getLimits(options: CallOptions = {}): Promise<Limits> {
    return this.#get('/limits', options);
  }

  /**
   * Places a bet, once, however often it has to be sent. Resolves when the bet is on the server's disk. If it fails
   * with `isOutcomeUnknown`, the bet may have been placed all the same. Give `roundId`, or a late attempt may land in
   * the next round.
   */
  async placeOrder(toPlace: OrderToPlace, options: OrderOptions = {}): Promise<PlacedOrder> {
    const { order, marks } = markOrder(toPlace, options);
    const namesRound = order.roundId !== undefined;
    const request = { method: 'POST', path: '/orders', body: order, marks, namesRound } as const;
    const { data } = await this.#caller.call(request, options);
    return { ...(data as OrderResult), ...marks };
  }

  /**
   * Cancels one of your limit orders that rests; its stake goes back. Fails with `order_not_pending` if it does not
   * rest, also where an earlier attempt, whose answer was lost, has cancelled it: `getOrder` tells.
   */
  cancelOrder(id: string, options: CallOptions = {}): Promise<Position> {
    return this.#data({ method: 'DELETE', path: `/orders/${encodeURIComponent(id)}` }, options);
  }

  /**
   * Cancels all your limit orders that rest, or those of a market or a side, and tells how many there were. Those that an
   * earlier attempt, whose answer was lost, has cancelled are not counted.
   */
  cancelOrders(query: QueryOf<'cancelOrders'> = {}, options: CallOptions = {}): Promise<CancelledOrders> {
    return this.#data({ method: 'DELETE', path: '/orders', query }, options);
  }

  /**
   * The answer that `placeOrder` would get at this moment; places nothing. A refusal is no error here. With `parts` in
   * the order, also the terms of so many equal orders.
   */
  quoteOrder(order: QuoteRequest, options: CallOptions = {}): Promise<OrderQuote> {
    return this.#data({ method: 'POST', path: '/orders/quote', body: order }, options);
  }

  /**
   * Looks at a market again and again, for as long as the loop over it runs. The loop's own work counts for the pause
   * between two looks. Waits for a server that is away.
   */
  async *watchMarket(id: string, { everyMs = 1_000, signal }: WatchOptions = {}): AsyncGenerator<Market> {
    const options = { retryForMs: Number.POSITIVE_INFINITY, ...(signal !== undefined && { signal }) };
    try {
      for (;;) {
        const lookedMs = this.#around.monotonicMs();
        yield await this.getMarket(id, options);
        const spentMs = this.#around.monotonicMs() - lookedMs;
        await this.#around.sleep(Math.max(0, everyMs - spentMs), signal);
      }
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  }

  /**
   * Opens the stream: newest states, events and orders over one WebSocket that is connected again for as long as the
   * stream is not closed. Needs the scopes of its subscriptions.
   */
  openStream(options: StreamOptions = {}): ToteStream {
    const platform = globalThis as { readonly WebSocket?: WebSocketConstructor };
    const webSocket = options.webSocket ?? platform.WebSocket;
    if (webSocket === undefined)
      throw new TypeError('this platform has no WebSocket: give one, such as that of the package ws');
    const parts = {
      hosts: this.#hosts,
      key: this.#key,
      webSocket,
      around: this.#around,
      orders: this.#defaults,
      diagnose: (signal: AbortSignal) => this.#whyRefused(signal),
    };
    return new ToteStream(parts, options);
  }

  /**
   * A WebSocket does not tell why it was refused; an ordinary request for the stream does. null if the server would
   * have taken it. The stream is down meanwhile, so that it must not wait for reads of the bot.
   */
  async #whyRefused(signal: AbortSignal): Promise<ToteError | null> {
    try {
      const request = { method: 'GET', path: '/stream', isUrgent: true } as const;
      await this.#caller.call(request, { signal, retryForMs: 0 });
      return null;
    } catch (error) {
      return error instanceof ToteError && error.code !== 'upgrade_required' ? error : null;
    }
  }

  async #page<Element>(path: string, query: Query, options: CallOptions): Promise<Page<Element>> {
    const { data, nextCursor } = await this.#caller.call({ method: 'GET', path, query }, options);
    return { data: data as readonly Element[], nextCursor };
  }

  #get<Data>(path: string, options: CallOptions): Promise<Data> {
    return this.#data({ method: 'GET', path }, options);
  }

  /** The API document promises that `data` is of this type: the types are generated from it. */
  async #data<Data>(request: Request, options: CallOptions): Promise<Data> {
    return (await this.#caller.call(request, options)).data as Data;
  }
}
