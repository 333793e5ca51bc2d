/**
 * Two machines of an exchange at a modelled log, on a simulated clock: the product's own code for leader, standby,
 * lease and takeover. One seed decides everything. Machines are killed, stopped and continued; ways are cut, the log
 * loses its quorum, answers are late, lost and doubled, clocks jump, disks are slow. Then all is well again, and both
 * must come to the same.
 */
import { Rng } from '../../support/reference/random/rng.js';
import { restoreCrypto, seedCrypto } from '../chance.js';
import { Scheduler } from '../machine/scheduler.js';
import { check } from '../violation.js';
import { Checks } from './checks.js';
import { SimLog } from './log.js';
import { type MachineParts, SimMachine } from './machine.js';
import { type Mutation, NO_MUTATION } from './mutations.js';
import { Network } from './network.js';

const START_MS = 1_763_700_000_000;
const STORM_MS = 60_000;
/** Then everybody must have found each other again, and orders be taken. */
const CALM_MS = 25_000;
const END_MS = 5_000;
const ACKNOWLEDGED_IN_CALM = 20;

interface WorldResult {
  readonly acknowledged: number;
  readonly takeovers: number;
  /** The id of the log's last message depends on all before it. */
  readonly last: string;
}

export interface WorldOptions {
  readonly seed: number;
  readonly mutation?: Mutation;
}

export async function runWorld({ seed, mutation = NO_MUTATION }: WorldOptions): Promise<WorldResult> {
  const undo = mutation.install?.();
  seedCrypto(new Rng(seed));
  try {
    return await new World(seed, mutation).run();
  } finally {
    restoreCrypto();
    undo?.();
  }
}

class World {
  readonly #scheduler = new Scheduler(START_MS);
  readonly #rng: Rng;
  readonly #log = new SimLog(this.#scheduler);
  readonly #network: Network;
  readonly #checks: Checks;
  readonly #machines: readonly [SimMachine, SimMachine];
  /** Some logs lose acknowledged messages. */
  readonly #mayGoBack: boolean;
  #failure: unknown = null;
  #processes = 0;

