/**
 * The bettors' habits: polite ones wait and retry, impatient ones send everything three times, careless ones use a
 * key for several orders, racers go for the last millisecond, hedgers bet on both sides, and there are pests.
 */
import type { Rng } from '../../support/reference/random/rng.js';
import { codeOf } from '../audit/answers.js';
import type { ClientRequest, Reply } from '../machine/network.js';
import { type ClientWorld, chosenKey, type KnownKey, keepDoing, type Purse } from './client-world.js';
import {
  badBody,
  instantsOf,
  type OrderBody,
  orderRequest,
  sensibleOrder,
  somebodysMarket,
  timelyOrder,
} from './orders.js';

export const HABITS = [
  ...(['polite', 'hedger', 'impatient', 'racer', 'careless', 'reader', 'hedger', 'whale'] as const),
  ...(['polite', 'pest', 'hedger', 'impatient'] as const),
] as const;
type Habit = (typeof HABITS)[number];
type Act = (key: KnownKey, order: OrderBody | null) => void;

const LISTS: ReadonlySet<string> = new Set(['/positions', '/orders']);
const BURST = 24;
const RETRIES_MAX = 6;
const RETRY_MS = 400;

export class Bettor {
  #orders = 0;
  #isWaiting = false;
  readonly #address: string;

  constructor(
    private readonly world: ClientWorld,
    private readonly rng: Rng,
    readonly number: number,
    readonly habit: Habit,
    private readonly purse: () => Purse | null,
  ) {
    this.#address = `10.0.0.${rng.integer(1, 6)}`;
  }

  start(): void {
    keepDoing(this.world, this.rng, this.world.config.actEveryMs, () => {
      if (!this.world.isCalm) this.act();
    });
  }

  act(): void {
    const purse = this.purse();
    if (purse === null || purse.keys.length === 0) return;
    const key = chosenKey(purse, 'orders:write', this.rng);
    this.world.coverage.hit('client', this.habit);
    const order = timelyOrder(this.world, this.rng);
    // A key that may not write mostly reads.
    const mayWrite = key.scopes.includes('orders:write') || this.rng.chance(0.05);
    this.#acts[mayWrite ? this.habit : 'reader'](key, order);
  }

  readonly #acts: Readonly<Record<Habit, Act>> = {
    polite: (key, order) => {
      if (!this.#isWaiting && order !== null) this.#placeAndRetry(key, this.#newKey(), order, 0);
    },
    impatient: (key, order) => {
      if (order !== null) this.#thrice(key, this.#newKey(), order);
    },
    careless: (key, order) => {
      if (order !== null) this.#send(key, order, `again-${this.rng.integer(1, 40)}`);
    },
    racer: (key) => this.#race(key),
    hedger: (key, order) => {
      if (order !== null) this.#bothSides(key, order);
    },
    whale: (key) => this.#allIn(key),
    reader: (key) => this.#read(key),
    pest: (key) => this.#pester(key),
  };

