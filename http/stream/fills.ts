/** The channel `fills`: events of the account's bets. */
import { END_CANCELLED } from '../../engine/model/domain.js';
import * as R from '../broadcast/records.js';
import {
  eventsText,
  type Moment,
  paidText,
  pendingText,
  placedText,
  unfilledText,
} from '../wire/stream-text.js';
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
    return isOf(record[R.ACCOUNT] as number) ? fillText(record, name) : null;
  }
}

function fillText(record: Float64Array, clientOrderId: string | null): string | null {
  const bet = {
    bet: record[R.BET] as number,
    marketSide: record[R.MARKET_SIDE] as number,
    roundNumber: record[R.BET_ROUND_NUMBER] as number,
    stakeCents: record[R.STAKE_CENTS] as number,
    payoutCents: record[R.PAYOUT_CENTS] as number,
    balanceCents: record[R.BALANCE_CENTS] as number,
    clientOrderId,
  };
  const odds = {
    oddsE4: record[R.ODDS_E4] as number,
    entryPercentE2: record[R.ENTRY_PERCENT_E2] as number,
  };
  switch (record[R.KIND]) {
    case R.BET_PLACED:
      return placedText({ ...bet, ...odds });
    case R.ORDER_FILLED:
      return placedText({ ...bet, ...odds }, 'filled');
    case R.ORDER_PENDING:
      return pendingText({ ...bet, oddsE4: odds.oddsE4 });
    case R.ORDER_ENDED:
      return unfilledText(bet, record[R.BET_RESULT] === END_CANCELLED);
    case R.BET_SETTLED:
      return paidText({ ...bet, result: record[R.BET_RESULT] as number });
    default:
      return null;
  }
}
