/** The real engine with one market, at which a strategy plays round after round. */
import { assert, must } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import type { Command } from '../../engine/model/commands.js';
import { assetOf, TIERS, UP } from '../../engine/model/domain.js';
import type { EngineEvent } from '../../engine/model/events.js';
import { RULES_VERSION, type Rules } from '../../engine/model/rules.js';
import type { RoundView } from '../../engine/model/views.js';
import { availableCents } from '../../engine/quotes/exposure.js';
import { quotedUpCents } from '../../engine/quotes/split.js';
import { LATENESS_MS, type Tape } from './tape.js';

const BALANCE_CENTS = 100_000_000_000_00;
const BEGIN_MS = Date.UTC(2026, 0, 5);
const FIRST_PRICE = 100;
const FILLS_AT_ONCE = 200;

/** What a bettor sees and does at one moment. */
export interface Moment {
  readonly index: number;
  /** Moments of the round in all. */
  readonly count: number;
  readonly openPrice: number;
  readonly price: number;
  /** The truth, for those who know it. */
  readonly probabilityUp: number;
  readonly feeBps: number;
  readonly minStakeCents: number;
  /** The published pool of a side, in cents. */
  poolCents(side: number): number;
  /** Up to which stake a bet on the side is accepted, in cents. */
  availableCents(side: number): number;
  /** False where the house refuses. */
  bet(side: number, stakeCents: number): boolean;
  /** A limit order, which is placed at once or rests. */
  rest(side: number, stakeCents: number, limitOddsE4: number): void;
  /** Cancels all orders that rest. */
  cancelAll(): void;
}

/** What a bettor does in a round, moment after moment. */
export type Play = (moment: Moment) => void;
export interface Strategy {
  readonly name: string;
  /** Index into `LATENESS_MS`: how much earlier than the house the bettor has prices. */
  readonly lateness: number;
  readonly newRound: () => Play;
}

export interface RoundResult {
  readonly houseCents: number;
  readonly stakedCents: number;
  readonly bets: number;
  readonly refused: number;
}

export class Desk implements Moment {
  readonly #engine = new Engine();
  readonly #market: number;
  #round: RoundView;
  #nowMs: number;
  #tape: Tape | null = null;
  #fairShareE6 = -1;
  /** Numbers of orders that rest. */
  readonly #resting = new Set<number>();
  #bets = 0;
  #refused = 0;
  #stakedCents = 0;
  index = 0;
  count = 0;
  openPrice = 0;
  price = 0;
  probabilityUp = 0;

