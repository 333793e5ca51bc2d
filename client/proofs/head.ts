/**
 * Checks a signed head of the journal, with the platform's own cryptography. Two heads, one of each history, show that
 * a server has signed two histories.
 */
import type { JournalHead, SigningKey } from '../base/types.js';
import { headHasForm } from './sense.js';
import { headText } from './statements.js';
import { isSigned, wasInUse } from './verify.js';

export interface HeadEvidence {
  /** `getJournalHead`, or `head` of a heartbeat. */
  readonly head: JournalHead;
  /** `listSigningKeys`, ideally as noted before. */
  readonly keys: readonly SigningKey[];
  /** An earlier head of the same journal that was checked. */
  readonly noted?: JournalHead | undefined;
}

export const HEAD_STEPS = ['form', 'signature', 'noted', 'keyTime'] as const;
export type HeadStep = (typeof HEAD_STEPS)[number];

/** `step` is the first check that failed. */
export type HeadVerdict = { readonly valid: true } | { readonly valid: false; readonly step: HeadStep };

/** Needs what `verifyProof` does. */
export async function verifyHead(evidence: HeadEvidence): Promise<HeadVerdict> {
  for (const step of HEAD_STEPS) if (!(await CHECKS[step](evidence))) return { valid: false, step };
  return { valid: true };
}

const CHECKS: Readonly<Record<HeadStep, (evidence: HeadEvidence) => boolean | Promise<boolean>>> = {
  form: headHasForm,
  signature: ({ head, keys }) => isSigned(headText(head), head, keys),
  noted: ({ head, noted }) => !noted || areOfOneJournal(head, noted),
  keyTime: ({ head, keys }) => wasInUse(head, keys),
};

function areOfOneJournal(one: JournalHead, other: JournalHead): boolean {
  if (one.seq === other.seq) return one.chain === other.chain && one.time === other.time;
  return one.seq > other.seq ? one.time >= other.time : one.time <= other.time;
}
