/** Messages of the thread that makes the roots of rounds: from the shadow, and with the event loop. */
import type { MessagePort } from 'node:worker_threads';
import type { RoundName } from '../../engine/model/domain.js';
import type { SignedRoot } from '../../engine/model/proofs/proof-views.js';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { ErrorParts } from '../journal/messages.js';

/** A bet's numbers: time, bet, market, round, side, stake, odds, entry percent, payout. */
export const BET_CELLS = 9;

export type RootNote =
  | {
      readonly kind: 'bets';
      readonly cells: Float64Array;
      /** By bet; null if no bet has one. */
      readonly clientSeeds: readonly (string | null)[] | null;
    }
  | ({ readonly kind: 'locked' | 'dropped' } & RoundName)
  | ({ readonly kind: 'published' } & RoundName & Pick<SignedRoot, 'merkleRoot' | 'treeSize'>);

export interface RootNotes {
  /** A shadow has begun anew: earlier notes count no more. */
  readonly isBeginning: boolean;
  readonly notes: readonly RootNote[];
  readonly reachedSeq: number;
}

/** The journal's newest batch, to be signed. */
export interface JournalHead {
  readonly seq: number;
  readonly chain: string;
  readonly timeMs: number;
}

export type FromShadow = RootNotes | JournalHead;

export interface RootsOptions {
  readonly masterSecret: Uint8Array;
  /** Shared with the gateways, which make most of them. */
  readonly betHashes: SharedArrayBuffer;
  readonly signing: SigningKeys;
  /** The journal's end at the start: roots of rounds that locked before may be on record behind the shadow's place. */
  readonly startSeq: number;
  readonly shadow: MessagePort;
}

export interface MadeRoot extends SignedRoot, RoundName {}

export type FromRootsThread =
  | { readonly kind: 'root'; readonly root: MadeRoot }
  | { readonly kind: 'head'; readonly head: SignedHead }
  | { readonly kind: 'diverged'; readonly error: ErrorParts };
