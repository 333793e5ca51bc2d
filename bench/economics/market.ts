/** The market, as one bettor sees it and bets in it at each moment. Bets move no prices. */
import { assert, must } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import { RestingOrders } from '../../engine/host/resting-orders.js';
import type { Command, SubmittedCommand } from '../../engine/model/commands.js';
import { TIERS, UP } from '../../engine/model/domain.js';
import type { Outcome } from '../../engine/model/events.js';
import type { RoundView } from '../../engine/model/views.js';
import { availableCents } from '../../engine/quotes/exposure.js';
import { quotedUpCents } from '../../engine/quotes/split.js';
import { BALANCE_CENTS } from './house.js';

export interface Strategy {
  readonly name: string;
  readonly sight: 'public' | 'informed';
  readonly newRound: () => (moment: Market) => void;
}

export interface RoundResult {
  readonly beginMs: number;
  readonly houseCents: number;
  readonly stakedCents: number;
  readonly bets: number;
  readonly refused: number;
}

export interface Scene {
  readonly nowMs: number;
  readonly index: number;
  readonly count: number;
  readonly price: number;
  readonly fairShareE6: number;
  /** UP wins with these probabilities. */
  readonly beliefs: Readonly<Record<Strategy['sight'], number>>;
}

const ACCOUNT = { account: 1, key: 1 };

export class Market {
  readonly #engine = new Engine();
  readonly #orders: RestingOrders;
  readonly #restingIds = new Set<number>();
  readonly results: RoundResult[] = [];
  #play: ((moment: Market) => void) | null = null;
  #scene: Scene | null = null;
  #beganMs = 0;
  #suspended = false;
  #taken = { stakedCents: 0, bets: 0, refused: 0 };

  constructor(
    private readonly market: number,
    readonly strategy: Strategy,
  ) {
    const desk = {
      engine: this.#engine,
      gate: null,
      stopped: false,
      submit: (command: SubmittedCommand) => this.#apply(command),
    };
    this.#orders = new RestingOrders(desk, () => this.scene.fairShareE6);
  }

  /** The price that ends a round settles its bets, too. */
  follow(command: Command): void {
    const { timeMs } = command;
    if (command.kind === 'settle' || this.#suspended) return;
    const before = this.#houseCents();
    if (command.kind !== 'advance' && this.#engine.nextDueMs <= timeMs)
      this.#apply({ kind: 'advance', timeMs });
    this.#apply(command);
    if (command.kind === 'depositHouse') this.#join(timeMs);
    if (command.kind !== 'boundaryPrice') return;
    while (this.#engine.settlementsWaiting) this.#apply({ kind: 'settle', timeMs, betsMax: 10_000 });
    this.#end(this.#houseCents() - before);
  }

  #join(timeMs: number): void {
    const tier = TIERS.indexOf('VIP');
    this.#apply({ kind: 'createAccount', timeMs, name: null, tier, balanceCents: BALANCE_CENTS });
  }

  #end(houseCents: number): void {
    if (this.#scene !== null) this.results.push({ beginMs: this.#beganMs, houseCents, ...this.#taken });
    this.#scene = null;
    this.#play = null;
    this.#restingIds.clear();
    this.#taken = { stakedCents: 0, bets: 0, refused: 0 };
  }

  act(scene: Scene): void {
    if (this.#suspended) return;
    this.#scene = scene;
    this.#beganMs = this.round.startTimeMs;
    this.#play ??= this.strategy.newRound();
    while (!this.#orders.work(scene.nowMs));
    this.#play(this);
  }

  get scene(): Scene {
    return must(this.#scene, 'a moment');
  }
  get round(): RoundView {
    return must(this.#engine.currentRound(this.market), 'open round');
  }
  /** Given that there is no draw, as the bettor believes. */
  get probabilityUp(): number {
    return this.scene.beliefs[this.strategy.sight];
  }

  poolCents(side: number): number {
    const upCents = quotedUpCents(this.round, this.scene.fairShareE6);
    return side === UP ? upCents : this.round.poolUpCents + this.round.poolDownCents - upCents;
  }

  availableCents(side: number): number {
    return availableCents(this.round, side, this.scene.fairShareE6);
  }

  /** With `limitOddsE4` it rests until it can be had at these odds. */
  order(side: number, stakeCents: number, limitOddsE4 = 0): boolean {
    const { nowMs, fairShareE6 } = this.scene;
    const outcome = this.#apply({
      kind: 'placeOrder',
      timeMs: nowMs,
      account: ACCOUNT.account,
      key: ACCOUNT.key,
      market: this.market,
      side,
      stakeCents,
      fairShareE6,
      limitOddsE4,
      validUntilMs: 0,
      expectedPercentE6: -1,
      idempotency: null,
      clientSeed: null,
      clientOrderId: null,
    });
    return outcome.status === 'accepted';
  }

  cancelAll(): void {
    const { nowMs: timeMs } = this.scene;
    for (const bet of this.#restingIds) this.#apply({ kind: 'cancelOrder', timeMs, ...ACCOUNT, bet });
    this.#restingIds.clear();
  }

  #houseCents(): number {
    const { houseCents, openSeedsCents } = this.#engine.totals();
    return houseCents + openSeedsCents;
  }

  #apply(command: Command): Outcome {
    const outcome = this.#engine.apply(command);
    if (outcome.status === 'rejected') {
      assert(command.kind === 'placeOrder', `${command.kind} is refused: ${outcome.detail}`);
      this.#taken.refused++;
      return outcome;
    }
    assert(outcome.status === 'accepted', `${command.kind} is ${outcome.status}`);
    for (const event of outcome.events) {
      this.#suspended ||= event.type === 'marketSuspended';
      if (event.type === 'orderPending') this.#restingIds.add(event.bet);
      if (event.type !== 'betPlaced' && event.type !== 'orderFilled') continue;
      this.#restingIds.delete(event.bet);
      this.#taken.bets++;
      this.#taken.stakedCents += event.stakeCents;
    }
    return outcome;
  }
}
