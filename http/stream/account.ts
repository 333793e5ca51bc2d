/** The channel `account`: the newest durable balance, and keys as they are made. */
import { OVERLOADED, refusedOf } from '../api/refusals.js';
import type { BroadcastReader } from '../broadcast/log.js';
import {
  ACCOUNT,
  BALANCE_CENTS,
  BET,
  BETS_FORM,
  KEY_CREATED,
  KIND,
  SEQ,
  TIME_MS,
} from '../broadcast/records.js';
import { Refused } from '../kit/refused.js';
import type { Link } from '../link/link.js';
import type { BalanceReply } from '../link/questions.js';
import type { Subscribe } from '../wire/stream-requests.js';
import { accountText, type Moment, subscribedText } from '../wire/stream-text.js';
import { endAll, type StreamChannel } from './channel.js';
import type { Connection } from './connection.js';
import { type FanOut, Group } from './fan-out.js';

/** Has members, or connections that wait for their first balance. */
class BalanceGroup extends Group {
  /** -1 before the first change. */
  seq = -1;
  timeMs = 0;
  balanceCents = 0;
  /** The balance is of this command. */
  #balanceSeq = -1;
  isChanged = false;
  newKeys: number[] = [];
  waiting = 0;

  /** `balanceCents` is null if the command has moved no money: the balance may not have arrived yet. */
  see(seq: number, timeMs: number, balanceCents: number | null): void {
    if (balanceCents !== null && seq >= this.#balanceSeq) {
      this.#balanceSeq = seq;
      this.balanceCents = balanceCents;
    }
    if (seq < this.seq) return;
    this.seq = seq;
    this.timeMs = timeMs;
  }
}

export class AccountChannel implements StreamChannel {
  readonly #accounts = new Map<number, BalanceGroup>();
  readonly #asked = new Map<Connection, Subscribe>();
  readonly #record = new Float64Array(BETS_FORM.fields);
  #position = 0;
  readonly #changed: BalanceGroup[] = [];

  constructor(
    private readonly log: BroadcastReader,
    private readonly link: Link,
    private readonly fanOut: FanOut,
    private readonly moment: () => Moment,
  ) {}

  get subscribers(): number {
    return this.#accounts.size;
  }

  subscribe(connection: Connection, request: Subscribe): void {
    const { account, key } = connection.subscriber;
    // Changes are seen from here on: the engine's thread reads the balance later.
    if (this.#accounts.size === 0) this.#position = this.log.end;
    const group = this.#accounts.get(account) ?? new BalanceGroup();
    const isSent = this.link.ask<'balance'>({ key, account }, { kind: 'balance' }, (told) => {
      const answer = 'code' in told ? refusedOf(told) : told;
      if (this.#asked.get(connection) === request) this.#begin(connection, request, group, answer);
    });
    if (!isSent) {
      connection.refuse(request.id, OVERLOADED);
      return;
    }
    this.unsubscribe(connection);
    if (!connection.isOpen) return;
    this.#asked.set(connection, request);
    group.waiting += 1;
    this.#accounts.set(account, group);
  }

  /** A request that waits for its balance is answered, without one: its subscription is over as it begins. */
  unsubscribe(connection: Connection): void {
    const request = this.#asked.get(connection);
    this.#leave(connection);
    if (request !== undefined) this.#confirm(connection, request, this.moment());
  }

  #leave(connection: Connection): void {
    const { account } = connection.subscriber;
    const group = this.#accounts.get(account);
    if (group === undefined) return;
    if (this.#asked.delete(connection)) group.waiting -= 1;
    group.members.delete(connection);
    if (group.members.size + group.waiting === 0) this.#accounts.delete(account);
  }

  #confirm(connection: Connection, { id }: Subscribe, moment: Moment): void {
    connection.send(subscribedText(moment, { id, channel: 'account', markets: null }));
  }

  flush(): void {
    this.read();
    for (const group of this.#changed.splice(0)) {
      group.isChanged = false;
      const newKeys = group.newKeys.splice(0);
      const text = accountText(group, false, group.balanceCents, newKeys);
      this.fanOut.send(group, group.seq, text);
    }
  }

  #begin(
    connection: Connection,
    request: Subscribe,
    group: BalanceGroup,
    answer: BalanceReply | Refused,
  ): void {
    if (answer instanceof Refused) {
      this.#leave(connection);
      connection.refuse(request.id, answer);
      return;
    }
    // A later change may be in the log by now, or the log has overtaken all.
    this.read();
    if (!connection.isOpen) return;
    this.#asked.delete(connection);
    group.waiting -= 1;
    const moment = this.moment();
    group.see(answer.seq, moment.timeMs, answer.balanceCents);
    group.members.set(connection, group.seq);
    this.#confirm(connection, request, moment);
    connection.send(accountText(group, true, group.balanceCents, []));
  }

  /** Also while a flush waits: the log would overtake it. */
  read(): void {
    const { end } = this.log;
    const record = this.#record;
    for (; this.#position < end && this.#accounts.size > 0; this.#position++) {
      if (!this.log.read(this.#position, record)) {
        this.#changed.length = 0;
        endAll('account', this.#accounts.values(), this.#asked.keys());
        return;
      }
      const group = this.#accounts.get(record[ACCOUNT] as number);
      if (group === undefined) continue;
      const isKey = record[KIND] === KEY_CREATED;
      if (isKey) group.newKeys.push(record[BET] as number);
      const balanceCents = isKey ? null : (record[BALANCE_CENTS] as number);
      group.see(record[SEQ] as number, record[TIME_MS] as number, balanceCents);
      if (group.isChanged) continue;
      group.isChanged = true;
      this.#changed.push(group);
    }
  }
}
