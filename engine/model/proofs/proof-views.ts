/** The facts by which a round can be checked without trusting the server. */

/** A signed Merkle root over the hashes of a round's bets (RFC 6962). */
export interface SignedRoot {
  /** 64 hex digits. */
  readonly merkleRoot: string;
  /** The number of its bets. */
  readonly treeSize: number;
  /** 16 hex digits. */
  readonly keyId: string;
  /** Ed25519 over the root's statement (`engine/proofs/statements.ts`), 128 hex digits. */
  readonly signature: string;
}

export interface PublishedRoot extends SignedRoot {
  readonly publishedAtMs: number;
}

/** The source of a price that opened or closed a round. */
export interface PriceOrigin {
  /** The tick's own time; null if there was none. */
  readonly priceTimeMs: number | null;
  /** The feed's name, or null if there was no tick. */
  readonly source: string | null;
  /** Origin data of the feed, or why there is no price. */
  readonly evidence: string;
  /** Whether the round opened late, at a fresh price, and not by the rule of boundaries. */
  readonly isLate: boolean;
}

/** The facts besides a round's figures. */
export interface ProofView {
  /** null until there is one. */
  readonly open: PriceOrigin | null;
  readonly close: PriceOrigin | null;
  /** Fair shares of UP in millionths at which bets were placed; -1 if none was. */
  readonly firstShareE6: number;
  readonly lastShareE6: number;
  readonly leastShareE6: number;
  readonly greatestShareE6: number;
  /** null until it is on record; for ever if the round was settled first. */
  readonly root: PublishedRoot | null;
}
