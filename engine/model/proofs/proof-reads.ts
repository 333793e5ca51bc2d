/** Questions about the proofs of settled rounds and of bets in them, and their answers: see `archive-reads.ts`. */
import type { PublishedRoot } from './proof-views.js';

interface OfRound {
  /** The answer must show everything up to this command, which must be durable. */
  readonly reachedSeq: number;
  readonly market: number;
  readonly roundNumber: number;
}

export interface RoundProofQuestion extends OfRound {
  readonly kind: 'roundProof';
}

/** The way from a bet's leaf to the root of its round, which is settled. */
export interface BetPathQuestion extends OfRound {
  readonly kind: 'betPath';
  readonly bet: number;
  /** In hex. */
  readonly seed: string;
}

export type ProofQuestion = RoundProofQuestion | BetPathQuestion;

export interface BetPath {
  readonly leafIndex: number;
  /** Hashes from the leaf up, 64 hex digits each. */
  readonly path: readonly string[];
  readonly root: PublishedRoot;
}
