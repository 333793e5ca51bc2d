/**
 * What happens in a golden journal: every kind of command, settlements won, lost, drawn and voided, idempotency keys
 * and client seeds. It runs on the real host and the real journal's thread; only
 * the clock is manual, so that the same program writes the same commands.
 */
import { createHash } from 'node:crypto';
import { assert } from '../../engine/base/assert.js';
import type { Engine } from '../../engine/engine.js';
import { applyRules, fundHouse } from '../../engine/host/bootstrap.js';
import { Lifecycle } from '../../engine/host/lifecycle.js';
import { PriceTracker } from '../../engine/host/price-tracker.js';
import { Quoter } from '../../engine/host/quoter.js';
import { Sequencer } from '../../engine/host/sequencer.js';
import { SEQUENCER_DEFAULTS } from '../../engine/host/sequencer-options.js';
import type { SubmittedCommand } from '../../engine/model/commands.js';
import { ASSETS, marketOf } from '../../engine/model/domain.js';
import type { Clock, JournalWriter } from '../../engine/model/ports.js';
import { defaultRules, type Rules } from '../../engine/model/rules.js';
import type { Sessions } from '../../engine/state/state.js';
import { masterSecretFingerprint } from '../../persistence/data-dir/secrets.js';
import { rootsOf } from '../support/engine/signing.js';
import { Rng } from '../support/reference/random/rng.js';

/** A Wednesday, 12:00:07 UTC. */
const BEGIN_MS = Date.UTC(2026, 5, 10, 12, 0, 7);
const MINUTE_MS = 60_000;
const MARKETS = [
  'BTC_ONE_MINUTE',
  'BTC_FIVE_MINUTES',
  'ETH_ONE_MINUTE',
  'GOLD_ONE_MINUTE',
  'EURUSD_ONE_MINUTE',
];
const ACCOUNTS = 6;
/** Where prices start, by asset index. */
const PRICES = new Map([
  [ASSETS.indexOf('BTC'), 95_000],
  [ASSETS.indexOf('ETH'), 3_500.25],
  [ASSETS.indexOf('GOLD'), 4_021.1],
  [ASSETS.indexOf('EURUSD'), 1.0873],
]);
const SESSIONS: Sessions = [[BEGIN_MS - 3_600_000, BEGIN_MS + 86_400_000]];

class HeldClock implements Clock {
  constructor(public wallMs: number) {}
  nowMs(): number {
    return this.wallMs;
  }
  monotonicMs(): number {
    return this.wallMs;
  }
}

function goldenRules(fingerprint: string): Rules {
  const rules = defaultRules(fingerprint);
  return { ...rules, markets: rules.markets.filter(({ marketId }) => MARKETS.includes(marketId)) };
}

/** One server's life on a data directory: from its first command to its end. */
export class GoldenRun {
  readonly #clock: HeldClock;
  readonly #sequencer: Sequencer;
  readonly #tracker: PriceTracker;
  readonly #quoter: Quoter;
  readonly #lifecycle: Lifecycle;
  readonly #turns: (() => void)[] = [];
  readonly #rng: Rng;
  readonly #prices = new Map(PRICES);
  #orders = 0;

