/** The channel `rounds`: every transition of the subscribed markets' rounds. */
import * as R from '../broadcast/records.js';
import type { Subscribe } from '../wire/stream-requests.js';
import { eventsText, type Moment, roundEventText } from '../wire/stream-text.js';
import { MarketGroups } from './channel.js';
import type { Connection } from './connection.js';
import { type EventSource, EventsChannel } from './events.js';
import type { FanOut, Group } from './fan-out.js';

export class RoundsChannel extends EventsChannel {
  readonly #groups = new MarketGroups();
  readonly #events: { readonly market: number; readonly text: string }[] = [];

  constructor(
    source: EventSource,
    private readonly fanOut: FanOut,
  ) {
    super('rounds', source, R.ROUNDS_FORM.fields);
  }

  override get joined(): number {
    return this.#groups.size;
  }

  protected override prepare(connection: Connection, { markets }: Subscribe) {
    const group = this.#groups.find(markets);
    return {
      textOf: (record: Float64Array) =>
        group.has(record[R.MARKET] as number) ? roundEventText(record) : null,
      join: (seq: number) => this.#groups.join(connection, group, seq),
    };
  }

  protected override sendToAll(record: Float64Array): void {
    this.#events.push({ market: record[R.MARKET] as number, text: roundEventText(record) });
  }

  protected override endOfCommand(moment: Moment): void {
    const events = this.#events.splice(0);
    for (const group of this.#groups.values()) {
      const parts = events.filter(({ market }) => group.has(market)).map(({ text }) => text);
      if (parts.length > 0) this.fanOut.send(group, moment.seq, eventsText('rounds', moment, parts));
    }
  }

  protected override dropCommand(): Iterable<Group> {
    this.#events.length = 0;
    return this.#groups.values();
  }

  protected override leave(connection: Connection): void {
    this.#groups.leave(connection);
  }
}
