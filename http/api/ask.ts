/** Questions of a call to the engine's thread and to the archive. A refusal answers the call. */
import { type ArchiveAnswer, type ArchiveRefusal, isRefusal } from '../../engine/model/archive-reads.js';
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

/** How far the archive must have come, once that is durable, so that nothing acknowledged is missing from its answer. */
export const askReached = (
  services: Pick<Services, 'link'>,
  call: Call,
  kind: 'accountSeq' | 'lifecycleSeq',
  read: (reachedSeq: number) => void,
): void => ask(services, call, { kind }, ({ seq }) => read(seq));

/** For the archive to tell: `onAnswer` may throw a refusal. */
export const answering =
  <A extends ArchiveAnswer>(call: Call, onAnswer: (answer: A) => void) =>
  (told: A | ArchiveRefusal): void => {
    if (isRefusal(told)) call.refuse(refusedBy(told));
    else call.attempt(() => onAnswer(told as A));
  };
