/** What all channels have in common. */
import { MARKET_IDS, marketOf } from '../../engine/model/domain.js';
import type { Subscribe } from '../wire/stream-requests.js';
import type { Connection } from './connection.js';
import { Group } from './fan-out.js';

/** A channel at one gateway, with its subscribers. */
export interface StreamChannel {
  readonly subscribers: number;
  /** To be called before `subscribe`: what has changed since the last flush goes to the others first. They must not miss it. */
  sendChanges?(nowMs: number): void;
  /** The request is known to fit the channel, and the connection to have its scope. Ends an earlier subscription. */
  subscribe(connection: Connection, request: Subscribe): void;
  /** Does nothing without a subscription. */
  unsubscribe(connection: Connection): void;
}

/** A group of those who subscribe to the same markets. */
export class MarketGroup extends Group {
  /** In ascending order. */
  readonly markets: readonly number[];
  readonly #has: readonly boolean[];

  constructor(readonly ids: readonly string[] | null) {
    super();
    this.markets = (ids ?? MARKET_IDS).map(marketOf).sort((a, b) => a - b);
    this.#has = MARKET_IDS.map((_, market) => this.markets.includes(market));
  }

  has(market: number): boolean {
    return this.#has[market] === true;
  }
}

/** The groups of a channel, by their markets. A group without members is forgotten. */
export class MarketGroups {
  readonly #groups = new Map<string, MarketGroup>();
  readonly #ofConnection = new Map<Connection, MarketGroup>();

  get size(): number {
    return this.#ofConnection.size;
  }

  values(): Iterable<MarketGroup> {
    return this.#groups.values();
  }

  groupOf(connection: Connection): MarketGroup | undefined {
    return this.#ofConnection.get(connection);
  }

  /** The group of those who subscribe to these markets, all of them if absent. It is joined by `join`. */
  find(ids: readonly string[] | undefined): MarketGroup {
    const sorted = ids === undefined ? null : ids.toSorted();
    return this.#groups.get(nameOf(sorted)) ?? new MarketGroup(sorted);
  }

  /** `has` is the number up to which the connection has what is sent to the group. */
  join(connection: Connection, group: MarketGroup, has: number): void {
    this.leave(connection);
    const name = nameOf(group.ids);
    // Another may have joined with the same markets since `find`.
    const shared = this.#groups.get(name) ?? group;
    this.#groups.set(name, shared);
    this.#ofConnection.set(connection, shared);
    shared.members.set(connection, has);
  }

  leave(connection: Connection): void {
    const group = this.#ofConnection.get(connection);
    if (group === undefined) return;
    this.#ofConnection.delete(connection);
    group.members.delete(connection);
    if (group.members.size === 0) this.#groups.delete(nameOf(group.ids));
  }
}

const nameOf = (ids: readonly string[] | null): string => ids?.join() ?? '';
