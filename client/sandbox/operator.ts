/**
 * The parts of the operator API for a bot's author: accounts with keys, and in a sandbox prices and time. Each answer
 * comes after the fact: rounds that end within a move of the clock are settled by then.
 */
import { type ErrorCode, failed } from '../base/errors.js';
import { realSurroundings } from '../base/timing.js';
import type { Crypto, Scope, Tier } from '../base/types.js';
import { Caller } from '../rest/caller.js';
import { Hosts } from '../rest/hosts.js';

export interface OperatorOptions {
  /** The operator API's address with its base path. */
  readonly url?: string;
  /** The operator token, which the server keeps in `operator-token` in its data directory. */
  readonly token: string;
}

export interface BettorOptions {
  readonly name?: string;
  /** GOLD if not given; BRONZE cannot bet. */
  readonly tier?: Tier;
  /** In dollars; 10,000 if not given. */
  readonly balance?: number;
  /** Repeated with the same reference, a call opens no second account, and makes another key of the first. */
  readonly reference?: string;
}

export interface Bettor {
  readonly accountId: string;
  /** The secret of a key that reads, bets and cancels. */
  readonly key: string;
}

export interface Account {
  readonly id: string;
  readonly name: string;
  readonly tier: Tier;
  /** In dollars. */
  readonly balance: number;
  readonly frozen: boolean;
}

interface Refused {
  readonly crypto: string;
  readonly reason: string;
}

export type Prices = Partial<Readonly<Record<Crypto, number>>>;

const BASE = '/operator/v1';
const DEFAULT_URL = `http://127.0.0.1:8081${BASE}`;
/** A move of the clock settles every round on the way. */
const TIMEOUT_MS = 60_000;
const KEY_SCOPES: readonly Scope[] = ['markets:read', 'positions:read', 'orders:write', 'orders:cancel'];

export class OperatorClient {
  readonly #caller: Caller;

  constructor({ url = DEFAULT_URL, token }: OperatorOptions) {
    const given = url.replace(/\/+$/, '');
    const base = /^\w+:\/\/[^/]+$/.test(given) ? given + BASE : given;
    // Nothing is tried again: a clock that was moved twice would be at another time.
    const defaults = { timeoutMs: TIMEOUT_MS, retryForMs: 0 };
    const send: typeof fetch = (input, init) => fetch(input, init);
    const headers = { Authorization: `Bearer ${token}` };
    this.#caller = new Caller(new Hosts([base]), headers, send, defaults, realSurroundings);
  }

  /** With money and a key. */
  async createBettor({ tier = 'GOLD', balance = 10_000, ...given }: BettorOptions = {}): Promise<Bettor> {
    const account = await this.#post<Account>('/accounts', { ...given, tier, balance });
    const key = await this.#post<{ readonly secret: string }>(`/accounts/${account.id}/keys`, {
      scopes: KEY_SCOPES,
    });
    return { accountId: account.id, key: key.secret };
  }

  async getAccount(id: string): Promise<Account> {
    const request = { method: 'GET', path: `/accounts/${encodeURIComponent(id)}` } as const;
    return (await this.#caller.call(request, {})).data as Account;
  }

  /** At the sandbox's present time. Needs the feed `push`. Throws where the server has refused one of the prices. */
  async pushPrices(prices: Prices): Promise<void> {
    const ticks = Object.entries(prices).map(([crypto, price]) => ({ crypto, price }));
    const { refused } = await this.#post<{ readonly refused: readonly Refused[] }>('/prices', ticks);
    const [first] = refused;
    if (first === undefined) return;
    throw failed({ code: 'price_refused' as ErrorCode, detail: `${first.crypto}: ${first.reason}` });
  }

  /** Moves the clock, at most 31 days at a time. Returns the new time, in ms since 1970. Needs the clock `manual`. */
  async advance(advanceMs: number): Promise<number> {
    return Date.parse((await this.#post<{ readonly time: string }>('/clock', { advanceMs })).time);
  }

  async #post<Data>(path: string, body: unknown): Promise<Data> {
    return (await this.#caller.call({ method: 'POST', path, body }, {})).data as Data;
  }
}
