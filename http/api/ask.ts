/** Questions of a call to the engine's thread and to the archive. A refusal answers the call. */
import {
  type ArchiveAnswer,
  type ArchiveRefusal,
  isRefusal,
  type ReachedSeq,
} from '../../engine/model/archive-reads.js';
import { refusedBy } from '../kit/refused.js';
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

/**
 * First asks how far the archive must have come, once that is durable, so that nothing acknowledged is missing from its
 * answer. `read` is one of `ArchiveReads`; `onAnswer` may throw a refusal.
 */
export const askArchive = <Q extends ReachedSeq, A extends ArchiveAnswer>(
  services: Pick<Services, 'link'>,
  call: Call,
  kind: 'accountSeq' | 'lifecycleSeq',
  read: (question: Q, tell: (told: A | ArchiveRefusal) => void) => void,
  question: Omit<NoInfer<Q>, 'reachedSeq'>,
  onAnswer: (answer: A) => void,
): void =>
  ask(services, call, { kind }, ({ seq: reachedSeq }) =>
    read({ ...question, reachedSeq } as Q, (told) => {
      if (isRefusal(told)) call.refuse(refusedBy(told));
      else call.attempt(() => onAnswer(told as A));
    }),
  );
