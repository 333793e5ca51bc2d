/** The channel `fills`: events of the account's bets. */
import * as R from '../broadcast/records.js';
import { betEventText, eventsText, type Moment } from '../wire/stream-text.js';
import type { Connection } from './connection.js';
import { type EventSource, EventsChannel } from './events.js';
import { type FanOut, Group } from './fan-out.js';

class AccountGroup extends Group {
  /** JSON of its events of the command at hand. */
  readonly events: string[] = [];
}

export class FillsChannel extends EventsChannel {
  readonly #groups = new Map<number, AccountGroup>();
  #joined = 0;
  readonly #fills = new FillTexts();
  readonly #touched: AccountGroup[] = [];

  constructor(
    source: EventSource,
    private readonly fanOut: FanOut,
  ) {
    super('fills', source, R.BETS_FORM.fields);
  }

  override get joined(): number {
    return this.#joined;
  }

  protected override prepare(connection: Connection) {
    const { account } = connection.subscriber;
    const fills = new FillTexts();
    return {
      textOf: (record: Float64Array) => fills.textOf(record, (of) => of === account),
      join: (seq: number) => this.#join(connection, account, seq),
    };
  }

  #join(connection: Connection, account: number, seq: number): void {
    const group = this.#groups.get(account) ?? new AccountGroup();
    this.#groups.set(account, group);
    group.members.set(connection, seq);
    this.#joined += 1;
  }

  protected override sendToAll(record: Float64Array): void {
    const text = this.#fills.textOf(record, (account) => this.#groups.has(account));
    const group = this.#groups.get(record[R.ACCOUNT] as number);
    if (text === null || group === undefined) return;
    if (group.events.length === 0) this.#touched.push(group);
    group.events.push(text);
  }

  protected override endOfCommand(moment: Moment): void {
    if (this.#touched.length === 0) return;
    for (const group of this.#touched.splice(0)) {
      this.fanOut.send(group, moment.seq, eventsText('fills', moment, group.events.splice(0)));
    }
  }

  protected override dropCommand(): Iterable<Group> {
    this.#touched.length = 0;
    return this.#groups.values();
  }

  protected override leave(connection: Connection): void {
    const { account } = connection.subscriber;
    const group = this.#groups.get(account);
    if (group?.members.delete(connection) !== true) return;
    this.#joined -= 1;
    if (group.members.size === 0) this.#groups.delete(account);
  }
}

/** Gets records one after the other: a bet's name is in the record before it. */
class FillTexts {
  #name: string | null = null;

  /** null if it is no bet, or the account has no listeners. */
  textOf(record: Float64Array, isOf: (account: number) => boolean): string | null {
    const name = this.#name;
    this.#name = record[R.KIND] === R.ORDER_NAME ? R.readName(record) : null;
    return isOf(record[R.ACCOUNT] as number) ? betEventText(record, name) : null;
  }
}
