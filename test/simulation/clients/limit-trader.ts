/**
 * Traders with limit orders, most of which rest. They cancel their own while those rest, just as they are filled,
 * long afterwards, twice, and sometimes somebody else's.
 */
import type { Rng } from '../../support/reference/random/rng.js';
import type { ClientRequest, Reply } from '../machine/network.js';
import { type ClientWorld, chosenKey, type KnownKey, keepDoing, type Purse } from './client-world.js';
import { type OrderBody, orderRequest, timelyOrder } from './orders.js';

const REMEMBERED_MAX = 30;
const RETRY_MS = 700;
const RETRIES_MAX = 4;

/** A bet's guard is over in moments; the end of an order that rests is some seconds away. */
const later = (validUntil: string, nowMs: number): string =>
  new Date(nowMs + 100 * (Date.parse(validUntil) - nowMs)).toISOString();

export type KnownOrders = string[];

export class LimitTrader {
  #orders = 0;
  readonly #own: string[] = [];

  constructor(
    private readonly world: ClientWorld,
    private readonly rng: Rng,
    private readonly number: number,
    private readonly purse: () => Purse | null,
    private readonly known: KnownOrders,
  ) {}

  start(): void {
    keepDoing(this.world, this.rng, this.world.config.actEveryMs, () => {
      if (!this.world.isCalm) this.#act();
    });
  }

  #act(): void {
    const purse = this.purse();
    if (purse === null || purse.keys.length === 0) return;
    const key = chosenKey(purse, 'orders:cancel', this.rng);
    this.world.coverage.hit('client', 'limit trader');
    this.rng.weighted<() => void>([
      [10, () => this.#place(key)],
      [3, () => this.#cancel(key)],
      [0.4, () => this.#cancelAll(key)],
    ])();
  }

  #place(key: KnownKey): void {
    const order = timelyOrder(this.world, this.rng);
    if (order === null) return;
    const { marketId, prediction, amount, clientSeed, roundId, validUntil } = order;
    const { nowMs } = this.world.scheduler;
    const body: OrderBody = {
      marketId: this.rng.chance(0.005) ? 'NO_MARKET' : marketId,
      prediction,
      amount,
      limitOdds: this.#limitOdds(),
      ...(clientSeed !== undefined && { clientSeed }),
      ...(roundId !== undefined && { roundId }),
      ...(validUntil !== undefined && { validUntil: later(validUntil, nowMs) }),
    };
    const name = this.#newKey();
    this.#send(key, body, name, 0);
    // The same again while the first is under way, or when it may have been filled.
    if (name !== null && this.rng.chance(0.3))
      this.world.scheduler.after(this.rng.pick([0, 1, 50, 5_000, 40_000]), () =>
        this.#send(key, body, name, RETRIES_MAX),
      );
  }

  /** Mostly one of its own, sometimes none, and sometimes the last one for another order. */
  #newKey(): string | null {
    return this.rng.weighted<() => string | null>([
      [14, () => `limit-${this.number}-${++this.#orders}`],
      [6, () => null],
      [0.5, () => `limit-${this.number}-${this.#orders}`],
    ])();
  }

  /** Around the odds of pools that are alike, so that a little of either side's money or of the price fills many. */
  #limitOdds(): number {
    return this.rng.weighted<() => number>([
      [10, () => this.rng.integer(190, 215) / 100],
      [5, () => this.rng.integer(150, 300) / 100],
      [2, () => this.rng.pick([1.01, 1.1, 4, 9.99, 10, 25.5, 1_000])],
    ])();
  }

  #send(key: KnownKey, body: OrderBody, name: string | null, attempt: number): void {
    this.world.network.send(orderRequest(key.secret, body, name, `10.1.0.${this.number}`), (reply) => {
      if (reply?.status === 201) this.#note(key, reply);
      else if (reply === null && name !== null && attempt < RETRIES_MAX)
        this.world.scheduler.after(RETRY_MS * (attempt + 1), () => this.#send(key, body, name, attempt + 1));
    });
  }

  /** Now and then an order is cancelled soon after its answer, whatever has become of it. */
  #note(key: KnownKey, reply: Reply): void {
    const { data } = JSON.parse(reply.text) as { data: { bet: { id: string } } };
    for (const list of [this.#own, this.known]) {
      list.push(data.bet.id);
      if (list.length > REMEMBERED_MAX) list.shift();
    }
    if (!this.rng.chance(0.2)) return;
    const { id } = data.bet;
    this.world.scheduler.after(this.rng.pick([0, 10, 1_000, 8_000, 30_000]), () =>
      this.#cancelOne(key, id, 0),
    );
  }

  #cancel(key: KnownKey): void {
    const of = this.rng.weighed([12, 2, 1], [this.#own, this.known, ['bet_999999999', 'bet_1', 'order_7']]);
    if (of.length === 0) return;
    const id = this.rng.pick(of);
    this.#cancelOne(key, id, 0);
    if (this.rng.chance(0.2)) this.#cancelOne(key, id, RETRIES_MAX);
  }

  #cancelAll(key: KnownKey): void {
    const query = this.rng.pick(['', 'prediction=UP', 'marketId=BTC_ONE_MINUTE', 'marketId=nowhere']);
    this.world.network.send({ ...this.#delete(key), query }, () => undefined);
  }

  #delete(key: KnownKey, order = ''): ClientRequest {
    const from = { apiKey: key.secret, address: `10.1.0.${this.number}` };
    return { port: 'public', method: 'DELETE', path: `/v1/orders${order}`, ...from };
  }

  #cancelOne(key: KnownKey, id: string, attempt: number): void {
    this.world.network.send(this.#delete(key, `/${id}`), (reply) => {
      if (reply !== null || attempt >= RETRIES_MAX) return;
      this.world.scheduler.after(RETRY_MS * (attempt + 1), () => this.#cancelOne(key, id, attempt + 1));
    });
  }
}
