/**
 * The house as it runs: the real ticks' way to boundary prices and quotes, and the real engine. Markets at which bettors play
 * take the same commands, each in an engine of its own, so that all of them have the same rounds and quotes.
 */
import { assert } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import { PriceTracker } from '../../engine/host/price-tracker.js';
import { Quoter } from '../../engine/host/quoter.js';
import type { Command } from '../../engine/model/commands.js';
import { ASSETS, assetClassOf, assetOf, textAt } from '../../engine/model/domain.js';
import type { PriceTick, TickVerdict } from '../../engine/model/ports.js';
import { RULES_VERSION, type Rules } from '../../engine/model/rules.js';
import type { RoundView } from '../../engine/model/views.js';

export const BALANCE_CENTS = 100_000_000_000_00;
const YEARS_MS = 10 * 365 * 86_400_000;

export class House {
  readonly #engine = new Engine();
  #tracker: PriceTracker;
  #quoter: Quoter;

  /** `rules` have only this market. `follow` takes each command after the house's own engine has. */
  constructor(
    rules: Rules,
    readonly market: number,
    private readonly ratioMax: number,
    beginMs: number,
    private readonly follow: (command: Command) => void,
  ) {
    const timeMs = beginMs;
    this.#do({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules });
    this.#do({ kind: 'depositHouse', timeMs, amountCents: BALANCE_CENTS, reference: 'capital' });
    const assetClass = assetClassOf(textAt(ASSETS, assetOf(market)));
    this.#do({ kind: 'setCalendar', timeMs, assetClass, sessions: [[timeMs, timeMs + YEARS_MS]] });
    [this.#tracker, this.#quoter] = this.#begin(timeMs);
  }

  #begin(nowMs: number): [PriceTracker, Quoter] {
    const tracker = new PriceTracker(this.#engine, undefined, this.ratioMax);
    const quoter = new Quoter(this.#engine, tracker);
    tracker.start(nowMs);
    return [tracker, quoter];
  }

  restart(nowMs: number): void {
    [this.#tracker, this.#quoter] = this.#begin(nowMs);
  }

  get round(): RoundView | null {
    return this.#engine.currentRound(this.market);
  }
  get tick(): PriceTick | null {
    return this.#tracker.latest(assetOf(this.market));
  }

  fairShareE6(nowMs: number): number {
    return this.#quoter.fairShareE6(this.market, nowMs);
  }

  offer(tick: PriceTick, nowMs: number): TickVerdict {
    return this.#tracker.offer(tick, nowMs);
  }

  pump(nowMs: number): void {
    if (this.#engine.nextDueMs <= nowMs) this.#do({ kind: 'advance', timeMs: nowMs });
    this.#tracker.refresh(nowMs);
    for (const command of this.#tracker.boundaryPrices(nowMs)) this.#do(command);
    for (const command of this.#tracker.lateOpens(nowMs)) this.#do(command);
    while (this.#engine.settlementsWaiting) this.#do({ kind: 'settle', timeMs: nowMs, betsMax: 1 });
    this.#tracker.refresh(nowMs);
  }

  #do(command: Command): void {
    const outcome = this.#engine.apply(command);
    assert(outcome.status === 'accepted', `${command.kind} is accepted`);
    this.follow(command);
  }
}
