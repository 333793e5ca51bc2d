/** Proofs of a round and its bets, as types: as in `types.ts`, the comments are the document's (extension). */
import type { Asset, TimeFrame } from '../../engine/model/domain.js';
import type { Count, DateTime, Ed25519Hex, Sha256Hex, SigningKeyId } from './scalars.js';

/** A key with which the server signs. */
export interface SigningKey {
  keyId: SigningKeyId;
  /** Always `Ed25519` (RFC 8032). */
  algorithm: string;
  /** 32 bytes in hex. */
  publicKey: Sha256Hex;
  createdAt: DateTime;
  /** When another key took its place; null for the one in use. */
  retiredAt: DateTime | null;
}

/** The Merkle root over the hashes of a round's bets (RFC 6962), as it was put on record, with its signature. */
export interface RoundRoot {
  merkleRoot: Sha256Hex;
  /** Number of bets. */
  treeSize: Count;
  publishedAt: DateTime;
  keyId: SigningKeyId;
  /** Signs the text `tote-root-1` (the page /docs/proofs). */
  signature: Ed25519Hex;
}

/** A price that opened or closed a round, and where it came from. */
export interface ProvenPrice {
  /** null if there was none, or none that was fresh enough. */
  price: number | null;
  /** The tick's own time. */
  time: DateTime | null;
  /** Name of the feed; null if there was no price. */
  source: string | null;
  /** Origin data of the feed, as it gave them, or why there is no price. */
  evidence: string | null;
  /** `boundary`: the last tick up to the round's start or end. `late`: a fresh tick at the moment of opening. null where it was not kept. */
  rule: 'boundary' | 'late' | null;
}

/** Fair probabilities of UP in percent at which bets of the round were placed. */
export interface FairShares {
  first: number;
  last: number;
  lowest: number;
  highest: number;
}

/** A text that the server has signed. */
export interface SignedStatement {
  /** The bytes that are signed are its UTF-8. */
  text: string;
  keyId: SigningKeyId;
  signature: Ed25519Hex;
}

/** The same in a round's proof and in lists of rounds. */
export interface RoundFacts {
  /** `<marketId>_<roundNumber>`. */
  id: string;
  marketId: string;
  crypto: Asset;
  timeFrame: TimeFrame;
  roundNumber: Count;
  startTime: DateTime;
  lockTime: DateTime;
  endTime: DateTime;
  /** Pool on UP in USD as of the last bet, the house's seed included. */
  poolUp: number;
  /** The same on DOWN. */
  poolDown: number;
  /** Number of bets. */
  totalBets: Count;
  /** Sum of all stakes in USD, without the house's seeds. */
  totalVolume: number;
  /** Why it was voided, or null. */
  voidReason: string | null;
}

/** All that is needed to check a settled round without trusting the server. */
export interface RoundProof extends RoundFacts {
  /** SHA-256 of the seed: published before the first bet. */
  seedCommitment: Sha256Hex;
  /** The round's seed, to which the hash of every bet is bound. */
  seed: Sha256Hex;
  open: ProvenPrice;
  close: ProvenPrice;
  /** Absent for a round that was voided. */
  result?: 'UP' | 'DOWN' | 'DRAW';
  totalPool: number;
  /** The house's part of the pools, on both sides together. */
  houseSeeds: number;
  /** null where no bet was placed by a quote, or it was not kept. */
  fairPercentUp: FairShares | null;
  /** Share of a payout that is kept: a WIN pays amount * oddsAtBet * (1 - fee). */
  fee: number;
  /** How odds and payouts are rounded. */
  rounding: string;
  /** null where none was put on record: an old round, one that was voided before its lock, or one that was settled first. */
  root: RoundRoot | null;
  /** Whether the root was on record before the round ended, so before its result could be known; null without a root. */
  rootInTime: boolean | null;
  resolvedAt: DateTime;
  settledAt: DateTime;
  /** The text `tote-settlement-1` (the page /docs/proofs) of all this. */
  statement: SignedStatement;
}

/** That a bet is under the root of its round. */
export interface OrderProof {
  orderId: string;
  roundId: string;
  /** As in the answer to the order; its 32 bytes are the data of the leaf. */
  betHash: Sha256Hex;
  /** The bet's place in the order in which the round's bets were placed, from 0. */
  leafIndex: Count;
  /** Hashes beside the way to the root, from the leaf up. */
  path: Sha256Hex[];
  /** SHA-256 of the round's seed, which the root's signature covers. */
  seedCommitment: Sha256Hex;
  root: RoundRoot;
}

/** The server's word that a bet is in its journal, signed. The same bet has the same receipt for as long as the signing key does. */
export interface Receipt {
  orderId: string;
  accountId: string;
  /** As of the bet: it binds the round, the stake, the odds and all else of it. */
  betHash: Sha256Hex;
  /** The journal's command that made the bet: it placed the order, or filled a limit order that rested. */
  seq: Count;
  /** The command's time: `placedAt`, or `filledAt` of a limit order that rested. */
  time: DateTime;
  keyId: SigningKeyId;
  /** Signs the text `tote-receipt-1` (the page /docs/proofs) of all this. */
  signature: Ed25519Hex;
}

/** The journal's place, signed once after each start and each hour of its time: it binds all commands up to there. */
export interface JournalHead {
  /** The number of the journal's last command then. */
  seq: Count;
  /** The hash that the chain over the journal's batches has there. */
  chain: Sha256Hex;
  /** That command's time. */
  time: DateTime;
  keyId: SigningKeyId;
  /** Signs the text `tote-head-1` (the page /docs/proofs) of all this. */
  signature: Ed25519Hex;
}
