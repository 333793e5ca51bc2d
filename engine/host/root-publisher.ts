/**
 * Puts the roots of locked rounds on record, as they are made beside the engine's thread. Only a manual clock waits for
 * them, so that in a sandbox a root always comes before the result.
 */
import { MARKETS_MAX, roundId } from '../model/domain.js';
import type { ErrorCode } from '../model/errors.js';
import type { PublishedRoot, SignedRoot } from '../model/proofs/proof-views.js';
import type { RoundView } from '../model/views.js';
import { awaitsRoot } from '../reads/round-bets.js';
import type { Sequencer } from './sequencer.js';

export interface RootPublisherOptions {
  /** The maker of roots is to look at the journal now. */
  readonly hurry: () => void;
  readonly isMaking: () => boolean;
  /** The root came too late, or does not fit. */
  readonly onRefused: (
    round: Pick<RoundView, 'market' | 'roundNumber'>,
    code: ErrorCode,
    detail: string,
  ) => void;
}

export type RootToPublish = SignedRoot & Pick<RoundView, 'market' | 'roundNumber'>;

export class RootPublisher {
  #waiters: (() => void)[] = [];
  /** By round: there is nothing more to wait for. */
  readonly #refused = new Set<string>();

  constructor(
    private readonly sequencer: Sequencer,
    private readonly options: RootPublisherOptions,
  ) {}

  /** Passes over a root that is on record: the leader before may have put it there while it was made here. */
  publish(root: RootToPublish): void {
    const { sequencer } = this;
    if (sequencer.stopped || (this.#recorded(root) ?? null) !== null) return;
    const outcome = sequencer.submit({ kind: 'publishRoot', timeMs: sequencer.stampMs(), ...root });
    if (outcome.status === 'rejected') {
      this.#refused.add(roundId(root.market, root.roundNumber));
      this.options.onRefused(root, outcome.code, outcome.detail);
    }
    this.lookAgain();
  }

  /**
   * For a root that was made before this process led. The leader of that time has put most of them on record, and their
   * rounds may have left memory since.
   */
  publishKept(root: RootToPublish): void {
    if (this.#recorded(root) === null) this.publish(root);
  }

  /** At once if no root is being made. */
  whenPublished(release: () => void): void {
    if (!this.#isAwaited()) {
      release();
      return;
    }
    this.#waiters.push(release);
    this.sequencer.whenDurable(this.sequencer.engine.seq, this.options.hurry);
  }

  /** Call when `isMaking` may have changed. */
  lookAgain(): void {
    if (this.#waiters.length === 0 || this.#isAwaited()) return;
    for (const release of this.#waiters.splice(0)) release();
  }

  /** undefined for a round that is not in memory. */
  #recorded({ market, roundNumber }: RootToPublish): PublishedRoot | null | undefined {
    return this.sequencer.engine.round(market, roundNumber)?.proof.root;
  }

  #isAwaited(): boolean {
    const { engine, stopped } = this.sequencer;
    if (stopped || !this.options.isMaking()) return false;
    const isAwaited = (round: RoundView): boolean =>
      awaitsRoot(round) && !this.#refused.has(roundId(round.market, round.roundNumber));
    for (let market = 0; market < MARKETS_MAX; market++) {
      const round = engine.currentRound(market);
      if (round !== null && isAwaited(round)) return true;
    }
    return engine.unsettledRounds().some(isAwaited);
  }
}
