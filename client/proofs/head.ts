/**
 * Checks a signed head of the journal, with the platform's own cryptography. Two heads, one of each history, show that
 * a server has signed two histories.
 */
import type { JournalHead, SigningKey } from '../base/types.js';
import { headHasForm } from './sense.js';
import { headText } from './statements.js';
import { type Checks, isSigned, stepsOf, type Verdict, verdictOf, wasInUse } from './verify.js';

export interface HeadEvidence {
  /** `getJournalHead`, or `head` of a heartbeat. */
  readonly head: JournalHead;
  /** `listSigningKeys`, ideally as noted before. */
  readonly keys: readonly SigningKey[];
  /** An earlier head of the same journal that was checked. */
  readonly noted?: JournalHead | undefined;
}

/** In this order. */
const CHECKS = {
  form: headHasForm,
  signature: ({ head, keys }) => isSigned(headText(head), head, keys),
  noted: ({ head, noted }) => !noted || areOfOneJournal(head, noted),
  keyTime: ({ head, keys }) => wasInUse(head, keys),
} as const satisfies Checks<HeadEvidence, string>;

export type HeadStep = keyof typeof CHECKS;
export const HEAD_STEPS = stepsOf(CHECKS);
/** `step` is the first check that failed. */
export type HeadVerdict = Verdict<HeadStep>;

/** Needs what `verifyProof` does. */
export const verifyHead = (evidence: HeadEvidence): Promise<HeadVerdict> => verdictOf(CHECKS, evidence);

function areOfOneJournal(one: JournalHead, other: JournalHead): boolean {
  if (one.seq === other.seq) return one.chain === other.chain && one.time === other.time;
  return one.seq > other.seq ? one.time >= other.time : one.time <= other.time;
}
