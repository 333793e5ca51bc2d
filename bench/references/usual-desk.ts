/**
 * Orders the way they are usually written: everything in SQLite tables, one transaction an order. The same checks in
 * the same order as the engine's (engine/handlers/orders.ts), the same arithmetic, the same answers.
 */
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { assert, must } from '../../engine/base/assert.js';
import { centsOfDollars, oddsE4, payoutCents, percentUpE2 } from '../../engine/base/money.js';
import { RoundSeeds } from '../../engine/fairness.js';
import { betId, marketOf, SIDES } from '../../engine/model/domain.js';
import { ERROR_STATUS, type ErrorCode } from '../../engine/model/errors.js';
import type { BetFacts } from '../../engine/model/events.js';
import { defaultRules, houseOf, type Rules } from '../../engine/model/rules.js';
import { FAIRNESS_TOOLS } from '../../http/fairness-tools.js';
import type { UsualConfig } from './usual-config.js';

export interface UsualOrder {
  readonly marketId: string;
  readonly prediction: 'UP' | 'DOWN';
  readonly amount: number;
  readonly expectedPercent?: number;
  readonly clientSeed?: string;
}

export interface UsualAnswer {
  readonly status: number;
  readonly body: string;
  readonly isReplay: boolean;
}

const SCHEMA = `
  CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance_cents INTEGER NOT NULL, open_bets INTEGER NOT NULL);
  CREATE TABLE keys (digest TEXT PRIMARY KEY, account INTEGER NOT NULL, enabled INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE rounds (
    market TEXT PRIMARY KEY, round_number INTEGER NOT NULL, lock_ms INTEGER NOT NULL, pool_up INTEGER NOT NULL,
    pool_down INTEGER NOT NULL, payout_up INTEGER NOT NULL, payout_down INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE bets (
    id INTEGER PRIMARY KEY, account INTEGER NOT NULL, market TEXT NOT NULL, round_number INTEGER NOT NULL,
    side INTEGER NOT NULL, stake_cents INTEGER NOT NULL, odds_e4 INTEGER NOT NULL, payout_cents INTEGER NOT NULL,
    placed_ms INTEGER NOT NULL, client_seed TEXT
  );
  CREATE TABLE idempotency (
    account INTEGER NOT NULL, key TEXT NOT NULL, content TEXT NOT NULL, answer TEXT NOT NULL, placed_ms INTEGER NOT NULL,
    PRIMARY KEY (account, key)
  ) WITHOUT ROWID;`;

interface RoundRow {
  readonly round_number: number;
  readonly lock_ms: number;
  readonly pool_up: number;
  readonly pool_down: number;
  readonly payout_up: number;
  readonly payout_down: number;
}
interface AccountRow {
  readonly id: number;
  readonly balance_cents: number;
  readonly open_bets: number;
}
interface KnownRow {
  readonly content: string;
  readonly answer: string;
  readonly placed_ms: number;
}

export class UsualDesk {
  readonly #rules: Rules = defaultRules('0'.repeat(64));
  readonly #seeds = new RoundSeeds(Buffer.alloc(32), FAIRNESS_TOOLS);
  readonly #statements: ReturnType<typeof prepare>;
  readonly #transaction: (apiKey: string, key: string | null, order: UsualOrder) => UsualAnswer;

