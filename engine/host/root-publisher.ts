/**
 * Puts the roots of locked rounds on record, as they are made beside the engine's thread. Only a manual clock waits for
 * them, so that in a sandbox a root always comes before the result.
 */
import type { MadeRoot } from '../model/commands.js';
import type { RoundName } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { RoundView } from '../model/views.js';
import { awaitsRoot, unfinishedRounds } from '../reads/round-bets.js';
import type { Sequencer } from './sequencer.js';

export interface RootPublisherOptions {
  /** Tells the maker of roots what has happened since it was last told. */
  readonly tell: () => void;
  /** The root came too late, or does not fit. */
  readonly onRefused: (round: RoundName, code: ErrorCode, detail: string) => void;
}

export class RootPublisher {
  #waiters: (() => void)[] = [];
  /** There is nothing more to wait for. A round that leaves memory leaves no trace here. */
  readonly #refused = new WeakSet<RoundView>();

  constructor(
    private readonly sequencer: Sequencer,
    private readonly options: RootPublisherOptions,
  ) {}

  publish(root: MadeRoot): void {
    const { sequencer } = this;
    if (sequencer.stopped) return;
    const outcome = sequencer.submit({ kind: 'publishRoot', timeMs: sequencer.stampMs(), ...root });
    if (outcome.status === 'rejected') {
      const round = sequencer.engine.round(root.market, root.roundNumber);
      if (round !== null) this.#refused.add(round);
      this.options.onRefused(root, outcome.code, outcome.detail);
    }
    this.#releaseIfDone();
  }

  /** At once if no root is being made. */
  whenPublished(release: () => void): void {
    if (!this.#isAwaited()) {
      release();
      return;
    }
    this.#waiters.push(release);
    this.options.tell();
  }

  /** Call many times a second. */
  pump(): void {
    if (!this.sequencer.stopped) this.options.tell();
    this.#releaseIfDone();
  }

  #releaseIfDone(): void {
    if (this.#waiters.length === 0 || this.#isAwaited()) return;
    for (const release of this.#waiters.splice(0)) release();
  }

  #isAwaited(): boolean {
    const { engine, stopped } = this.sequencer;
    if (stopped) return false;
    return unfinishedRounds(engine).some((round) => awaitsRoot(round) && !this.#refused.has(round));
  }
}