  /** `rules` have this one market. */
  constructor(rules: Rules, market: number) {
    this.#market = market;
    this.#nowMs = BEGIN_MS;
    const timeMs = BEGIN_MS;
    this.#do({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules });
    this.#do({ kind: 'depositHouse', timeMs, amountCents: BALANCE_CENTS, reference: 'capital' });
    const tier = TIERS.indexOf('VIP');
    this.#do({ kind: 'createAccount', timeMs, name: null, tier, balanceCents: BALANCE_CENTS });
    const asset = assetOf(market);
    this.#do({
      kind: 'openLate',
      timeMs,
      asset,
      price: FIRST_PRICE,
      priceTimeMs: timeMs,
      source: null,
      evidence: '',
    });
    this.#round = this.#current();
  }

  get feeBps(): number {
    return this.#round.feeBps;
  }
  get minStakeCents(): number {
    return this.#round.minStakeCents;
  }

  /** Plays the next round. */
  play(tape: Tape, { lateness, newRound }: Strategy): RoundResult {
    assert(lateness < LATENESS_MS.length, 'a lateness that was recorded');
    const shares = must(tape.fairSharesE6[lateness], 'fair shares');
    const beganMs = this.#round.startTimeMs;
    this.#tape = tape;
    this.count = tape.timesMs.length;
    this.openPrice = tape.openPrice;
    this.#bets = 0;
    this.#refused = 0;
    this.#stakedCents = 0;
    const act = newRound();
    for (let i = 0; i < this.count; i++) {
      this.index = i;
      this.#nowMs = beganMs + (tape.timesMs[i] as number);
      this.price = tape.prices[i] as number;
      this.probabilityUp = tape.probabilitiesUp[i] as number;
      this.#fairShareE6 = shares[i] as number;
      this.#fill();
      act(this);
    }
    return { ...this.#end(), stakedCents: this.#stakedCents, bets: this.#bets, refused: this.#refused };
  }

  poolCents(side: number): number {
    const upCents = quotedUpCents(this.#round, this.#fairShareE6);
    return side === UP ? upCents : this.#round.poolUpCents + this.#round.poolDownCents - upCents;
  }

  availableCents(side: number): number {
    return availableCents(this.#round, side, this.#fairShareE6);
  }

  bet(side: number, stakeCents: number): boolean {
    const outcome = this.#engine.placeOrder(
      {
        kind: 'placeOrder',
        timeMs: this.#nowMs,
        account: 1,
        key: 1,
        market: this.#market,
        side,
        stakeCents,
        expectedPercentE6: -1,
        limitOddsE4: 0,
        idempotency: null,
        clientSeed: null,
        fairShareE6: this.#fairShareE6,
      },
      null,
    );
    if (outcome.status === 'accepted') {
      this.#take(outcome.events);
      return true;
    }
    const isExposure = outcome.status === 'rejected' && outcome.code === 'round_exposure_limit';
    assert(isExposure, `a bet is refused for its exposure only: ${JSON.stringify(outcome)}`);
    this.#refused++;
    return false;
  }

  rest(side: number, stakeCents: number, limitOddsE4: number): void {
    const timeMs = this.#nowMs;
    const order = { account: 1, key: 1, market: this.#market, side, stakeCents, limitOddsE4 };
    const about = {
      expectedPercentE6: -1,
      idempotency: null,
      clientSeed: null,
      fairShareE6: this.#fairShareE6,
    };
    this.#take(this.#do({ kind: 'placeOrder', timeMs, ...order, ...about }));
  }

  cancelAll(): void {
    for (const bet of this.#resting)
      this.#do({ kind: 'cancelOrder', timeMs: this.#nowMs, account: 1, key: 1, bet });
    this.#resting.clear();
  }

  /** What the house does at each price: it fills what its new quote allows. */
  #fill(): void {
    if (this.#resting.size === 0) return;
    const [market, fairShareE6, timeMs] = [this.#market, this.#fairShareE6, this.#nowMs];
    while (this.#engine.isFillable(market, fairShareE6, timeMs))
      this.#take(this.#do({ kind: 'fillOrders', timeMs, market, fairShareE6, ordersMax: FILLS_AT_ONCE }));
  }

  #take(events: readonly EngineEvent[]): void {
    for (const event of events) {
      if (event.type === 'orderPending') this.#resting.add(event.bet);
      if (event.type !== 'betPlaced' && event.type !== 'orderFilled') continue;
      this.#resting.delete(event.bet);
      this.#bets++;
      this.#stakedCents += event.stakeCents;
    }
  }

  /** Ends the round at the tape's price, settles it, and begins the next one at that price. */
  #end(): { readonly houseCents: number } {
    const { closePrice, openPrice } = must(this.#tape, 'tape');
    const timeMs = this.#round.endTimeMs;
    // The engine's round opened at another price than the tape's: what counts is whether it rose or fell.
    const own = must(this.#round.openPrice, 'open price');
    const price = closePrice > openPrice ? own * 1.01 : closePrice < openPrice ? own / 1.01 : own;
    const before = this.#houseCents();
    this.#do({ kind: 'advance', timeMs: this.#round.lockTimeMs });
    this.#do({ kind: 'advance', timeMs });
    const asset = assetOf(this.#market);
    const priced = { asset, boundaryMs: timeMs, price, priceTimeMs: timeMs, source: null, evidence: '' };
    this.#do({ kind: 'boundaryPrice', timeMs, ...priced });
    while (this.#engine.settlementsWaiting) this.#do({ kind: 'settle', timeMs, betsMax: 10_000 });
    this.#resting.clear();
    this.#round = this.#current();
    return { houseCents: this.#houseCents() - before };
  }

  /** What the house has, what is in open rounds of it included. */
  #houseCents(): number {
    const { houseCents, openSeedsCents } = this.#engine.totals();
    return houseCents + openSeedsCents;
  }

  #current(): RoundView {
    return must(this.#engine.currentRound(this.#market), 'open round');
  }

  #do(command: Command): readonly EngineEvent[] {
    const outcome = this.#engine.apply(command);
    assert(outcome.status === 'accepted', `${command.kind} is accepted`);
    return outcome.events;
  }
}