  constructor(config: UsualConfig) {
    const database = new Database(config.file);
    const level = config.durability === 'fsync' ? 2 : 1;
    database.pragma('journal_mode = WAL');
    database.pragma(`synchronous = ${level}`);
    assert(database.pragma('journal_mode', { simple: true }) === 'wal', 'the tables are in WAL mode');
    assert(database.pragma('synchronous', { simple: true }) === level, 'commits are as durable as said');
    database.exec(SCHEMA);
    database.transaction(() => fillTables(database, config, this.#rules))();
    this.#statements = prepare(database);
    const transaction = database.transaction((apiKey: string, key: string | null, order: UsualOrder) =>
      this.#placeInside(apiKey, key, order),
    );
    this.#transaction = transaction.immediate;
  }

  /** When it returns, an accepted order is on disk. */
  place(apiKey: string, idempotencyKey: string | null, order: UsualOrder): UsualAnswer {
    return this.#transaction(apiKey, idempotencyKey, order);
  }

  #placeInside(apiKey: string, key: string | null, order: UsualOrder): UsualAnswer {
    const { account: accountOf, known, forget, round: roundOf } = this.#statements;
    const nowMs = Date.now();
    const account = accountOf.get(sha256(apiKey));
    if (account === undefined) return refusal('invalid_api_key');
    const content = sha256(JSON.stringify(order));
    const before = key === null ? undefined : known.get(account.id, key);
    if (key !== null && before !== undefined) {
      if (before.placed_ms + this.#rules.idempotencyTtlMs > nowMs) {
        if (before.content !== content) return refusal('idempotency_key_reused');
        return { status: 201, body: before.answer, isReplay: true };
      }
      forget.run(account.id, key);
    }
    const round = roundOf.get(order.marketId);
    if (round === undefined) return refusal('market_not_found');
    if (nowMs >= round.lock_ms) return refusal('round_not_live');
    if (nowMs >= round.lock_ms - this.#rules.cutoffMs) return refusal('betting_closed');
    return this.#placeInRound(account, round, order, nowMs, key === null ? null : { key, content });
  }

  #placeInRound(
    account: AccountRow,
    round: RoundRow,
    order: UsualOrder,
    nowMs: number,
    idempotency: { readonly key: string; readonly content: string } | null,
  ): UsualAnswer {
    const rules = this.#rules;
    const market = marketOf(order.marketId);
    const limits = rules.markets[market];
    const stakeCents = centsOfDollars(order.amount);
    if (stakeCents === null) return refusal('invalid_request');
    if (limits === undefined || stakeCents < limits.minStakeCents || stakeCents > limits.maxStakeCents) {
      return refusal('stake_out_of_range');
    }
    const isUp = order.prediction === 'UP';
    const [poolCents, owedCents] = isUp
      ? [round.pool_up, round.payout_up]
      : [round.pool_down, round.payout_down];
    const allCents = round.pool_up + round.pool_down;
    if (order.expectedPercent !== undefined) {
      const upE2 = percentUpE2(round.pool_up, allCents);
      const movedE2 = Math.abs((isUp ? upE2 : 10_000 - upE2) - order.expectedPercent * 100);
      if (movedE2 > rules.slippageE2) return refusal('odds_changed');
    }
    if (account.balance_cents < stakeCents) return refusal('insufficient_balance');
    const [sideCents, totalCents] = [poolCents + stakeCents, allCents + stakeCents];
    const odds = oddsE4(totalCents, sideCents);
    const payout = payoutCents(stakeCents, odds, rules.feeBps);
    if (owedCents + payout > totalCents) return refusal('round_exposure_limit');
    if (account.open_bets >= rules.openBetsMax) return refusal('too_many_open_bets');

    const { pay, joinUp, joinDown, addBet, remember } = this.#statements;
    pay.run(stakeCents, account.id);
    (isUp ? joinUp : joinDown).run(stakeCents, payout, order.marketId);
    const side = isUp ? 0 : 1;
    const clientSeed = order.clientSeed ?? null;
    const { lastInsertRowid } = addBet.run(
      ...[account.id, order.marketId, round.round_number, side, stakeCents, odds, payout, nowMs],
      clientSeed,
    );
    const upE2 = percentUpE2(isUp ? sideCents : totalCents - sideCents, totalCents);
    const facts = {
      ...{ timeMs: nowMs, bet: Number(lastInsertRowid), account: account.id },
      ...{ market, roundNumber: round.round_number, side, stakeCents, oddsE4: odds, payoutCents: payout },
      ...{ entryPercentE2: isUp ? upE2 : 10_000 - upE2, clientSeed },
      newBalanceCents: account.balance_cents - stakeCents,
    };
    const body = answerText(facts, order, this.#seeds.betHash(facts));
    if (idempotency !== null) remember.run(account.id, idempotency.key, idempotency.content, body, nowMs);
    return { status: 201, body, isReplay: false };
  }
}

function answerText(
  facts: Omit<BetFacts, 'type' | 'limitOddsE4' | 'filled'>,
  { marketId }: UsualOrder,
  betHash: string,
): string {
  const bet = {
    ...{ id: betId(facts.bet), marketId, prediction: SIDES[facts.side], amount: facts.stakeCents / 100 },
    ...{ oddsAtBet: facts.oddsE4 / 10_000, entryPercent: facts.entryPercentE2 / 100 },
    ...{ potentialPayout: facts.payoutCents / 100, status: 'ACTIVE', betHash },
    placedAt: new Date(facts.timeMs).toISOString(),
  };
  const data = { bet, newBalance: facts.newBalanceCents / 100, limitOrdersFilled: null };
  return JSON.stringify({ success: true, data });
}

const refusal = (code: ErrorCode): UsualAnswer => ({
  status: ERROR_STATUS[code],
  body: JSON.stringify({ success: false, error: code }),
  isReplay: false,
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function fillTables(database: Database.Database, config: UsualConfig, rules: Rules): void {
  const addAccount = database.prepare('INSERT INTO accounts VALUES (?, ?, 0)');
  const addKey = database.prepare('INSERT INTO keys VALUES (?, ?, 1)');
  config.apiKeys.forEach((apiKey, at) => {
    addAccount.run(at + 1, config.balanceCents);
    addKey.run(sha256(apiKey), at + 1);
  });
  const addRound = database.prepare('INSERT INTO rounds VALUES (?, ?, ?, ?, ?, 0, 0)');
  for (const { marketId, roundNumber, lockTimeMs } of config.rounds) {
    const { seedCents } = houseOf(must(rules.markets[marketOf(marketId)], marketId));
    addRound.run(marketId, roundNumber, lockTimeMs, seedCents, seedCents);
  }
}

function prepare(database: Database.Database) {
  const join = (side: 'up' | 'down') =>
    database.prepare<[stakeCents: number, payout: number, market: string]>(
      `UPDATE rounds SET pool_${side} = pool_${side} + ?, payout_${side} = payout_${side} + ? WHERE market = ?`,
    );
  return {
    account: database.prepare<[digest: string], AccountRow>(
      'SELECT a.* FROM keys k JOIN accounts a ON a.id = k.account WHERE k.digest = ? AND k.enabled = 1',
    ),
    known: database.prepare<[account: number, key: string], KnownRow>(
      'SELECT content, answer, placed_ms FROM idempotency WHERE account = ? AND key = ?',
    ),
    forget: database.prepare<[account: number, key: string]>(
      'DELETE FROM idempotency WHERE account = ? AND key = ?',
    ),
    round: database.prepare<[market: string], RoundRow>('SELECT * FROM rounds WHERE market = ?'),
    pay: database.prepare<[stakeCents: number, account: number]>(
      'UPDATE accounts SET balance_cents = balance_cents - ?, open_bets = open_bets + 1 WHERE id = ?',
    ),
    joinUp: join('up'),
    joinDown: join('down'),
    addBet: database.prepare('INSERT INTO bets VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    remember: database.prepare('INSERT INTO idempotency VALUES (?, ?, ?, ?, ?)'),
  };
}
