/**
 * The input and output of an operator handler. It gets a call, which is a request with its path's parameters. It
 * returns a refusal, or an answer that is sent once what it reports is durable.
 */
import { centsOfDollars } from '../../engine/base/money.js';
import type { EngineEvent, Outcome } from '../../engine/model/events.js';
import type { HeaderList, HttpRequest } from '../../engine/model/ports.js';
import { invalid, Refused } from '../kit/refused.js';
import type { Routed } from '../kit/router.js';

export interface Call {
  /** Values of the path's `{...}` parts, in order. */
  readonly params: readonly string[];
  readonly request: HttpRequest;
}

export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly headers: HeaderList;
  /**
   * The answer is sent once this command is durable. `all` waits for all work that is due now, settlements included.
   */
  readonly after: number | 'all';
}

export type Result = Answer | Refused;

/** `path` is below `/operator/v1`. */
export interface Route extends Routed {
  readonly handle: (call: Call) => Result | Promise<Result>;
}

/** Cents of a dollar amount in a body. */
export function readCents(field: string, dollars: number): number | Refused {
  return (
    centsOfDollars(dollars) ?? invalid(`${field} must be an amount in dollars with at most two decimals`)
  );
}

/** Milliseconds since 1970 of an ISO 8601 text in a body. */
export function readTimeMs(field: string, text: string): number | Refused {
  const timeMs = Date.parse(text);
  if (!Number.isSafeInteger(timeMs) || timeMs < 0)
    return invalid(`${field} must be an ISO 8601 date-time since 1970`);
  const day = text.slice(0, 10);
  if (!isInCalendar(day)) return invalid(`${field} names a day that the calendar does not have: ${day}`);
  return timeMs;
}

/** Whether the day exists: `Date.parse` accepts 30 February as 2 March. */
function isInCalendar(day: string): boolean {
  const startMs = Date.parse(`${day}T00:00:00Z`);
  return Number.isFinite(startMs) && new Date(startMs).toISOString().startsWith(day);
}

type Taken = Exclude<Outcome, { status: 'rejected' }>;

/** The outcome of a command that took effect, now or earlier under the same reference, or why it did not. */
export const taken = (outcome: Outcome): Taken | Refused =>
  outcome.status === 'rejected' ? new Refused(outcome.code, outcome.detail) : outcome;

export const eventsOf = (outcome: Taken): readonly EngineEvent[] =>
  outcome.status === 'accepted' ? outcome.events : [];

export const answer = (
  status: number,
  data: unknown,
  after: Answer['after'],
  headers: HeaderList = [],
): Answer => ({ status, data, headers, after });
