/** What the engine's thread makes of a question: facts with what they wait for, a list in slices, or a refusal. */
import type { EngineEvent, Outcome } from '../../../engine/model/events.js';
import { Refused } from '../../kit/refused.js';

/**
 * The operators' thread is told once this command is durable. `all` waits for all work that is due now, settlements
 * included.
 */
export type After = number | 'all';

export interface Facts<F> {
  readonly facts: F;
  readonly after: After;
}

/** A list: each slice is one turn's work, null if it has found nothing. It ends with what the whole list waits for. */
export class Slices<F> {
  constructor(readonly rest: Iterator<F | null, After, void>) {}
}

export type Reply<F> = Facts<F> | Refused | Slices<F> | Promise<Facts<F>>;

export const facts = <F>(found: F, after: After): Facts<F> => ({ facts: found, after });

type Taken = Exclude<Outcome, { status: 'rejected' }>;

/** The outcome of a command that took effect, now or earlier under the same reference, or why it did not. */
export const taken = (outcome: Outcome): Taken | Refused =>
  outcome.status === 'rejected' ? new Refused(outcome.code, outcome.detail) : outcome;

export const eventsOf = (outcome: Taken): readonly EngineEvent[] =>
  outcome.status === 'accepted' ? outcome.events : [];
