/**
 * What an operator handler gets and gives: a call with its path parameters, query and body, and an answer that
 * goes out when the journal has made durable what it tells.
 */
import type { IValidation } from 'typia';
import { centsOfDollars } from '../../engine/base/money.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import type { Outcome } from '../../engine/model/events.js';
import type { HeaderList } from '../../engine/model/ports.js';
import { describeTypeErrors } from '../text/type-errors.js';

export interface Call {
  /** Values of the path's `{...}` parts, in turn. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly body: Uint8Array;
}

export interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly headers: HeaderList;
  /**
   * The answer is sent once this command is durable; `all` waits for everything that is due by now, settlements
   * included.
   */
  readonly after: number | 'all';
}

export type Handle = (call: Call) => Answer | Promise<Answer>;

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Below `/operator/v1`, such as `/accounts/{id}/keys`. */
  readonly path: string;
  readonly handle: Handle;
}

/** A request that is refused: the envelope's error. Nothing was changed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly headers: HeaderList = [],
  ) {
    super(detail);
  }
}

const bad = (detail: string): Refusal => new Refusal('invalid_request', detail);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The body as `T`. A field that is not known is refused: a misspelt one would do something else than was meant. */
export function readBody<T>(call: Call, validate: (input: unknown) => IValidation<T>): T {
  const [mediaType = ''] = call.contentType.split(';');
  if (mediaType.trim().toLowerCase() !== 'application/json') {
    throw new Refusal('unsupported_media_type', 'the body must be application/json');
  }
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(call.body));
  } catch {
    throw bad('the body is not JSON');
  }
  const checked = validate(value);
  if (!checked.success) throw bad(describeTypeErrors(checked.errors).join('; '));
  return checked.data;
}

/** Refuses query parameters that the path does not know, and ones that stand twice. */
export function checkQuery(query: URLSearchParams, known: readonly string[]): void {
  for (const name of new Set(query.keys())) {
    if (!known.includes(name)) throw bad(`${name} is not a known query parameter`);
    if (query.getAll(name).length > 1) throw bad(`${name} is given twice`);
  }
}

/** Whole cents of a dollar amount in a body. */
export function readCents(field: string, dollars: number): number {
  const cents = centsOfDollars(dollars);
  if (cents === null) throw bad(`${field} must be an amount in dollars with at most two decimals`);
  return cents;
}

/** Milliseconds since 1970 of an ISO 8601 text in a body. */
export function readTimeMs(field: string, text: string): number {
  const timeMs = Date.parse(text);
  if (!Number.isSafeInteger(timeMs) || timeMs < 0)
    throw bad(`${field} must be an ISO 8601 date-time since 1970`);
  return timeMs;
}

/** The outcome of a command that took effect, now or (with the same reference) before. */
export function taken(outcome: Outcome): Exclude<Outcome, { status: 'rejected' }> {
  if (outcome.status === 'rejected') throw new Refusal(outcome.code, outcome.detail);
  return outcome;
}

export const answer = (
  status: number,
  data: unknown,
  after: Answer['after'],
  headers: HeaderList = [],
): Answer => ({ status, data, headers, after });
