/** Requests in a ring, read for the desk, and its replies, written to the ring of the gateway that asked. */
import { fail } from '../../engine/base/assert.js';
import type { CommitTimes } from '../../engine/host/open-batch.js';
import type { OrderTerms } from '../../engine/model/events.js';
import type { BetView } from '../../engine/model/views.js';
import type { QuestionReply } from '../link/link.js';
import type { OrderReply, RefusalFacts } from '../link/orders.js';
import { sendPlaced, sendReplayed } from '../rings/bet-reply.js';
import { readQuestion, sendFacts } from '../rings/questions.js';
import { sendBets, sendRefusal } from '../rings/replies.js';
import { ORDER, QUESTION, readAsker, readOrder } from '../rings/requests.js';
import type { RingConsumer } from '../rings/ring.js';
import type { GatewayEnd } from '../rings/service.js';
import type { Desk } from './desk.js';

export function serveRing(desk: Desk, ring: RingConsumer, gateway: GatewayEnd): void {
  const kind = ring.number();
  const reply = new RingReply(gateway, ring.number());
  if (kind === ORDER) desk.place(readOrder(ring), gateway.takenMs, reply);
  else if (kind === QUESTION) desk.answer(readAsker(ring), readQuestion(ring), reply);
  else fail(`a request of kind ${kind} is not known`);
}

class RingReply implements OrderReply, QuestionReply {
  constructor(
    private readonly gateway: GatewayEnd,
    private readonly ticket: number,
  ) {}

  placed(seq: number, bet: OrderTerms, takenMs: number, times: CommitTimes): void {
    this.gateway.reply((ring) => sendPlaced(ring, this.ticket, seq, bet, takenMs, times));
  }

  replayed(seq: number, bet: OrderTerms): void {
    this.gateway.reply((ring) => sendReplayed(ring, this.ticket, seq, bet));
  }

  bets(bets: readonly BetView[], next: readonly number[]): void {
    this.gateway.reply((ring) => sendBets(ring, this.ticket, bets, next));
  }

  facts(text: string): void {
    this.gateway.reply((ring) => sendFacts(ring, this.ticket, text));
  }

  refused(facts: RefusalFacts): void {
    this.gateway.reply((ring) => sendRefusal(ring, this.ticket, facts));
  }
}