  constructor(seed: number, mutation: Mutation) {
    const rng = new Rng(seed);
    this.#rng = rng;
    const leaseMs = rng.pick([1_000, 3_000]);
    // Some worlds have batches of several parts.
    const bytesMax = rng.chance(0.3) ? 1_024 + 100 : 1_000_000;
    this.#mayGoBack = rng.chance(0.4);
    this.#network = new Network(this.#log, bytesMax, this.#scheduler, rng);
    this.#checks = new Checks(this.#log, leaseMs, () => this.#scheduler.nowMs);
    const common = { scheduler: this.#scheduler, rng, network: this.#network, checks: this.#checks };
    const parts: MachineParts = { ...common, leaseMs, mutation };
    const nextId = (): number => ++this.#processes;
    this.#machines = [new SimMachine('a', parts, nextId), new SimMachine('b', parts, nextId)];
  }

  async run(): Promise<WorldResult> {
    // A throw in a promise of the product's is told here.
    const onThrown = (thrown: unknown): void => {
      this.#failure ??= thrown;
    };
    process.on('unhandledRejection', onThrown);
    try {
      this.#planFault();
      await this.#until(START_MS + STORM_MS);
      this.#calm();
      const before = this.#checks.acknowledged;
      await this.#until(START_MS + STORM_MS + CALM_MS);
      const acknowledged = this.#checks.acknowledged - before;
      check(acknowledged >= ACKNOWLEDGED_IN_CALM, 'service', () => `${acknowledged} batches in the calm`);
      for (const machine of this.#machines) machine.isLoaded = false;
      await this.#until(START_MS + STORM_MS + CALM_MS + END_MS);
      this.#checkEnd();
    } finally {
      process.off('unhandledRejection', onThrown);
    }
    const takeovers = this.#log.takeovers.size;
    return {
      acknowledged: this.#checks.acknowledged,
      takeovers,
      last: this.#log.batches.at(-1)?.row.chain ?? '',
    };
  }

  async #until(endMs: number): Promise<void> {
    while (this.#scheduler.nextMs <= endMs) {
      this.#scheduler.step();
      // All promises that this has settled have had their turn after it.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.#failure !== null) throw this.#failure;
      check(this.#log.fault === null, 'log', () => this.#log.fault ?? '');
    }
  }

  #checkEnd(): void {
    const [one, other] = this.#machines;
    for (const { node, rows } of this.#machines) this.#checks.equal(node, rows);
    const digests = [one.engine.rollingDigest(), other.engine.rollingDigest()];
    check(digests[0] === digests[1], 'digest', () => `the engines have come to ${digests.join(' and ')}`);
  }

  get #isStorm(): boolean {
    return this.#scheduler.nowMs < START_MS + STORM_MS;
  }

  #planFault(): void {
    this.#scheduler.after(this.#rng.integer(100, 5_000), () => {
      if (!this.#isStorm) return;
      this.#fault();
      this.#planFault();
    });
  }

  #fault(): void {
    const rng = this.#rng;
    const leading = this.#machines.find(({ leading: lead }) => lead !== null);
    const machine = rng.chance(0.6) && leading !== undefined ? leading : rng.pick(this.#machines);
    const forMs = rng.chance(0.4) ? rng.integer(50, 1_500) : rng.integer(1_500, 9_000);
    const later = (run: () => void): void => this.#scheduler.after(forMs, run);
    const stop = (): void => {
      machine.process.stop();
      // Mostly for longer than the lease and a takeover.
      this.#scheduler.after(forMs + rng.integer(2_000, 6_000), () => machine.continue());
    };
    switch (rng.integer(0, this.#mayGoBack ? 9 : 8)) {
      case 0:
        if (machine.process.isAlive) machine.kill(forMs);
        break;
      case 1:
        stop();
        break;
      case 2: {
        // In the middle of a batch, whose answers come while the process stands.
        const stopInStorm = (): void => {
          if (this.#isStorm) stop();
        };
        if (rng.chance(0.5)) machine.onAnswer = stopInStorm;
        else machine.onCommit = () => this.#scheduler.after(rng.integer(1, 5), stopInStorm);
        break;
      }
      case 3: {
        const isUp = rng.chance(0.5);
        const isBoth = rng.chance(0.5);
        machine.way.isCutUp = isUp || isBoth;
        machine.way.isCutDown = !isUp || isBoth;
        later(() => Object.assign(machine.way, { isCutUp: false, isCutDown: false }));
        break;
      }
      case 4:
        this.#network.isAvailable = false;
        later(() => {
          this.#network.isAvailable = true;
        });
        break;
      case 5:
        machine.process.jump(forMs);
        break;
      case 6:
        machine.terminate();
        break;
      case 7:
        machine.diskMs = forMs;
        later(() => {
          machine.diskMs = 2;
        });
        break;
      case 8:
        leading?.covered(Math.min(...this.#machines.map(({ seq }) => seq)));
        break;
      default:
        this.#goBack();
    }
  }

  /** The log loses messages, but no batch that came after the leader last wrote its lease and is not on both disks. */
  #goBack(): void {
    const log = this.#log;
    const { lease, entries, first, batches } = log;
    const lastSeq = batches.at(-1)?.row.lastSeq ?? 0;
    const isTold = (lease?.lastSeq ?? 0) >= lastSeq;
    if (!isTold && this.#machines.some(({ seq }) => seq < lastSeq)) return;
    log.goBack(Math.max(first, entries.length - this.#rng.integer(1, 40)));
  }

  #calm(): void {
    this.#network.isAvailable = true;
    this.#network.isCalm = true;
    for (const machine of this.#machines) {
      Object.assign(machine.way, { isCutUp: false, isCutDown: false });
      machine.diskMs = 2;
      machine.continue();
    }
  }
}
