/** Questions of a call to the engine's thread and to the archive. A refusal answers the call. */
import { type ArchiveAnswer, type ArchiveRefusal, isRefusal } from '../../engine/model/archive-reads.js';
import { refusedBy } from '../kit/refused.js';
import type { Link } from '../rings/link.js';
import * as replies from '../rings/replies.js';
import * as requests from '../rings/requests.js';
import type { RingConsumer, RingProducer } from '../rings/ring.js';
import type { Call } from './call.js';
import { OVERLOADED, refusedOf } from './refusals.js';

interface Asking {
  readonly link: Link;
}

/** `onReply` may throw a refusal. */
export function ask<T>(
  { link }: Asking,
  call: Call,
  write: (ring: RingProducer, ticket: number) => boolean,
  read: (ring: RingConsumer) => T,
  onReply: (reply: T) => void,
): void {
  const isSent = link.send(write, (kind, ring) => {
    if (kind === replies.REFUSED) call.refuse(refusedOf(replies.readRefusal(ring)));
    else {
      const reply = read(ring);
      call.attempt(() => onReply(reply));
    }
  });
  if (!isSent) throw OVERLOADED;
}

/**
 * How far the archive must have come, once that is durable, so that nothing acknowledged is missing from its answer:
 * `kind` is ACCOUNT_SEQ or LIFECYCLE_SEQ.
 */
export const askReached = (
  services: Asking,
  call: Call,
  kind: number,
  onReached: (reachedSeq: number) => void,
): void =>
  ask(
    services,
    call,
    (ring, ticket) => requests.sendAsker(ring, kind, ticket, call),
    replies.readCount,
    onReached,
  );

/** For the archive to tell: `onAnswer` may throw a refusal. */
export const answering =
  <A extends ArchiveAnswer>(call: Call, onAnswer: (answer: A) => void) =>
  (told: A | ArchiveRefusal): void => {
    if (isRefusal(told)) call.refuse(refusedBy(told));
    else call.attempt(() => onAnswer(told as A));
  };