  #placeAndRetry(key: KnownKey, name: string, body: OrderBody, attempt: number): void {
    this.#isWaiting = true;
    this.world.network.send(orderRequest(key.secret, body, name, this.#address), (reply) => {
      if (isFinal(reply) || attempt >= RETRIES_MAX) this.#isWaiting = false;
      else
        this.world.scheduler.after(RETRY_MS * (attempt + 1), () =>
          this.#placeAndRetry(key, name, body, attempt + 1),
        );
    });
  }

  #thrice(key: KnownKey, name: string, body: OrderBody): void {
    const request = orderRequest(key.secret, body, name, this.#address);
    for (const waitMs of [0, 0, this.rng.integer(1, 3_000)]) {
      this.world.scheduler.after(waitMs, () => this.world.network.send(request, () => {}));
    }
    // Long afterwards the first answer may have been forgotten.
    if (!this.rng.chance(0.05)) return;
    const laterMs = this.rng.pick([60_000, 89_999, 599_000, 605_000]);
    this.world.scheduler.after(laterMs, () => this.world.network.send(request, () => {}));
  }

  #race(key: KnownKey): void {
    const market = somebodysMarket(this.world, this.rng);
    const { nowMs } = this.world.scheduler;
    const instants = instantsOf(this.world, market, nowMs);
    if (instants.length === 0) return;
    const atMs = this.rng.pick(instants);
    for (let i = 0; i < 3; i++) {
      const body = {
        marketId: market.marketId,
        prediction: this.rng.pick(['UP', 'DOWN'] as const),
        amount: market.minStakeCents / 100,
      };
      const offMs = this.rng.pick([-1, 0, 0, 1]);
      this.world.network.sendAt(
        atMs + offMs,
        orderRequest(key.secret, body, this.#newKey(), this.#address),
        () => {},
      );
    }
  }

  #bothSides(key: KnownKey, order: OrderBody): void {
    for (const prediction of ['UP', 'DOWN'] as const)
      this.#send(key, { ...order, prediction }, this.#newKey());
  }

  /** Large stakes on one side, until the limits of balance or exposure. */
  #allIn(key: KnownKey): void {
    const market = somebodysMarket(this.world, this.rng);
    const amount = market.maxStakeCents / 100 / this.rng.pick([1, 2, 5]);
    const rounded = Math.max(1, Math.floor(amount * 100)) / 100;
    for (let i = 0; i < 4; i++) {
      this.#send(
        key,
        { marketId: market.marketId, prediction: 'UP', amount: rounded },
        this.rng.chance(0.5) ? this.#newKey() : null,
      );
    }
  }

  #read(key: KnownKey): void {
    const { rng } = this;
    const market = somebodysMarket(this.world, rng).marketId;
    const base = rng.pick(['/v1', '/v1', '/api/v1']);
    const frameMs = 60_000;
    const round = `${market}_${Math.floor(this.world.scheduler.nowMs / frameMs) - rng.integer(0, 3)}`;
    const [path, query] = rng.pick<readonly [string, string]>([
      ['/markets', ''],
      [`/markets/${market}`, ''],
      ['/prices', ''],
      ['/positions', rng.pick(['', 'status=all', 'status=all&limit=200', 'status=nonsense'])],
      ['/orders', rng.pick(['', 'limit=3', 'limit=200', 'limit=0'])],
      [`/rounds/${round}`, ''],
      ['/rounds/BTC_NEVER_1', ''],
      ['/markets/NO_MARKET', ''],
      ['/markets/%', ''],
    ]);
    const asked = { path: base + path, query: this.#fitting(path, query) };
    const request = { method: 'GET', ...asked, apiKey: key.secret };
    // Many lists at once fill a small ring.
    const times = LISTS.has(path) && rng.chance(0.2) ? BURST : 1;
    for (let i = 0; i < times; i++) this.#request(request);
  }

  #fitting(path: string, query: string): string {
    const { listLimitMax } = this.world.config;
    if (!LISTS.has(path) || listLimitMax >= 200) return query;
    const limit = `limit=${listLimitMax}`;
    if (query.includes('limit=')) return query.replace('limit=200', limit);
    return query === '' ? limit : `${query}&${limit}`;
  }

  #pester(key: KnownKey): void {
    const { rng } = this;
    const bad = badBody(this.world, rng);
    const body = JSON.stringify(sensibleOrder(this.world, rng));
    const contentType = 'application/json';
    const post = { method: 'POST', path: '/v1/orders', apiKey: key.secret, body, contentType };
    this.#request(
      rng.pick<Omit<ClientRequest, 'port' | 'address'>>([
        { ...post, body: bad },
        { ...post, contentType: 'text/plain' },
        { ...post, idempotencyKey: rng.pick(['', '"half', 'x'.repeat(256), 'sp ace']) },
        { ...post, apiKey: '' },
        { ...post, apiKey: `tote_${'A'.repeat(43)}` },
        { ...post, body: JSON.stringify({ marketId: 'NO_MARKET', prediction: 'UP', amount: 5 }) },
        { ...post, method: 'PUT' },
        {
          ...post,
          fault: {
            code: rng.pick(['body_too_large', 'request_timeout', 'invalid_request'] as const),
            detail: 'as the transport found',
          },
        },
        { method: 'GET', path: '/v1/nowhere', apiKey: key.secret },
        { method: 'OPTIONS', path: '/v1/orders', apiKey: '' },
        { method: 'HEAD', path: '/v1/prices', apiKey: key.secret },
        { method: 'GET', path: '/v1/openapi.json', apiKey: '' },
      ]),
    );
  }

  #request(request: Omit<ClientRequest, 'port' | 'address'>): void {
    this.world.network.send({ port: 'public', address: this.#address, ...request }, () => {});
  }

  #send(key: KnownKey, body: OrderBody, idempotencyKey: string | null): void {
    this.world.network.send(orderRequest(key.secret, body, idempotencyKey, this.#address), () => {});
  }

  #newKey(): string {
    const name = `bettor-${this.number}-${++this.#orders}`;
    return this.rng.chance(0.1) ? `"${name}"` : name;
  }
}

const TRIED_AGAIN: readonly string[] = [
  ...['idempotency_in_progress', 'journal_backlog', 'overloaded', 'rate_limited'],
  ...['clock_unsynchronised', 'disk_reserve'],
];

const isFinal = (reply: Reply | null): boolean =>
  reply !== null && (reply.status < 400 || !TRIED_AGAIN.includes(codeOf(reply)));
