/** Questions and what is told, as messages in a ring: rarer than orders, so they and most answers cross it as JSON. */
import type { Asker } from '../link/orders.js';
import type { Question } from '../link/questions.js';
import { BETS, begin as beginReply, FACTS, REFUSED, readBets, readRefusal } from './replies.js';
import { begin, QUESTION } from './requests.js';
import { type RingConsumer, type RingProducer, textCells } from './ring.js';

/** Returns false if the ring is full; then nothing was sent. */
export function sendQuestion(ring: RingProducer, ticket: number, asker: Asker, question: Question): boolean {
  const text = JSON.stringify(question);
  if (!begin(ring, textCells(text), QUESTION, ticket, asker)) return false;
  ring.text(text);
  ring.send();
  return true;
}

export function readTold(kind: number, ring: RingConsumer): unknown {
  if (kind === REFUSED) return readRefusal(ring);
  return kind === BETS ? readBets(ring) : JSON.parse(ring.text() ?? 'null');
}

/** Behind the asker. JSON has no Infinity, the end of an order without one. */
export const readQuestion = (ring: RingConsumer): Question =>
  JSON.parse(ring.text() ?? 'null', (name, value) =>
    name === 'validUntilMs' ? (value ?? Infinity) : value,
  ) as Question;

/** `facts` are JSON. Returns false if the ring is full; then nothing was sent. */
export function sendFacts(ring: RingProducer, ticket: number, facts: string): boolean {
  if (!beginReply(ring, textCells(facts), FACTS, ticket)) return false;
  ring.text(facts);
  ring.send();
  return true;
}
