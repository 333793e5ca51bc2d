/** Questions of a call to the engine's thread and to the archive. A refusal answers the call. */
import {
  type ArchiveAnswer,
  type ArchiveRefusal,
  isRefusal,
  type ReachedSeq,
} from '../../engine/model/archive-reads.js';
import { Refused, refusedBy } from '../kit/refused.js';
import type { QuestionKind, QuestionOf, Told } from '../link/questions.js';
import type { Call } from './call.js';
import { OVERLOADED, refusedOf } from './refusals.js';
import type { Services } from './services.js';

/** `onTold` may throw a refusal. */
export function ask<K extends QuestionKind>(
  { link }: Pick<Services, 'link'>,
  call: Call,
  question: QuestionOf<K>,
  onTold: (told: Told[K]) => void,
): void {
  const isSent = link.ask(call, question, (told) => {
    if ('code' in told) call.refuse(refusedOf(told));
    else call.attempt(() => onTold(told as Told[K]));
  });
  if (!isSent) throw OVERLOADED;
}

/** A quarter of what waits for the archive at a gateway: one account must not take the places of all others. */
const ARCHIVE_QUESTIONS_MAX = 16;
const ARCHIVE_FULL = new Refused(
  'overloaded',
  `${ARCHIVE_QUESTIONS_MAX} requests of the account wait for the archive; try again`,
  ['Retry-After', '1'],
);

/**
 * First asks how far the archive must have come, once that is durable, so that nothing acknowledged is missing from its
 * answer. `read` is one of `ArchiveReads`; `onAnswer` may throw a refusal.
 */
export const askArchive = <Q extends ReachedSeq, A extends ArchiveAnswer>(
  services: Pick<Services, 'link' | 'archiveQuestions'>,
  call: Call,
  kind: 'accountSeq' | 'lifecycleSeq',
  read: (question: Q, tell: (told: A | ArchiveRefusal) => void) => void,
  question: Omit<NoInfer<Q>, 'reachedSeq'>,
  onAnswer: (answer: A) => void,
): void =>
  ask(services, call, { kind }, ({ seq: reachedSeq }) => {
    const { archiveQuestions } = services;
    const { account } = call;
    const before = archiveQuestions.get(account) ?? 0;
    if (before === ARCHIVE_QUESTIONS_MAX) throw ARCHIVE_FULL;
    archiveQuestions.set(account, before + 1);
    read({ ...question, reachedSeq } as Q, (told) => {
      const left = (archiveQuestions.get(account) ?? 1) - 1;
      if (left === 0) archiveQuestions.delete(account);
      else archiveQuestions.set(account, left);
      if (isRefusal(told)) call.refuse(refusedBy(told));
      else call.attempt(() => onAnswer(told as A));
    });
  });
