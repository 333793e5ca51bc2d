/**
 * Logs events that operators should learn without asking: money, rules, trading, markets, held prices, and rounds that
 * were voided or did not open. Conditions that last are alarms (`http/metrics/alarm-list.ts`).
 */
import { changesOf } from '../../../config/preview.js';
import { must } from '../../../engine/base/assert.js';
import type { PriceTracker } from '../../../engine/host/price-tracker.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import { ASSETS, accountId, marketId, RESULT_VOID, roundId, textAt } from '../../../engine/model/domain.js';
import type {
  BalanceMoved,
  EngineEvent,
  RoundNotOpened,
  RoundResolved,
} from '../../../engine/model/events.js';
import { LOSS_SCOPES } from '../../../engine/model/loss-limits.js';
import type { PriceTick } from '../../../engine/model/ports.js';
import type { Rules } from '../../../engine/model/rules.js';
import type { Log } from '../../../process/log/log.js';

/** A feed that alternates between two prices has one line in this time. */
const HELD_EVERY_MS = 60_000;

export interface EventLogOptions {
  readonly sequencer: Sequencer;
  readonly tracker: PriceTracker;
  /** Never goes backwards. */
  readonly steadyNowMs: () => number;
  readonly log: Log;
}

export class EventLog {
  readonly #heldLoggedMs: number[] = [];
  readonly rounds: RoundLines;
  /** null before the first. */
  #rules: Rules | null;

  constructor(private readonly options: EventLogOptions) {
    this.rounds = new RoundLines(options.log);
    this.#rules = options.sequencer.engine.rules;
    options.tracker.onHeld((tick, last) => this.#onHeld(tick, last.price));
    options.sequencer.onEvents((seq, events) => {
      for (const event of events) this.#onEvent(seq, event);
    });
  }

  #onEvent(sequence: number, event: EngineEvent): void {
    const { log } = this.options;
    const { engine } = this.options.sequencer;
    if (event.type === 'roundResolved' || event.type === 'roundNotOpened') this.rounds.add(sequence, event);
    else if (event.type === 'balanceMoved') this.#onMoney(sequence, event);
    else if (event.type === 'configured') this.#onRules(sequence);
    else if (event.type === 'tradingChanged') log.write('trading_switched', { sequence, ...engine.trading });
    else if (event.type === 'priceConfirmed') {
      const { asset, price, reason } = event;
      log.write('price_confirmed', { sequence, crypto: textAt(ASSETS, asset), price, reason });
    } else if (event.type === 'lossLimitReached') {
      const { scope, lostCents, limitCents } = event;
      const fields = { sequence, scope: textAt(LOSS_SCOPES, scope), lostCents, limitCents };
      log.write('loss_limit_reached', fields);
    } else if (event.type === 'marketSuspended') {
      const kind = engine.isSuspended(event.market) ? 'market_suspended' : 'market_resumed';
      log.write(kind, { sequence, market: marketId(event.market) });
    }
  }

  /** Nobody else says, at a takeover, how the other machine's rules file differs. */
  #onRules(sequence: number): void {
    const { log, sequencer } = this.options;
    const rules = must(sequencer.engine.rules, 'rules in force');
    const changes = this.#rules === null ? [] : changesOf(this.#rules, rules);
    this.#rules = rules;
    log.write('rules_in_force', { sequence, changes });
  }

  #onMoney(sequence: number, { account, amountCents, balanceCents, reason, reference }: BalanceMoved): void {
    if (reason !== 'deposit' && reason !== 'withdrawal') return;
    const owner = account === 0 ? 'house' : accountId(account);
    this.options.log.write(reason, { sequence, account: owner, amountCents, balanceCents, reference });
  }

  #onHeld(tick: PriceTick, lastPrice: number): void {
    const nowMs = this.options.steadyNowMs();
    if (nowMs - (this.#heldLoggedMs[tick.asset] ?? Number.NEGATIVE_INFINITY) < HELD_EVERY_MS) return;
    this.#heldLoggedMs[tick.asset] = nowMs;
    const { price, source } = tick;
    const fields = { crypto: textAt(ASSETS, tick.asset), price, source, lastPrice };
    this.options.log.write('price_held', fields);
  }
}

/** Rounds end on whole minutes. */
const BOUNDARY_MS = 60_000;

/**
 * Rounds of all assets end together, each asset's with a command of its own: one line tells of all that a boundary
 * voids.
 */
export class RoundLines {
  /** The boundary's number, and whether it has got more since the last check. */
  #boundary = -1;
  #isNew = false;
  #sequence = 0;
  #voided: { readonly round: string; readonly reason: string }[] = [];
  readonly #unopened = new Map<RoundNotOpened['reason'], string[]>();

  constructor(private readonly log: Pick<Log, 'write'>) {}

  add(sequence: number, event: RoundResolved | RoundNotOpened): void {
    const boundary = Math.floor(event.timeMs / BOUNDARY_MS);
    if (boundary !== this.#boundary) this.write();
    this.#boundary = boundary;
    if (event.type === 'roundNotOpened') {
      const markets = this.#unopened.get(event.reason) ?? [];
      this.#unopened.set(event.reason, [...markets, marketId(event.market)]);
    } else if (event.result === RESULT_VOID) {
      this.#voided.push({ round: roundId(event.market, event.roundNumber), reason: event.reason });
    } else return;
    this.#sequence = sequence;
    this.#isNew = true;
  }

  /** To be called about once a second: writes a boundary that has not grown since the last call. */
  check(): void {
    if (!this.#isNew) this.write();
    this.#isNew = false;
  }

  write(): void {
    const sequence = this.#sequence;
    if (this.#voided.length > 0) this.log.write('rounds_voided', { sequence, rounds: this.#voided });
    this.#voided = [];
    for (const [reason, markets] of this.#unopened) {
      const isExpected = reason === 'market_hours' || reason === 'suspended' || reason === 'not_active';
      this.log.write(isExpected ? 'rounds_paused' : 'rounds_not_opened', { sequence, reason, markets });
    }
    this.#unopened.clear();
  }
}