  constructor(
    readonly engine: Engine,
    journal: JournalWriter,
    private readonly masterSecret: Buffer,
  ) {
    this.#clock = new HeldClock(Math.max(engine.timeMs + 3_000, BEGIN_MS));
    this.#rng = new Rng(engine.seq + 1);
    const schedule = (run: () => void): void => {
      this.#turns.push(run);
    };
    this.#sequencer = new Sequencer(engine, this.#clock, journal, {
      ...SEQUENCER_DEFAULTS,
      schedule,
      onFatal: (error) => {
        throw error;
      },
      onDiskFull: () => assert(false, 'a golden journal has room'),
      clockGuard: null,
    });
    this.#tracker = new PriceTracker(engine);
    this.#quoter = new Quoter(engine, this.#tracker);
    this.#lifecycle = new Lifecycle(this.#sequencer, this.#tracker, {
      feeds: [],
      calendar: (assetClass) => (assetClass === 'CRYPTO' ? null : SESSIONS),
      fairShare: this.#quoter.fairShareE6.bind(this.#quoter),
      schedule,
      settleBetsMax: 5,
      clock: this.#clock,
      stallMs: Number.POSITIVE_INFINITY,
    });
    const isFirst = engine.seq === 0;
    applyRules(this.#sequencer, goldenRules(masterSecretFingerprint(masterSecret)));
    if (isFirst) this.#open();
    this.#lifecycle.start();
  }

  #submit(command: SubmittedCommand): void {
    const { status } = this.#sequencer.submit(command);
    assert(status === 'accepted', `${command.kind} in the scenario is ${status}`);
  }

  #open(): void {
    fundHouse(this.#sequencer, 50_000_00);
    const timeMs = this.#sequencer.stampMs();
    this.#submit({ kind: 'declareSetup', timeMs, feed: 'push', clock: 'manual', rulesFrom: 'defaults' });
    for (let account = 1; account <= ACCOUNTS; account += 1) {
      const name = account % 2 === 0 ? `Zoë №${account}` : null;
      this.#submit({
        kind: 'createAccount',
        timeMs,
        name,
        tier: account % 5,
        balanceCents: account * 1_000_00,
      });
      const digest = createHash('sha256').update(`golden key ${account}`).digest('hex');
      const expiresAtMs = account === 3 ? BEGIN_MS + 10 * MINUTE_MS : null;
      const scopesMask = account % 5 === 0 ? 3 : 15;
      this.#submit({ kind: 'createKey', timeMs, account, digest, scopesMask, expiresAtMs });
    }
    this.#submit({ kind: 'updateAccount', timeMs, account: 5, tier: 3, frozen: null });
    this.#submit({ kind: 'depositHouse', timeMs, amountCents: 25_000_00, reference: 'second' });
    this.#changeKeys(timeMs);
  }

  /** By an operator who has a name and says why. */
  #changeKeys(timeMs: number): void {
    const by = { operator: 'zoë', reason: 'a "lost" laptop' };
    const digest = createHash('sha256').update('golden key, rotated').digest('hex');
    const dayMs = BEGIN_MS + 86_400_000;
    this.#submit({
      kind: 'rotateKey',
      timeMs,
      key: 2,
      digest,
      expiresAtMs: null,
      overlapEndsMs: BEGIN_MS + MINUTE_MS,
      by,
    });
    this.#submit({ kind: 'expireKey', timeMs, key: 4, expiresAtMs: dayMs, by });
    this.#submit({ kind: 'withdrawHouse', timeMs, amountCents: 1_00, reference: 'third', by });
  }

  /** What operators do, all of it taken back before the next minute. */
  async operate(round: number): Promise<void> {
    const timeMs = this.#sequencer.stampMs();
    const market = marketOf('GOLD_ONE_MINUTE');
    this.#submit({ kind: 'deposit', timeMs, account: 1, amountCents: 12_34, reference: `in ${round}` });
    this.#submit({ kind: 'withdraw', timeMs, account: 2, amountCents: 5_00, reference: `out ${round}` });
    this.#submit({ kind: 'setTrading', timeMs, enabled: false, reason: 'a look at the "books"' });
    this.#submit({ kind: 'updateKey', timeMs, key: 6, enabled: round % 2 === 0 });
    this.#submit({ kind: 'suspendMarket', timeMs, market, suspended: round % 2 === 1 });
    this.#submit({ kind: 'updateAccount', timeMs, account: 6, tier: null, frozen: round % 2 === 1 });
    this.#submit({
      kind: 'recordRefusals',
      timeMs,
      denials: [{ operator: 'zoë', role: 'read', route: 'POST /accounts', times: round + 1 }],
      others: round,
      guesses: round === 0 ? null : { wrong: 3, refused: 1, addresses: ['192.0.2.7'] },
    });
    await this.#flush();
    this.#judgePrices(round);
    this.#clock.wallMs += 5;
    this.#submit({ kind: 'moveClock', timeMs: this.#sequencer.stampMs() });
    this.#submit({ kind: 'setTrading', timeMs: this.#sequencer.stampMs(), enabled: true, reason: '' });
    const { roundNumber } = this.engine.currentRound(marketOf('ETH_ONE_MINUTE')) ?? {};
    if (round === 1 && roundNumber !== undefined) {
      const voided = { market: marketOf('ETH_ONE_MINUTE'), roundNumber, reason: 'a wrong price' };
      this.#submit({ kind: 'voidRound', timeMs: this.#sequencer.stampMs(), ...voided });
    }
    await this.#flush();
  }

  #judgePrices(round: number): void {
    const timeMs = this.#sequencer.stampMs();
    const asset = ASSETS.indexOf('BTC');
    const [from = '', to = ''] = round % 2 === 0 ? ['first', 'second'] : ['second', 'first'];
    this.#submit({ kind: 'switchFeed', timeMs, asset, from, to, reason: 'silent for 10 s' });
    this.#submit({ kind: 'confirmPrice', timeMs, asset, price: 95_000.5, reason: 'seen at two exchanges' });
  }

  /**
   * A minute to the boundary and past it: prices, `orders` bets, the boundary's price, settlement. A minute without
   * prices voids its rounds; one that stands still is a draw.
   */
  async minute(orders: number, prices: 'move' | 'stand' | 'none' = 'move'): Promise<void> {
    if (prices !== 'none') this.#tick(prices === 'move');
    await this.#flush();
    for (let done = 0; done < orders; done += 8) {
      for (let i = 0; i < Math.min(8, orders - done); i += 1) this.#order();
      await this.#flush();
    }
    if (orders > 0) await this.#limitOrders();
    const boundaryMs = (Math.floor(this.#clock.wallMs / MINUTE_MS) + 1) * MINUTE_MS;
    await this.#moveTo(boundaryMs - 200);
    this.#publishRoots();
    if (prices !== 'none') this.#tick(prices === 'move');
    await this.#moveTo(boundaryMs + 2_500);
  }

  /** Of the rounds that are locked, as the server's thread for them does. */
  #publishRoots(): void {
    for (const root of rootsOf(this.engine, this.masterSecret))
      this.#submit({ kind: 'publishRoot', timeMs: this.#sequencer.stampMs(), ...root });
  }

  /** Everything up to here is durable. */
  async drain(): Promise<void> {
    await this.#flush();
    await this.#sequencer.drain();
  }

  #order(): void {
    const rng = this.#rng;
    this.#orders += 1;
    const idempotency = { keyHigh: this.engine.seq, keyLow: this.#orders, body: rng.integer(0, 2 ** 40) };
    const market = marketOf(rng.pick(MARKETS));
    const timeMs = this.#sequencer.stampMs();
    // Some are refused (tier, funds, the last seconds): a refusal is not journaled.
    this.#sequencer.submit({
      kind: 'placeOrder',
      timeMs,
      account: rng.integer(1, ACCOUNTS),
      key: 1,
      market,
      side: rng.integer(0, 1),
      stakeCents: rng.integer(1_00, 40_00),
      fairShareE6: this.#quoter.fairShareE6(market, timeMs),
      expectedPercentE6: rng.chance(0.3) ? rng.integer(45_000_000, 55_000_000) : -1,
      idempotency: rng.chance(0.6) ? idempotency : null,
      clientSeed: rng.chance(0.4) ? `seed "${this.#orders}" é` : null,
    });
  }

  /** Some are placed at once, some rest until a price or the end of betting, one is cancelled. */
  async #limitOrders(): Promise<void> {
    const market = marketOf('BTC_FIVE_MINUTES');
    const resting: number[] = [];
    for (const limitOddsE4 of [15_000, 18_000, 20_500, 25_000, 90_000]) {
      const timeMs = this.#sequencer.stampMs();
      this.#orders += 1;
      const outcome = this.#sequencer.submit({
        kind: 'placeLimitOrder',
        timeMs,
        account: 5,
        key: 5,
        market,
        side: this.#orders % 2,
        stakeCents: 3_00,
        fairShareE6: this.#quoter.fairShareE6(market, timeMs),
        limitOddsE4,
        idempotency: null,
        clientSeed: null,
      });
      if (outcome.status !== 'accepted') continue;
      for (const event of outcome.events) if (event.type === 'orderPending') resting.push(event.bet);
    }
    const bet = resting.at(-1);
    if (bet !== undefined)
      this.#submit({ kind: 'cancelOrder', timeMs: this.#sequencer.stampMs(), account: 5, key: 5, bet });
    await this.#flush();
  }

  #tick(moves: boolean): void {
    for (const [asset, price] of this.#prices) {
      const next = moves ? Math.round(price * (0.99 + this.#rng.next() / 50) * 1e4) / 1e4 : price;
      this.#prices.set(asset, next);
      const tick = { asset, price: next, timeMs: this.#clock.wallMs, source: 'golden', origin: '' };
      this.#tracker.offer(tick, this.#sequencer.stampMs());
    }
  }

  async #moveTo(timeMs: number): Promise<void> {
    while (this.#clock.wallMs < timeMs) {
      this.#clock.wallMs = Math.min(timeMs, this.#lifecycle.nextDueMs(this.#clock.wallMs));
      await this.#flush();
    }
  }

  /** All that is due is done and durable. */
  async #flush(): Promise<void> {
    this.#sequencer.heartbeat();
    this.#lifecycle.pump();
    while (this.#turns.length > 0 || this.#sequencer.backlogCommands > 0) {
      while (this.#turns.length > 0) for (const run of this.#turns.splice(0)) run();
      await new Promise<void>((resolve) => this.#sequencer.whenDurable(this.engine.seq, () => resolve()));
    }
  }
}
