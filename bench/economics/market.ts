/**
 * The real engine with one market and the house's real quotes, at which a strategy plays recorded rounds. Bets move no
 * prices, so every strategy can play the same rounds.
 */
import { assert, must } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import { fairShareE6 } from '../../engine/host/ticks/fair-share.js';
import { Volatility, YEARLY_VOLATILITY } from '../../engine/host/ticks/volatility.js';
import type { Command } from '../../engine/model/commands.js';
import { type Asset, assetOf, TIERS, UP } from '../../engine/model/domain.js';
import type { EngineEvent } from '../../engine/model/events.js';
import { RULES_VERSION, type Rules } from '../../engine/model/rules.js';
import type { RoundView } from '../../engine/model/views.js';
import { availableCents } from '../../engine/quotes/exposure.js';
import { quotedUpCents } from '../../engine/quotes/split.js';
import type { PricePath } from './prices.js';

/** Moments of a round at which bets may come. */
const MOMENTS = 136;
/** The last of them is so long before betting closes. */
const LAST_MOMENT_MS = 1_000;
/** How late the house hears prices. Where ticks come less often than that, a lateness is passed over. */
export const LATENESS_MS: readonly number[] = [0, 250, 1_000, 5_000];
/** Of ticks, before the first round. */
const WARM_UP_MS = 2 * 3_600_000;

/** A recorded round: what bettors and the house know at each moment. */
export interface Tape {
  readonly openPrice: number;
  readonly closePrice: number;
  /** By moment: milliseconds since the round's begin. */
  readonly timesMs: readonly number[];
  readonly prices: Float64Array;
  /** The true probabilities that UP wins, which nobody knows in real life. */
  readonly probabilitiesUp: Float64Array;
  /** UP's fair share by the house, in millionths: by lateness, then by moment. */
  readonly fairSharesE6: readonly Int32Array[];
}

/** Records rounds one after the other, as a market has them. `closedMs`: from the end of betting to that of the round. */
export function recordRounds(
  path: PricePath,
  asset: Asset,
  frameMs: number,
  closedMs: number,
  count: number,
): Tape[] {
  const { tickMs } = path;
  const lateTicks = LATENESS_MS.map((ms) => Math.floor(ms / tickMs));
  const houses = LATENESS_MS.map(() => ({ price: 0, volatility: new Volatility(YEARLY_VOLATILITY[asset]) }));
  /** The last prices, for those who hear them late. */
  const heard = new Float64Array(Math.max(...lateTicks) + 1);
  const timesMs = momentsMs(frameMs - closedMs, tickMs);
  let [tick, price] = [0, 0];
  const next = (): void => {
    tick++;
    price = path.next();
    heard[tick % heard.length] = price;
    for (const [at, house] of houses.entries()) {
      const heardTick = tick - (lateTicks[at] as number);
      if (heardTick <= 0) continue;
      house.price = heard[heardTick % heard.length] as number;
      house.volatility.take(house.price, heardTick * tickMs);
    }
  };
  for (let ms = 0; ms < WARM_UP_MS; ms += tickMs) next();
  return Array.from({ length: count }, () => {
    const openPrice = price;
    const [prices, probabilitiesUp] = [new Float64Array(timesMs.length), new Float64Array(timesMs.length)];
    const fairSharesE6 = LATENESS_MS.map(() => new Int32Array(timesMs.length));
    for (let sinceMs = 0, moment = 0; sinceMs < frameMs; sinceMs += tickMs) {
      if (sinceMs === timesMs[moment]) {
        const leftMs = frameMs - sinceMs;
        prices[moment] = price;
        probabilitiesUp[moment] = path.probabilityUp(openPrice, leftMs);
        for (const [at, house] of houses.entries()) {
          const shares = must(fairSharesE6[at], 'shares');
          shares[moment] = fairShareE6(openPrice, house.price, house.volatility.varianceOver(leftMs));
        }
        moment++;
      }
      next();
    }
    return { openPrice, closePrice: price, timesMs, prices, probabilitiesUp, fairSharesE6 };
  });
}

/** Evenly spread over the time in which bets are taken, each at a tick. */
function momentsMs(bettingMs: number, tickMs: number): number[] {
  const lastTick = Math.floor((bettingMs - LAST_MOMENT_MS) / tickMs);
  const ticks = Array.from({ length: MOMENTS }, (_, i) => Math.round((i * lastTick) / (MOMENTS - 1)));
  return [...new Set(ticks)].map((tick) => tick * tickMs);
}

export interface Strategy {
  readonly name: string;
  /** Index into `LATENESS_MS`: how much earlier than the house the bettor has prices. */
  readonly lateness: number;
  /** What the bettor does in a round, moment after moment. */
  readonly newRound: () => (moment: Market) => void;
}

export interface RoundResult {
  readonly houseCents: number;
  readonly stakedCents: number;
  readonly bets: number;
  readonly refused: number;
}

const BALANCE_CENTS = 100_000_000_000_00;
const BEGIN_MS = Date.UTC(2026, 0, 5);
const FIRST_PRICE = 100;
const FILLS_AT_ONCE = 200;
const ACCOUNT = { account: 1, key: 1 };

