/**
 * A thread of the simulated process: the turns of its event loop, and messages that others send it. A message may take a
 * while, and a thread that is stopped does nothing until it goes on.
 */
import type { Rng } from '../../support/reference/random/rng.js';

/** What a thread needs of the process around it. */
export interface ThreadHost {
  readonly nowMs: number;
  /** Runs something after a while, if the process still lives then. */
  later(delayMs: number, run: () => void): void;
}

/** How often a message is late, and how much in milliseconds. */
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

  /** Whether it has something to do now. */
  get isReady(): boolean {
    return this.#turns.length > 0 && !this.isStopped;
  }

  /** Runs the function at the end of this turn of the event loop. */
  readonly schedule = (run: () => void): void => void this.#turns.push(run);

  /** Brings a message of another thread. */
  readonly receive = (run: () => void): void => {
    const lateMs = this.rng.chance(LATE_CHANCE) ? this.rng.integer(1, LATE_MS_MAX) : 0;
    const delayMs = Math.max(lateMs, this.#heldUntilMs - this.host.nowMs);
    if (delayMs > 0) this.host.later(delayMs, () => this.schedule(run));
    else this.schedule(run);
  };

  /** Does nothing for so long. */
  stop(forMs: number): void {
    this.#stoppedUntilMs = Math.max(this.#stoppedUntilMs, this.host.nowMs + forMs);
    // The event after which it goes on.
    this.host.later(forMs, () => undefined);
  }

  /** Messages that are sent from now on arrive after so long at the earliest. */
  holdMessages(forMs: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, this.host.nowMs + forMs);
  }

  /** One turn: what was scheduled before it. `isOver` is asked in between. */
  turn(isOver: () => boolean): void {
    const turns = this.#turns;
    this.#turns = [];
    for (const run of turns) if (!isOver()) run();
  }
}
