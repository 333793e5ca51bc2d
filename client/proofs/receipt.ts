/**
 * Checks a receipt, with the platform's own cryptography: the server has signed that a bet is in its journal. The
 * receipt's holder can show a bet that is missing from its round's tree.
 */
import type { Position, Receipt, SigningKey } from '../base/types.js';
import { receiptHasForm } from './sense.js';
import { receiptText } from './statements.js';
import { type Checks, isSigned, stepsOf, type Verdict, verdictOf, wasInUse } from './verify.js';

export interface ReceiptEvidence {
  /** From the answer to the order, or `getOrderReceipt`. */
  readonly receipt: Receipt;
  /** `listSigningKeys`, ideally as noted before. */
  readonly keys: readonly SigningKey[];
  /** The receipt must be of this bet. */
  readonly bet?: Pick<Position, 'id' | 'betHash' | 'placedAt'> | undefined;
  /** The receipt must name this account. */
  readonly accountId?: string | undefined;
}

/** In this order. */
const CHECKS = {
  form: receiptHasForm,
  signature: ({ receipt, keys }) => isSigned(receiptText(receipt), receipt, keys),
  // A limit order that rested is a bet, with a hash, since its fill.
  bet: ({ receipt: { orderId, betHash, time }, bet }) =>
    !bet || (orderId === bet.id && betHash === bet.betHash && time >= bet.placedAt),
  account: ({ receipt, accountId }) => receipt.accountId === (accountId ?? receipt.accountId),
  // It may be signed with a later key, not with one that was retired before the bet.
  keyTime: ({ receipt, keys }) => wasInUse(receipt, keys),
} as const satisfies Checks<ReceiptEvidence, string>;

export type ReceiptStep = keyof typeof CHECKS;
export const RECEIPT_STEPS = stepsOf(CHECKS);
/** `step` is the first check that failed. */
export type ReceiptVerdict = Verdict<ReceiptStep>;

/** Needs what `verifyProof` does. */
export const verifyReceipt = (evidence: ReceiptEvidence): Promise<ReceiptVerdict> =>
  verdictOf(CHECKS, evidence);
