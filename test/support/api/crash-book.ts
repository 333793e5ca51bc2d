/**
 * The book of a killed server's clients: their orders with their keys, and the answers. After a restart an
 * acknowledged order must exist exactly once, and any other was placed once or not at all: repeated with its
 * Idempotency-Key it shows which.
 */
import assert from 'node:assert/strict';
import { must } from '../../../engine/base/assert.js';
import type { Answered } from '../http/client.js';
import type { Rng } from '../reference/random/rng.js';
import { codeOf } from './api-client.js';
import { ClockStopped, type Sandbox, type Trader } from './api-client-sandbox.js';
import { IDEMPOTENCY_MS, type OrderRequest, type OrderResult, type Position } from './spec.js';
import { cents } from './spec-arithmetic.js';

const BALANCE = 1_000_000;
/** No account places as many, so that its list is its whole history. */
const LIST_MAX = 200;
/** Orders of earlier audits that are sent again. */
const OLDER_RETRIED = 200;
const RETRY_LANES = 16;
const REFUSALS = /^(round_exposure_limit|betting_closed|round_not_live|insufficient_balance)$/;
/** Refusals that say nothing of the order itself: it may be sent again. */
const NOT_NOW = /^(idempotency_in_progress|shutting_down|disk_reserve|journal_backlog)$/;

interface Attempt {
  readonly trader: number;
  readonly key: string;
  readonly order: OrderRequest;
  acknowledged: string | null;
  isRefused: boolean;
  /** Sent at least once without an answer: it may have been placed, whatever the answers to its copies. */
  isUnanswered: boolean;
}

export interface Audit {
  readonly acknowledged: number;
  /** Unanswered orders that had been placed; `lost` had not. */
  readonly survived: number;
  readonly lost: number;
}

export class CrashBook {
  readonly #attempts: Attempt[] = [];
  readonly #traders: Trader[] = [];
  #audited = 0;

  constructor(
    public sandbox: Sandbox,
    private readonly rng: Rng,
  ) {}