/** The market, and what a bettor sees and does there at one moment. */
export class Market {
  readonly #engine = new Engine();
  readonly #market: number;
  #round: RoundView;
  #nowMs = BEGIN_MS;
  #fairShareE6 = -1;
  /** Numbers of orders that rest. */
  readonly #resting = new Set<number>();
  #taken = { stakedCents: 0, bets: 0, refused: 0 };
  /** The moment, and how many the round has. */
  index = 0;
  count = 0;
  openPrice = 0;
  price = 0;
  /** The truth, for those who know it. */
  probabilityUp = 0;

  /** `rules` have this one market. */
  constructor(rules: Rules, market: number) {
    this.#market = market;
    const timeMs = BEGIN_MS;
    this.#do({ kind: 'configure', timeMs, rulesVersion: RULES_VERSION, rules });
    this.#do({ kind: 'depositHouse', timeMs, amountCents: BALANCE_CENTS, reference: 'capital' });
    const tier = TIERS.indexOf('VIP');
    this.#do({ kind: 'createAccount', timeMs, name: null, tier, balanceCents: BALANCE_CENTS });
    const opening = { asset: assetOf(market), price: FIRST_PRICE, priceTimeMs: timeMs, source: null };
    this.#do({ kind: 'openLate', timeMs, ...opening, evidence: '' });
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
    const shares = must(tape.fairSharesE6[lateness], 'a lateness that was recorded');
    const beganMs = this.#round.startTimeMs;
    this.count = tape.timesMs.length;
    this.openPrice = tape.openPrice;
    this.#taken = { stakedCents: 0, bets: 0, refused: 0 };
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
    return { houseCents: this.#end(tape), ...this.#taken };
  }

  /** The published pool of a side. */
  poolCents(side: number): number {
    const upCents = quotedUpCents(this.#round, this.#fairShareE6);
    return side === UP ? upCents : this.#round.poolUpCents + this.#round.poolDownCents - upCents;
  }

  /** Up to which stake a bet on the side is accepted. */
  availableCents(side: number): number {
    return availableCents(this.#round, side, this.#fairShareE6);
  }

  /** False where the house refuses. */
  bet(side: number, stakeCents: number): boolean {
    const about = { idempotency: null, clientSeed: null, expectedPercentE6: -1, limitOddsE4: 0 };
    const order = { ...ACCOUNT, market: this.#market, side, stakeCents, fairShareE6: this.#fairShareE6 };
    const outcome = this.#engine.apply({ kind: 'placeOrder', timeMs: this.#nowMs, ...order, ...about });
    if (outcome.status === 'accepted') {
      this.#take(outcome.events);
      return true;
    }
    const isExposure = outcome.status === 'rejected' && outcome.code === 'round_exposure_limit';
    assert(isExposure, `a bet is refused for its exposure only: ${JSON.stringify(outcome)}`);
    this.#taken.refused++;
    return false;
  }

  /** A limit order, which is placed at once or rests. */
  rest(side: number, stakeCents: number, limitOddsE4: number): void {
    const order = { ...ACCOUNT, market: this.#market, side, stakeCents, limitOddsE4 };
    const about = {
      idempotency: null,
      clientSeed: null,
      expectedPercentE6: -1,
      fairShareE6: this.#fairShareE6,
    };
    this.#take(this.#do({ kind: 'placeOrder', timeMs: this.#nowMs, ...order, ...about }));
  }

  cancelAll(): void {
    for (const bet of this.#resting) this.#do({ kind: 'cancelOrder', timeMs: this.#nowMs, ...ACCOUNT, bet });
    this.#resting.clear();
  }

  /** What the house does at each price: it fills what its new quote allows. */
  #fill(): void {
    if (this.#resting.size === 0) return;
    const [market, fairShare, timeMs] = [this.#market, this.#fairShareE6, this.#nowMs];
    const fill = {
      kind: 'fillOrders',
      timeMs,
      market,
      fairShareE6: fairShare,
      ordersMax: FILLS_AT_ONCE,
    } as const;
    while (this.#engine.isFillable(market, fairShare, timeMs)) this.#take(this.#do(fill));
  }

  #take(events: readonly EngineEvent[]): void {
    for (const event of events) {
      if (event.type === 'orderPending') this.#resting.add(event.bet);
      if (event.type !== 'betPlaced' && event.type !== 'orderFilled') continue;
      this.#resting.delete(event.bet);
      this.#taken.bets++;
      this.#taken.stakedCents += event.stakeCents;
    }
  }

  /** Ends the round at the tape's price and settles it; returns what the house has made. The next one begins at that price. */
  #end({ closePrice, openPrice }: Tape): number {
    const timeMs = this.#round.endTimeMs;
    // The engine's round opened at another price than the tape's: what counts is whether it rose or fell.
    const own = must(this.#round.openPrice, 'open price');
    const price = closePrice > openPrice ? own * 1.01 : closePrice < openPrice ? own / 1.01 : own;
    const before = this.#houseCents();
    this.#do({ kind: 'advance', timeMs: this.#round.lockTimeMs });
    this.#do({ kind: 'advance', timeMs });
    const priced = { boundaryMs: timeMs, price, priceTimeMs: timeMs, source: null, evidence: '' };
    this.#do({ kind: 'boundaryPrice', timeMs, asset: assetOf(this.#market), ...priced });
    while (this.#engine.settlementsWaiting) this.#do({ kind: 'settle', timeMs, betsMax: 10_000 });
    this.#resting.clear();
    this.#round = this.#current();
    return this.#houseCents() - before;
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
