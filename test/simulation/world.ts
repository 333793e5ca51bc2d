/**
 * One world: a server on a simulated disk, its clients, its faults, and the models. It has a storm of faults and then
 * a calm, in which it must come back to life. One seed gives one world, always.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Rules } from '../../engine/model/rules.js';
import type { Rng } from '../support/reference/random/rng.js';
import { Auditor } from './audit/auditor.js';
import { type Chances, chancesOf, restoreCrypto, seedCrypto } from './chance.js';
import { Bettor, HABITS } from './clients/bettor.js';
import type { ClientWorld, Purse } from './clients/client-world.js';
import { SimFeed } from './clients/feed.js';
import { type KnownOrders, LimitTrader } from './clients/limit-trader.js';
import { Operator } from './clients/operator.js';
import { type WorldConfig, worldConfig, worldRules } from './config.js';
import { Coverage } from './coverage.js';
import { type PlannedFault, planFaults } from './faults/fault-plan.js';
import { Faults } from './faults/faults.js';
import { Liveness } from './liveness.js';
import { Machine } from './machine/machine.js';
import { Network } from './machine/network.js';
import { Scheduler } from './machine/scheduler.js';
import type { Mutation } from './mutations/planting.js';
import { Trace } from './trace.js';

export interface WorldOptions {
  readonly seed: number;
  readonly hours: number;
  readonly isVerbose?: boolean;
  readonly mutation?: Mutation | null;
  /** Only these planned faults strike; all if absent. */
  readonly only?: ReadonlySet<number>;
  readonly stepsMax?: number;
}

const TIERS = ['SILVER', 'GOLD', 'PLATINUM', 'VIP', 'SILVER', 'BRONZE'] as const;
const SETTLING_IN_MS = 10_000;
/** So often the process hears of things outside its worlds: the end of the one that started it. */
const STEPS_PER_TURN = 10_000;

export class World implements ClientWorld {
  readonly config: WorldConfig;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly coverage: Coverage;
  readonly purses: Purse[] = [];
  readonly trace: Trace;
  readonly auditor: Auditor;
  readonly machine: Machine;
  readonly faults: Faults;
  readonly operator: Operator;
  readonly chances: Chances;
  readonly plan: readonly PlannedFault[];
  steps = 0;
  isCalm = true;
  readonly #rulesRng: Rng;
  readonly #fingerprint: string;
  #rules: Rules;
  readonly #liveness: Liveness;
  #isOver = false;

  constructor(readonly options: WorldOptions) {
    this.chances = chancesOf(options.seed);
    const { config: rng } = this.chances;
    this.config = worldConfig(this.chances, options.hours);
    this.#rulesRng = rng;
    this.coverage = new Coverage();
    this.trace = new Trace(options.isVerbose === true);
    this.scheduler = new Scheduler(this.config.startMs);
    const masterSecret = createHash('sha256').update(`world ${options.seed}`).digest();
    this.#fingerprint = createHash('sha256').update(masterSecret).digest('hex');
    this.#rules = worldRules(this.config, rng, this.#fingerprint);
    this.auditor = new Auditor(this, masterSecret);
    this.network = new Network(
      this.scheduler,
      this.chances.network,
      this.config.lossChance,
      this.coverage,
      (exchange, reply) => this.auditor.onSent(exchange, reply),
    );
    this.machine = new Machine(this, masterSecret, options.mutation ?? null);
    this.faults = new Faults(this.machine);
    this.operator = new Operator(this, this.chances.operator);
    const stormFromMs = this.config.startMs + SETTLING_IN_MS;
    const { stormMs, faultEveryMs } = this.config;
    this.plan = planFaults(options.seed, stormFromMs, stormFromMs + stormMs, faultEveryMs);
    this.#liveness = new Liveness(this);
  }

  rules(): Rules {
    return this.#rules;
  }
  changeRules(): void {
    this.#rules = worldRules(this.config, this.#rulesRng, this.#fingerprint);
  }

  note(text: () => string): void {
    this.trace.note(this.steps, this.scheduler.nowMs, text);
  }

  async run(): Promise<void> {
    seedCrypto(this.chances.crypto);
    const undo = this.options.mutation?.install?.();
    try {
      this.#begin();
      while (!this.#isOver && this.steps < (this.options.stepsMax ?? Number.POSITIVE_INFINITY)) {
        if (this.scheduler.nextMs > this.scheduler.nowMs) this.machine.endInstant();
        this.scheduler.step();
        this.steps++;
        this.auditor.afterStep(this.machine.server);
        if (this.machine.needsMicrotasks) await microtasks();
        if (this.steps % STEPS_PER_TURN === 0) await setImmediate();
      }
    } finally {
      undo?.();
      restoreCrypto();
    }
  }

  #begin(): void {
    const { scheduler, config, chances } = this;
    this.machine.boot();
    new SimFeed(this, chances.prices, (asset, price, timeMs) =>
      this.machine.offerTick(asset, price, timeMs),
    ).start();
    for (const tier of TIERS)
      this.operator.createAccount(tier, chances.config.pick([500, 20_000, 1_000_000]));
    const purseOf = (i: number) => (): Purse | null =>
      this.purses[i % Math.max(1, this.purses.length)] ?? null;
    for (let i = 0; i < config.bettors; i++) {
      const habit = HABITS[i % HABITS.length] ?? 'polite';
      new Bettor(this, chances.clients, i, habit, purseOf(i)).start();
    }
    const known: KnownOrders = [];
    for (let i = 0; i < config.limitTraders; i++)
      new LimitTrader(this, chances.limits, i, purseOf(i), known).start();
    this.operator.start();
    scheduler.after(SETTLING_IN_MS, () => this.#storm());
  }

  #storm(): void {
    this.isCalm = false;
    this.network.isCalm = false;
    for (const fault of this.plan) {
      if (this.options.only?.has(fault.index) === false) continue;
      this.scheduler.at(fault.atMs, () => {
        this.note(() => `fault ${fault.index}: ${fault.kind}`);
        this.faults.strike(fault);
      });
    }
    this.scheduler.after(this.config.stormMs, () => this.#calm());
  }

  /** No faults from here on: damage is put right, and life must go on. */
  #calm(): void {
    this.note(() => 'calm');
    this.isCalm = true;
    this.network.isCalm = true;
    this.machine.calm();
    this.faults.slowMs = 0;
    this.faults.hangMs = 0;
    this.faults.repair();
    this.#liveness.begin(() => {
      this.#isOver = true;
    });
  }
}

async function microtasks(): Promise<void> {
  for (let i = 0; i < 8; i++) await null;
}