  async addTraders(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      this.#traders.push(await this.sandbox.trader({ tier: 'VIP', balance: BALANCE }));
    }
  }

  hasRoomFor(orders: number): boolean {
    return this.#attempts.length + orders < (this.#traders.length * LIST_MAX) / 2;
  }

  /**
   * Connections send one order after the other until the server is gone, now and then one twice. Meanwhile a round of
   * a minute ends and settles.
   */
  async loadUntilGone(connections: number, onAnswer: (acknowledged: number) => void): Promise<void> {
    let acknowledged = 0;
    const bet = async (): Promise<boolean> => {
      const attempt = this.#newAttempt();
      const times = this.rng.chance(0.1) ? 2 : 1;
      let unanswered = times;
      const sent = Array.from({ length: times }, async () => {
        attempt.isUnanswered = true;
        const answered = await this.#send(attempt);
        unanswered -= 1;
        attempt.isUnanswered = unanswered > 0;
        this.#note(attempt, answered);
        if (attempt.acknowledged !== null) onAnswer(++acknowledged);
      });
      const results = await Promise.allSettled(sent);
      const failed = results.filter((result) => result.status === 'rejected');
      for (const { reason } of failed) if (!isGone(reason)) throw reason;
      return failed.length === 0;
    };
    const connection = async (): Promise<void> => {
      while (await bet());
    };
    const settling = this.sandbox.closeMinute({ BTC: 67_000 + this.rng.integer(-5, 5) }).catch(ignoreGone);
    await Promise.all([...Array.from({ length: connections }, connection), settling]);
    await this.sandbox.server.run.ended;
  }

  async audit(): Promise<Audit> {
    const books = await Promise.all(this.#traders.map((trader) => this.#ordersOf(trader)));
    this.#checkAcknowledged(books);
    const fresh = this.#attempts.slice(this.#audited);
    const acknowledged = fresh.filter((attempt) => attempt.acknowledged !== null).length;
    const retried = await this.#retry(books);
    await this.#checkLedger();
    this.#audited = this.#attempts.length;
    return { acknowledged, ...retried };
  }

  #newAttempt(): Attempt {
    const { rng } = this;
    const attempt: Attempt = {
      trader: rng.integer(0, this.#traders.length - 1),
      key: `order-${this.#attempts.length}`,
      order: {
        marketId: rng.chance(0.5) ? 'BTC_ONE_MINUTE' : 'BTC_ONE_DAY',
        prediction: rng.chance(0.5) ? 'UP' : 'DOWN',
        amount: rng.integer(100, 2_000) / 100,
        ...(rng.chance(0.3) && { clientSeed: `seed ${this.#attempts.length}` }),
      },
      acknowledged: null,
      isRefused: false,
      isUnanswered: false,
    };
    this.#attempts.push(attempt);
    return attempt;
  }

  #send({ trader, key, order }: Attempt): Promise<Answered<OrderResult>> {
    const { secret } = must(this.#traders[trader], 'trader');
    return this.sandbox.api(secret).order(order, { 'Idempotency-Key': key });
  }

  /** Two answers under one key must tell the same. */
  #note(attempt: Attempt, answered: Answered<OrderResult>): void {
    if (answered.status === 201) {
      assert.equal(answered.text, attempt.acknowledged ?? answered.text, attempt.key);
      attempt.acknowledged = answered.text;
    } else if (!NOT_NOW.test(codeOf(answered))) {
      assert.match(codeOf(answered), REFUSALS, answered.text);
      attempt.isRefused = true;
    }
  }

  async #ordersOf(trader: Trader): Promise<Map<string, Position>> {
    const orders = await this.sandbox.api(trader.secret).orders(`?limit=${LIST_MAX}`);
    assert.ok(orders.length < LIST_MAX, 'the list is the whole history');
    const byId = new Map(orders.map((order) => [order.id, order]));
    assert.equal(byId.size, orders.length, 'no bet stands twice');
    return byId;
  }

  #checkAcknowledged(books: readonly Map<string, Position>[]): void {
    for (const { trader, acknowledged, order } of this.#attempts) {
      if (acknowledged === null) continue;
      const bet = betOf(acknowledged);
      const found = must(must(books[trader], 'book').get(bet.id), `acknowledged ${bet.id}`);
      const terms = [found.marketId, found.prediction, found.amount];
      assert.deepEqual(terms, [order.marketId, order.prediction, order.amount]);
      const answer = [found.oddsAtBet, found.potentialPayout, found.placedAt];
      assert.deepEqual(answer, [bet.oddsAtBet, bet.potentialPayout, bet.placedAt]);
    }
  }

  /**
   * Repeats orders since the last audit and some older ones: acknowledged ones replay, others show whether they were
   * placed.
   */
  async #retry(
    books: readonly Map<string, Position>[],
  ): Promise<{ readonly survived: number; readonly lost: number }> {
    const found = { survived: 0, lost: 0 };
    const older = Array.from({ length: this.#audited > 0 ? OLDER_RETRIED : 0 }, () =>
      this.rng.integer(0, this.#audited - 1),
    );
    const fresh = this.#attempts.slice(this.#audited);
    const again = [...fresh, ...[...new Set(older)].map((index) => must(this.#attempts[index], 'attempt'))];
    const lane = async (): Promise<void> => {
      for (let next = again.pop(); next !== undefined; next = again.pop()) {
        await this.#retryOne(next, books, found);
      }
    };
    await Promise.all(Array.from({ length: RETRY_LANES }, lane));
    return found;
  }

  async #retryOne(
    attempt: Attempt,
    books: readonly Map<string, Position>[],
    found: { survived: number; lost: number },
  ): Promise<void> {
    if (attempt.isRefused && !attempt.isUnanswered && attempt.acknowledged === null) return;
    if (this.#isForgotten(attempt)) return;
    const wasAcknowledged = attempt.acknowledged !== null;
    const answered = await this.#send(attempt);
    this.#note(attempt, answered);
    const isReplay = answered.headers.get('X-Idempotent-Replay') === 'true';
    if (wasAcknowledged) {
      assert.ok(answered.status === 201 && isReplay, `${attempt.key}: ${answered.text}`);
      return;
    }
    if (isReplay) found.survived++;
    else found.lost++;
    if (answered.status !== 201) return;
    const wasThere = must(books[attempt.trader], 'book').has(answered.data.bet.id);
    assert.equal(wasThere, isReplay, `${attempt.key} was placed before, or is placed now, not both`);
  }

  /** Keys are remembered for 10 minutes of the manual clock: under an older one an order would be a new bet. */
  #isForgotten({ acknowledged }: Attempt): boolean {
    if (acknowledged === null) return false;
    return this.sandbox.nowMs - Date.parse(betOf(acknowledged).placedAt) >= IDEMPOTENCY_MS;
  }

  /** Bets are those of acknowledged keys and no others, and each balance is the first deposit less its bets. */
  async #checkLedger(): Promise<void> {
    for (const [index, trader] of this.#traders.entries()) {
      const book = await this.#ordersOf(trader);
      const mine = this.#attempts.flatMap(({ trader: owner, acknowledged }) =>
        owner === index && acknowledged !== null ? [betOf(acknowledged).id] : [],
      );
      assert.deepEqual([...book.keys()].sort(), mine.sort(), `bets of ${trader.accountId}`);
      let balance = cents(BALANCE);
      for (const { amount, payout } of book.values()) balance += cents(payout ?? 0) - cents(amount);
      assert.equal(cents(await this.sandbox.balance(trader.accountId)), balance, trader.accountId);
    }
    await this.sandbox.checkConservation();
  }
}

const betOf = (acknowledged: string): OrderResult['bet'] =>
  (JSON.parse(acknowledged) as { data: OrderResult }).data.bet;

/** `fetch` throws a TypeError where a connection breaks, and a server that stops lets no minute end. */
const isGone = (error: unknown): boolean => error instanceof TypeError || error instanceof ClockStopped;
const ignoreGone = (error: unknown): void => {
  if (!isGone(error)) throw error;
};
