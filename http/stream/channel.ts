/** The base of all channels: their interface, and groups of subscribers by market. */
import { MARKET_IDS, marketOf } from '../../engine/model/domain.js';
import type { Channel, Subscribe } from '../wire/stream-requests.js';
import type { Connection } from './connection.js';
import { Group } from './fan-out.js';

export interface StreamChannel {
  readonly subscribers: number;
  /** All that has changed since the last flush is sent, and in the snapshot of the next `subscribe`. */
  sendChanges?(nowMs: number): void;
  /** The request must fit the channel, and the connection have its scope. Ends an earlier subscription. */
  subscribe(connection: Connection, request: Subscribe): void;
  unsubscribe(connection: Connection): void;
}

/** The log has overtaken the channel. */
export function endAll(channel: Channel, groups: Iterable<Group>, others: Iterable<Connection> = []): void {
  const detail = `the channel ${channel} is far behind: open another stream and resume`;
  const members = [...groups].flatMap((group) => [...group.members.keys()]);
  for (const connection of [...members, ...others]) connection.end('resync_required', detail);
}

class MarketGroup extends Group {
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

/** A group without members is forgotten. */
export class MarketGroups {
  readonly #groups = new Map<string, MarketGroup>();
  readonly #ofConnection = new Map<Connection, MarketGroup>();

  get size(): number {
    return this.#ofConnection.size;
  }

  values(): Iterable<MarketGroup> {
    return this.#groups.values();
  }

  /** `ids` are all markets if absent. The connection joins the group later, by `join`. */
  find(ids: readonly string[] | undefined): MarketGroup {
    const sorted = ids === undefined ? null : ids.toSorted();
    return this.#groups.get(nameOf(sorted)) ?? new MarketGroup(sorted);
  }

  /** `has` is the number up to which the connection has the group's messages. */
  join(connection: Connection, group: MarketGroup, has: number): void {
    this.leave(connection);
    const name = nameOf(group.ids);
    // Another connection may have joined with the same markets since `find`.
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
