/**
 * Moves a manual clock (sandbox) through every instant at which something is due, and executes it before time goes on.
 */
import { assert } from '../base/assert.js';
import type { By } from '../model/domain.js';
import type { Lifecycle } from './lifecycle.js';
import type { Sequencer } from './sequencer.js';

/** Time does not move on while more commands than this are not durable. */
const BACKLOG_COMMANDS_MAX = 10_000;

interface ManualRunParts {
  readonly sequencer: Sequencer;
  readonly lifecycle: Lifecycle;
  readonly roots: { whenPublished(release: () => void): void };
  readonly schedule: (run: () => void) => void;
}

export class ManualRun {
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: ManualRunParts,
    private readonly setClock: (nowMs: number) => void,
  ) {}

  /**
   * `advanceMs` is an integer >= 0. Runs follow each other. Resolves with the time reached once it and all work on the
   * way, settlements included, are durable. If the server is stopping, the run ends early and resolves with the time
   * from which the next one continues. `by` is for the record.
   */
  advance(advanceMs: number, by: By | null = null): Promise<number> {
    assert(Number.isSafeInteger(advanceMs) && advanceMs >= 0, 'a manual clock moves by whole milliseconds');
    const run = this.#last.then(() => this.#runTo(this.parts.sequencer.stampMs() + advanceMs, by));
    const over = (): void => undefined;
    this.#last = run.then(over, over);
    return run;
  }

  async #runTo(targetMs: number, by: By | null): Promise<number> {
    await this.#idle();
    while (!this.parts.sequencer.ending && this.parts.sequencer.stampMs() < targetMs) {
      const nowMs = this.parts.sequencer.stampMs();
      const dueMs = this.parts.lifecycle.nextDueMs(nowMs);
      assert(dueMs > nowMs, 'everything due is done before a manual clock moves on');
      this.setClock(Math.min(dueMs, targetMs));
      await this.#idle();
      // Lets other requests run, and the journal take its batch, at every instant on the way.
      await new Promise<void>((resolve) => this.parts.schedule(resolve));
      if (this.parts.sequencer.backlogCommands > BACKLOG_COMMANDS_MAX) await this.#durable();
    }
    this.#keepTime(by);
    await this.#durable();
    return this.parts.sequencer.engine.timeMs;
  }

  /** A restart begins at the last journaled time. That must not be before the time that is reported. */
  #keepTime(by: By | null): void {
    const timeMs = this.parts.sequencer.stampMs();
    if (timeMs <= this.parts.sequencer.engine.timeMs) return;
    this.parts.sequencer.submit({ kind: 'moveClock', timeMs, ...(by === null ? {} : { by }) });
  }

  /** Each locked round's root is on record before anything can be known of its result. */
  async #idle(): Promise<void> {
    await new Promise<void>((resolve) => this.parts.lifecycle.whenIdle(resolve));
    await new Promise<void>((resolve) => this.parts.roots.whenPublished(resolve));
  }

  /** Resolves, too, if it cannot become durable: the run ends then. */
  #durable(): Promise<void> {
    const { sequencer } = this.parts;
    return new Promise((resolve) => sequencer.whenDurable(sequencer.engine.seq, () => resolve(), resolve));
  }
}
