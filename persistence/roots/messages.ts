/** Messages between the event loop and the thread that makes and signs the roots of rounds. */
import type { RoundName } from '../../engine/model/domain.js';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';

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

export interface RootsOptions {
  readonly masterSecret: Uint8Array;
  /** Shared with the gateways, which make most of them. */
  readonly betHashes: SharedArrayBuffer;
  readonly signing: SigningKeys;
}

export type ToRootsThread = readonly RootNote[];
