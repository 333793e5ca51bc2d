/**
 * The input and output of an operator handler, and how the output is sent. A handler gets a call, which is a request with its
 * path's parameters, checks what it can without the engine's state, and returns an answer or a refusal, or what to ask the
 * engine's thread.
 */
import { randomUUID } from 'node:crypto';
import type { tags } from 'typia';
import { centsOfDollars } from '../../engine/base/money.js';
import type { ArchiveReads } from '../../engine/model/archive-reads.js';
import type { By, OperatorCaller, OperatorRole } from '../../engine/model/operators.js';
import type { HeaderList, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { invalid, Refused } from '../kit/refused.js';
import type { Routed } from '../kit/router.js';
import type { AskOf, FactsOf, Kind, Question } from './desk/dealings.js';

export interface Call {
  /** Values of the path's `{...}` parts, in order. */
  readonly params: readonly string[];
  readonly request: HttpRequest;
  readonly caller: OperatorCaller;
}

/** Why something is done: beside who does it in the journal. Fields of every body that changes something. */
export type Reason = string & tags.MaxLength<500>;
export interface Reasoned {
  readonly reason?: Reason;
}

export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly headers: HeaderList;
  /** Of a list that comes in pages: where the next one begins, or null. */
  readonly nextCursor?: string | null;
}

export type Result = Answer | Refused;

/** A question for the engine's thread, and what is made of its facts: an answer, or what to ask or to read first. */
export class Asking {
  constructor(
    readonly question: Question,
    readonly render: (facts: readonly FactsOf<Kind>[]) => Result | Reading | Asking,
    /** In whose name it changes something; null before the API has said so, and where it only reads. */
    readonly by: By | null = null,
  ) {}

  inNameOf(by: By): Asking {
    return new Asking(this.question, this.render, by);
  }
}

/** What is read in the archive, and what is made of it. `tell` is called once. */
export class Reading {
  constructor(readonly read: (archive: ArchiveReads, tell: (result: Result) => void) => void) {}
}

/** A text that is ready later, sent as it is. */
export class PlainText {
  constructor(
    readonly contentType: string,
    readonly text: Promise<string>,
  ) {}
}

/** `path` is below `/operator/v1`. */
export interface Route extends Routed {
  /** The least role that may call it. What only some calls of a route need beyond it, its handler asks for. */
  readonly role: OperatorRole;
  readonly handle: (call: Call) => Result | Asking | PlainText;
}

/** `render` gets the facts of `kind`; a list has them in any number of parts. */
export const asking = <K extends Kind>(
  kind: K,
  ask: AskOf<K>,
  render: (...facts: FactsOf<K>[]) => Result | Reading | Asking,
): Asking =>
  // A question of `kind` is answered with facts of `kind`, which the compiler cannot follow through the messages.
  new Asking({ kind, ask } as Question, (facts) => render(...(facts as readonly FactsOf<K>[])));

/** Refuses the request as said, unless what its path names does not exist: that is refused first. */
export const refuseAfter = (exists: Question<'hasAccount' | 'hasKey'>, refused: Refused): Asking =>
  new Asking(exists, () => refused);

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

export const answer = (status: number, data: unknown, headers: HeaderList = []): Answer => ({
  status,
  data,
  headers,
});

/** A page of a list. */
export const page = (data: readonly unknown[], nextCursor: string | null): Answer => ({
  ...answer(200, data),
  nextCursor,
});

const OK = 200;

/** Sends the result of an operator request, with an id by which people can refer to it. */
export function sendResult(responder: HttpResponder, result: Result): void {
  const { status, headers } = result;
  const body = result instanceof Refused ? result.body : textOf(result);
  responder.send(status, [...headersOf(body === '' ? null : 'application/json'), ...headers], body);
}

export const sendText = (responder: HttpResponder, contentType: string, text: string): void =>
  responder.send(OK, headersOf(contentType), text);

const headersOf = (contentType: string | null): string[] => [
  'X-Request-Id',
  randomUUID(),
  'Cache-Control',
  'no-store',
  ...(contentType === null ? [] : ['Content-Type', contentType]),
];

const textOf = ({ status, data, nextCursor }: Answer): string =>
  status === 204 ? '' : JSON.stringify({ success: true, data, nextCursor });
