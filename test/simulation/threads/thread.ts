/**
 * A thread of the simulated process: the turns of its event loop, and messages that others send it. A message may
 * take a while, and a thread that is stopped does nothing until it goes on.
 */
import type { Rng } from '../../support/reference/random/rng.js';

export interface ThreadHost {
  readonly nowMs: number;
  /** Runs only if the process still lives then. */
  later(delayMs: number, run: () => void): void;
}

const LATE_CHANCE = 0.1;
const LATE_MS_MAX = 3;

export class SimThread {
  #turns: (() => void)[] = [];
  #stoppedUntilMs = 0;
  #heldUntilMs = 0;

  constructor(
    private readonly host: ThreadHost,
    private readonly rng: Rng,
  ) {}

  get isStopped(): boolean {
    return this.host.nowMs < this.#stoppedUntilMs;
  }

  get isReady(): boolean {
    return this.#turns.length > 0 && !this.isStopped;
  }

  readonly schedule = (run: () => void): void => void this.#turns.push(run);

  readonly receive = (run: () => void): void => {
    const lateMs = this.rng.chance(LATE_CHANCE) ? this.rng.integer(1, LATE_MS_MAX) : 0;
    const delayMs = Math.max(lateMs, this.#heldUntilMs - this.host.nowMs);
    if (delayMs > 0) this.host.later(delayMs, () => this.schedule(run));
    else this.schedule(run);
  };

  stop(forMs: number): void {
    this.#stoppedUntilMs = Math.max(this.#stoppedUntilMs, this.host.nowMs + forMs);
    // The event after which it goes on.
    this.host.later(forMs, () => undefined);
  }

  /** Messages that are sent from now on arrive after so long at the earliest. */
  holdMessages(forMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, this.host.nowMs + forMs);
  }

  turn(isOver: () => boolean): void {
    const turns = this.#turns;
    this.#turns = [];
    for (const run of turns) if (!isOver()) run();
  }
}
