/**
 * Reads an account's balance together with the sums of its open bets, page by page, so that thousands of bets hold up
 * no other request. All of it is of one moment: if anything has touched the account meanwhile, it is read again.
 */
import { UP } from '../../../engine/model/domain.js';
import { LIST_LIMIT_MAX } from '../../kit/params.js';
import type { Link } from '../../rings/link.js';
import * as replies from '../../rings/replies.js';
import * as requests from '../../rings/requests.js';

export interface OpenBets extends replies.BalanceReply {
  /** Without orders that rest. */
  readonly count: number;
  readonly stakesCents: number;
  readonly payoutUpCents: number;
  readonly payoutDownCents: number;
  readonly pendingCount: number;
  readonly reservedCents: number;
}

type Sums = { -readonly [name in Exclude<keyof OpenBets, keyof replies.BalanceReply>]: OpenBets[name] };

const NOTHING: Sums = {
  count: 0,
  stakesCents: 0,
  payoutUpCents: 0,
  payoutDownCents: 0,
  pendingCount: 0,
  reservedCents: 0,
};

/** An account that is touched during so many readings in a row is too busy. */
const ATTEMPTS_MAX = 5;
/** A ring is full, or the account changes too often. */
export const BUSY: replies.RefusalFacts = { code: 'overloaded', detail: '' };
const OPEN = {
  status: 'open',
  isByChange: false,
  market: null,
  roundNumber: null,
  beforeMs: null,
  clientOrderId: null,
} as const;

export class OpenBetsReader {
  #attempts = 0;
  #balance: replies.BalanceReply | null = null;
  #sums: Sums = { ...NOTHING };

  /** `onRead` is called once. */
  constructor(
    private readonly link: Link,
    private readonly asker: requests.Asker,
    private readonly onRead: (read: OpenBets | replies.RefusalFacts) => void,
  ) {}

  start(): void {
    this.#attempts += 1;
    this.#balance = null;
    this.#sums = { ...NOTHING };
    const isSent = this.#ask((balance) => {
      if ('seq' in balance) this.#balance = balance;
    });
    if (!isSent || !this.#askPage([])) this.onRead(BUSY);
  }

  #askPage(cursor: readonly number[]): boolean {
    const list = { ...OPEN, cursor, limit: LIST_LIMIT_MAX };
    let next: readonly number[] = [];
    let refusal: replies.RefusalFacts | null = null;
    const isSent = this.link.send(
      (ring, ticket) => requests.sendList(ring, ticket, this.asker, list),
      (kind, ring) => {
        if (kind === replies.REFUSED) refusal = replies.readRefusal(ring);
        else next = this.#add(replies.readBets(ring));
      },
    );
    return isSent && this.#ask((balance) => this.#goOn(refusal ?? balance, next));
  }

  #ask(onBalance: (balance: replies.BalanceReply | replies.RefusalFacts) => void): boolean {
    return this.link.send(
      (ring, ticket) => requests.sendBalance(ring, ticket, this.asker),
      (kind, ring) =>
        onBalance(kind === replies.REFUSED ? replies.readRefusal(ring) : replies.readBalance(ring)),
    );
  }

  #add({ bets, next }: replies.BetsReply): readonly number[] {
    const sums = this.#sums;
    for (const { status, side, stakeCents, payoutCents } of bets) {
      if (status === 'PENDING') {
        sums.pendingCount += 1;
        sums.reservedCents += stakeCents;
        continue;
      }
      sums.count += 1;
      sums.stakesCents += stakeCents;
      if (side === UP) sums.payoutUpCents += payoutCents;
      else sums.payoutDownCents += payoutCents;
    }
    return next;
  }

  #goOn(balance: replies.BalanceReply | replies.RefusalFacts, next: readonly number[]): void {
    if ('code' in balance) this.onRead(balance);
    else if (balance.seq !== this.#balance?.seq) {
      if (this.#attempts < ATTEMPTS_MAX) this.start();
      else this.onRead(BUSY);
    } else if (next.length > 0) {
      if (!this.#askPage(next)) this.onRead(BUSY);
    } else this.onRead({ ...balance, ...this.#sums });
  }
}
