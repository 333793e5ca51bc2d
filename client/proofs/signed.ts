/**
 * Checks a receipt and a signed head of the journal, with the platform's own cryptography. A receipt says that a bet is
 * in the journal: its holder can show a bet that is missing from its round's tree. Two heads, one of each history, show
 * that a server has signed two histories.
 */
import type { JournalHead, Position, Receipt, SigningKey } from '../base/types.js';
import { headHasForm, receiptHasForm } from './sense.js';
import { headText, receiptText } from './statements.js';
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
const RECEIPT_CHECKS = {
  form: receiptHasForm,
  signature: ({ receipt, keys }) => isSigned(receiptText(receipt), receipt, keys),
  // A limit order that rested is a bet, with a hash, since its fill.
  bet: ({ receipt: { orderId, betHash, time }, bet }) =>
    !bet || (orderId === bet.id && betHash === bet.betHash && time >= bet.placedAt),
  account: ({ receipt, accountId }) => receipt.accountId === (accountId ?? receipt.accountId),
  // It may be signed with a later key, not with one that was retired before the bet.
  keyTime: ({ receipt, keys }) => wasInUse(receipt, keys),
} as const satisfies Checks<ReceiptEvidence, string>;

export type ReceiptStep = keyof typeof RECEIPT_CHECKS;
export const RECEIPT_STEPS = stepsOf(RECEIPT_CHECKS);
/** `step` is the first check that failed. */
export type ReceiptVerdict = Verdict<ReceiptStep>;

/** Needs what `verifyProof` does. */
export const verifyReceipt = (evidence: ReceiptEvidence): Promise<ReceiptVerdict> =>
  verdictOf(RECEIPT_CHECKS, evidence);

export interface HeadEvidence {
  /** `getJournalHead`, or `head` of a heartbeat. */
  readonly head: JournalHead;
  /** `listSigningKeys`, ideally as noted before. */
  readonly keys: readonly SigningKey[];
  /** An earlier head of the same journal that was checked. */
  readonly noted?: JournalHead | undefined;
}

/** In this order. */
const HEAD_CHECKS = {
  form: headHasForm,
  signature: ({ head, keys }) => isSigned(headText(head), head, keys),
  noted: ({ head, noted }) => !noted || areOfOneJournal(head, noted),
  keyTime: ({ head, keys }) => wasInUse(head, keys),
} as const satisfies Checks<HeadEvidence, string>;

export type HeadStep = keyof typeof HEAD_CHECKS;
export const HEAD_STEPS = stepsOf(HEAD_CHECKS);
/** `step` is the first check that failed. */
export type HeadVerdict = Verdict<HeadStep>;

/** Needs what `verifyProof` does. */
export const verifyHead = (evidence: HeadEvidence): Promise<HeadVerdict> => verdictOf(HEAD_CHECKS, evidence);

function areOfOneJournal(one: JournalHead, other: JournalHead): boolean {
  if (one.seq === other.seq) return one.chain === other.chain && one.time === other.time;
  return one.seq > other.seq ? one.time >= other.time : one.time <= other.time;
}
