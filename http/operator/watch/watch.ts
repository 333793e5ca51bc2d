/** What the engine's thread does regularly so that operators know how it is: lines of the log, and figures for their thread. */
import { EngineFigures, type EngineFiguresOptions } from '../../metrics/engine-figures.js';
import type { Guesses } from '../token-guard.js';
import { HealthLog, type HealthLogOptions } from './health-log.js';

export class Watch {
  readonly #log: HealthLog;
  readonly #figures: EngineFigures;

  constructor(options: HealthLogOptions & EngineFiguresOptions) {
    this.#log = new HealthLog(options);
    this.#figures = new EngineFigures(options);
    this.#figures.beat();
  }

  /** To be called every few milliseconds. */
  beat(): void {
    this.#figures.beat();
  }

  /** To be called about once a second. */
  check(): void {
    this.#log.check();
    this.#figures.sample();
  }

  /** To be called once, right after the lifecycle's start. */
  logAwaitedPrices(): void {
    this.#log.logAwaitedPrices();
  }

  /** The operators' thread has refused tokens. */
  readonly onGuesses = (guesses: Guesses): void => this.#log.onGuesses(guesses);
}
