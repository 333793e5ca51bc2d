/** What is kept of a round so that it can be checked without trusting the server. */

/** A signed Merkle root over the hashes of a round's bets (RFC 6962), and whose signature it has. */
export interface SignedRoot {
  /** 64 hex digits. */
  readonly merkleRoot: string;
  /** Number of bets under it. */
  readonly treeSize: number;
  /** The signing key's id, 16 hex digits. */
  readonly keyId: string;
  /** Ed25519 over the root's statement (`engine/proofs/statements.ts`), 128 hex digits. */
  readonly signature: string;
}

export interface PublishedRoot extends SignedRoot {
  readonly publishedAtMs: number;
}

/** Where the price that opened or closed a round came from. */
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

/** What bettors need of a round, besides its figures, to check it without trusting the server. */
export interface ProofView {
  /** null until there is one. */
  readonly open: PriceOrigin | null;
  readonly close: PriceOrigin | null;
  /** Fair shares of UP in millionths at which bets were placed: first, last, least and greatest; -1 if none was. */
  readonly firstShareE6: number;
  readonly lastShareE6: number;
  readonly leastShareE6: number;
  readonly greatestShareE6: number;
  /** null until it is on record, which it is not if the round was settled first. */
  readonly root: PublishedRoot | null;
}
