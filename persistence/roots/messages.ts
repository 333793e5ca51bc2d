/** Messages of the thread that makes the roots of rounds: from the shadow, which tells it what happened, and with the event loop. */
import type { MessagePort } from 'node:worker_threads';
import type { SignedRoot } from '../../engine/model/proofs/proof-views.js';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { ErrorParts } from '../journal/messages.js';

/** Numbers of a bet in `bets`: time, bet, market, round, side, stake, odds, entry percent, payout. */
export const BET_CELLS = 9;

interface OfRound {
  readonly market: number;
  readonly roundNumber: number;
}

/** What happened, in the order in which it did. */
export type RootNote =
  | {
      readonly kind: 'bets';
      readonly cells: Float64Array;
      /** By bet; null if none has one. */
      readonly clientSeeds: readonly (string | null)[] | null;
    }
  /** `dropped`: the round is settled. */
  | ({ readonly kind: 'locked' | 'dropped' } & OfRound)
  | ({ readonly kind: 'published' } & OfRound & Pick<SignedRoot, 'merkleRoot' | 'treeSize'>);

export interface RootNotes {
  /** A shadow has begun anew: what was told before counts no more. */
  readonly isBeginning: boolean;
  readonly notes: readonly RootNote[];
  /** The last command of which all is told. */
  readonly reachedSeq: number;
}

/** Where the journal is, to be signed. */
export interface JournalHead {
  readonly seq: number;
  readonly chain: string;
  readonly timeMs: number;
}

export type FromShadow = RootNotes | JournalHead;

export interface RootsOptions {
  readonly masterSecret: Uint8Array;
  readonly signing: SigningKeys;
  /** The journal's end at the start: roots of rounds that locked before may be on record behind the shadow's place. */
  readonly startSeq: number;
  /** From the shadow (`FromShadow`). */
  readonly shadow: MessagePort;
}

/** A root that is to be put on record. */
export interface MadeRoot extends SignedRoot, OfRound {}

export type FromRootsThread =
  | { readonly kind: 'root'; readonly root: MadeRoot }
  | { readonly kind: 'head'; readonly head: SignedHead }
  | { readonly kind: 'diverged'; readonly error: ErrorParts };
