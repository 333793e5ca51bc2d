/** Messages of the thread that makes the roots of rounds and signs: with the event loop, and from the shadow. */
import type { MessagePort } from 'node:worker_threads';
import type { MadeRoot } from '../../engine/model/commands.js';
import type { RoundName } from '../../engine/model/domain.js';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';
import type { SignedHead } from '../../engine/proofs/statements.js';

/** A bet's numbers: time, bet, market, round, side, stake, odds, entry percent, payout. */
export const BET_CELLS = 9;

export type RootNote =
  | {
      readonly kind: 'bets';
      readonly cells: Float64Array;
      /** By bet; null if no bet has one. */
      readonly clientSeeds: readonly (string | null)[] | null;
    }
  | ({ readonly kind: 'locked' | 'dropped' } & RoundName);

/** The journal's newest batch, to be signed. */
export interface JournalHead {
  readonly seq: number;
  readonly chain: string;
  readonly timeMs: number;
}

export interface RootsOptions {
  readonly masterSecret: Uint8Array;
  /** Shared with the gateways, which make most of them. */
  readonly betHashes: SharedArrayBuffer;
  readonly signing: SigningKeys;
  /** `JournalHead`s come here. */
  readonly shadow: MessagePort;
}

export type ToRootsThread = readonly RootNote[];

export type FromRootsThread =
  | { readonly kind: 'root'; readonly root: MadeRoot }
  | { readonly kind: 'head'; readonly head: SignedHead };
