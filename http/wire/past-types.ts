/**
 * The past as types, from which the API document is made: an account's ledger, settled rounds, and the events of rounds
 * that the stream sends.
 */
import type { Asset, TimeFrame } from '../../engine/model/domain.js';
import type { Count, DateTime, Ed25519Hex, Sha256Hex, SigningKeyId } from './scalars.js';

/** A movement of an account's money. The amounts of all entries up to one add up to its `balanceAfter`. */
export interface LedgerEntry {
  /** Unique in the account, and never changes. */
  id: string;
  time: DateTime;
  /**
   * `reserve` is the stake of a limit order that rests. `fill`, always of 0, says that the order has become a bet: its stake is
   * in the pool now.
   */
  type: 'deposit' | 'withdrawal' | 'stake' | 'reserve' | 'fill' | 'payout' | 'refund' | 'forward';
  /** The operator's reference of a deposit or a withdrawal. */
  reference: string | null;
  /** The order of a stake, a reserve, a fill, a payout or a refund. */
  orderId: string | null;
  /** That order's `clientOrderId`, if it has one. */
  clientOrderId: string | null;
  /** USD; positive into the account, negative out of it. */
  amount: number;
  /** The account's balance after it, in USD. */
  balanceAfter: number;
}

/** A round that is over, as it was settled. */
export interface SettledRound {
  /** `<marketId>_<roundNumber>`. */
  id: string;
  marketId: string;
  crypto: Asset;
  timeFrame: TimeFrame;
  roundNumber: Count;
  startTime: DateTime;
  lockTime: DateTime;
  endTime: DateTime;
  openPrice: number | null;
  /** null for a round that was voided. */
  closePrice: number | null;
  /** Pool on UP in USD as of the last bet, the house's seed included. */
  poolUp: number;
  /** The same on DOWN. */
  poolDown: number;
  /** Number of bets. */
  totalBets: Count;
  /** Sum of all stakes in USD, without the house's seeds. */
  totalVolume: number;
  /** Absent for a round that was voided. */
  result?: 'UP' | 'DOWN' | 'DRAW';
  /** Why it was voided, or null. */
  voidReason: string | null;
  settledAt: DateTime;
  /** The Merkle root over the hashes of its bets; null where none was put on record (extension). */
  root: RoundRoot | null;
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

export interface OfRound {
  marketId: string;
  roundId: string;
  roundNumber: Count;
}

/** The round takes bets. */
export interface RoundOpenedEvent extends OfRound {
  event: 'opened';
  openPrice: number;
  startTime: DateTime;
  bettingClosesAt: DateTime;
  lockTime: DateTime;
  endTime: DateTime;
}

/** The round takes no more bets. */
export interface RoundLockedEvent extends OfRound {
  event: 'locked';
}

/** The Merkle root over the hashes of the round's bets, signed: sent once the round is locked, before its result can be known. */
export interface RoundRootEvent extends OfRound {
  event: 'root';
  merkleRoot: Sha256Hex;
  /** Number of bets. */
  treeSize: Count;
  /** As of GET /keys. */
  keyId: SigningKeyId;
  signature: Ed25519Hex;
}

/** All bets of the round are paid. */
export interface RoundSettledEvent extends OfRound {
  event: 'settled';
  result: 'UP' | 'DOWN' | 'DRAW';
  openPrice: number;
  closePrice: number;
  totalBets: Count;
  totalVolume: number;
}

/** The round has no result: all bets are refunded. */
export interface RoundVoidedEvent extends OfRound {
  event: 'voided';
  totalBets: Count;
  totalVolume: number;
}

export type RoundEvent =
  | RoundOpenedEvent
  | RoundLockedEvent
  | RoundRootEvent
  | RoundSettledEvent
  | RoundVoidedEvent;

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
  /** Signs the text `tote-receipt-1` (docs/proofs.md) of all this. */
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
  /** Signs the text `tote-head-1` (docs/proofs.md) of all this. */
  signature: Ed25519Hex;
}
