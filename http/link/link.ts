/**
 * How a gateway reaches the engine: by rings from a thread of its own (`rings/link.ts`), or by calls on the engine's
 * (`desk/near-link.ts`).
 */
import type { BetView } from '../../engine/model/views.js';
import type { Asker, OrderFields, OrderReply, RefusalFacts } from './orders.js';
import type { QuestionKind, QuestionOf, Told } from './questions.js';

/** Exactly one of them is called, once. */
export interface QuestionReply {
  /** `next` is the cursor of the next page as numbers, empty where there is none. */
  bets(bets: readonly BetView[], next: readonly number[]): void;
  /** JSON. */
  facts(text: string): void;
  refused(facts: RefusalFacts): void;
}

/** Both return false if the engine's thread is behind: nothing was sent, and the caller must refuse. */
export interface Link {
  /** Requests without a reply. */
  readonly pending: number;
  place(order: OrderFields, reply: OrderReply): boolean;
  ask<K extends QuestionKind>(
    asker: Asker,
    question: QuestionOf<K>,
    onTold: (told: Told[K] | RefusalFacts) => void,
  ): boolean;
}
