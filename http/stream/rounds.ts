/** The channel `rounds`: every transition of the subscribed markets' rounds. */
import * as R from '../broadcast/records.js';
import type { Subscribe } from '../wire/stream-requests.js';
import {
  eventsText,
  lockedText,
  type Moment,
  openedText,
  rootText,
  settledText,
  voidedText,
} from '../wire/stream-text.js';
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

function roundEventText(record: Float64Array): string {
  const market = record[R.MARKET] as number;
  const roundNumber = record[R.ROUND_NUMBER] as number;
  const bets = { bets: record[R.BETS] as number, volumeCents: record[R.VOLUME_CENTS] as number };
  switch (record[R.KIND]) {
    case R.OPENED:
      return openedText(market, roundNumber, {
        openPrice: record[R.OPEN_PRICE] as number,
        startTimeMs: record[R.START_TIME_MS] as number,
        bettingClosesMs: record[R.BETTING_CLOSES_MS] as number,
        lockTimeMs: record[R.LOCK_TIME_MS] as number,
        endTimeMs: record[R.END_TIME_MS] as number,
      });
    case R.LOCKED:
      return lockedText(market, roundNumber);
    case R.ROOT:
      return rootText(market, roundNumber, R.readRoot(record));
    case R.VOIDED:
      return voidedText(market, roundNumber, bets);
    default:
      return settledText(market, roundNumber, {
        ...bets,
        result: record[R.RESULT] as number,
        openPrice: record[R.OPEN_PRICE] as number,
        closePrice: record[R.CLOSE_PRICE] as number,
      });
  }
}
