/**
 * An engine after many rounds of one market: bets are placed, settled in slices, dropped, and their rows reused, so
 * that the retained ones have gaps in their numbers and no order in memory.
 */
import { equal } from 'node:assert/strict';
import { Engine } from '../../../engine/engine.js';
import type { Command } from '../../../engine/model/commands.js';
import type { Outcome } from '../../../engine/model/events.js';
import { RULES_VERSION } from '../../../engine/model/rules.js';
import { BTC_1M, DAY_MS, MINUTE_MS, rulesFor } from '../reference/exchange.js';
import { Rng } from '../reference/random/rng.js';
import { plainOrder } from './plain-order.js';

const BALANCE_CENTS = 1_000_000_00;
const HISTORY_BETS = 50;

export class BusyEngine {
  readonly engine = new Engine();
  readonly #rng = new Rng(5);
  readonly #accounts: number;
  #timeMs = DAY_MS;
  #orders = 0;

  constructor(accounts: number) {
    this.#accounts = accounts;
    const timeMs = DAY_MS;
    const rules = { ...rulesFor([BTC_1M]), historyBetsMax: HISTORY_BETS, openBetsMax: 1_000_000 };
    this.#accept({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules });
    this.#accept({ kind: 'depositHouse', timeMs, amountCents: 1_000_000_00, reference: 'capital' });
    for (let account = 1; account <= accounts; account += 1) {
      this.#accept({ kind: 'createAccount', timeMs, name: null, tier: 2, balanceCents: BALANCE_CENTS });
    }
    const opening = { asset: 0, price: 100, priceTimeMs: timeMs, source: null, evidence: '' };
    this.#accept({ kind: 'openLate', timeMs, ...opening });
  }

  /** Ends the round and settles all but the last bets: the engine stands in the middle of a settlement. */
  round(bets: number): void {
    for (let count = 0; count < bets; count += 1) this.#place(Math.floor((count * 30_000) / bets));
    this.#timeMs += MINUTE_MS;
    const timeMs = this.#timeMs;
    this.#accept({ kind: 'advance', timeMs });
    const price = 100 + this.#rng.integer(-2, 2);
    const boundary = { asset: 0, boundaryMs: timeMs, price, priceTimeMs: timeMs, source: null, evidence: '' };
    this.#accept({ kind: 'boundaryPrice', timeMs, ...boundary });
    this.#accept({ kind: 'settle', timeMs, betsMax: bets - this.#rng.integer(1, Math.floor(bets / 3)) });
  }

  #place(sinceMs: number): void {
    const index = this.#orders++;
    this.#accept(
      plainOrder({
        timeMs: this.#timeMs + sinceMs,
        account: this.#rng.integer(1, this.#accounts),
        market: BTC_1M,
        side: index % 2,
        stakeCents: this.#rng.integer(1_00, 9_00),
        idempotency: { keyHigh: 7, keyLow: index, body: index % 5 },
        clientSeed: index % 3 === 0 ? `seed ${index}` : null,
      }),
    );
  }

  #accept(command: Command): Outcome {
    const outcome = this.engine.apply(command);
    equal(outcome.status, 'accepted', JSON.stringify([command, outcome]));
    return outcome;
  }
}
