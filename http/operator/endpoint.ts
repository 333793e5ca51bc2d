/**
 * The declaration of an endpoint of the operator API: route, role, handler and the description in the API's document. A
 * handler gets a call, checks what it can without the engine's state, and awaits the engine's thread and the archive's
 * reader. It throws a `Refusal`.
 */
import { randomUUID } from 'node:crypto';
import type { IValidation, tags } from 'typia';
import type { ArchiveReads } from '../../engine/model/archive-reads.js';
import type { By } from '../../engine/model/domain.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import type { OperatorCaller, OperatorRole, OrderTrace } from '../../engine/model/operators.js';
import type { HeaderList, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { readBody } from '../kit/body.js';
import { parseQuery } from '../kit/params.js';
import { Refused, refuseInvalid, unlessRefused } from '../kit/refused.js';
import type { Routed } from '../kit/router.js';
import type { EarningsCache } from './figures/earnings.js';
import type { PriceNotes } from './figures/price-history.js';
import type { VitalsResource } from './figures/vitals.js';
import { PARAMETERS, type ParameterName } from './parameters.js';
import type { EngineQueries } from './queries/query.js';

export const PREFIX = '/operator/v1';

export const TAGS = {
  Accounts: 'Accounts and their money',
  Keys: 'API keys of accounts',
  Trading: 'Rounds, bets, prices, and what stops them',
  House: "The house's money, and what becomes of it",
  Rules: 'Limits, fee, tiers and house policy',
  Record: 'Actions of operators',
  Sandbox: 'Prices and time that operators move',
  Server: 'How the server is',
  Console: "Sessions of the console's page",
} as const;

export interface Described {
  readonly id: string;
  readonly tag: keyof typeof TAGS;
  readonly summary: string;
  readonly text?: string;
  /**
   * Schemas of the answer and of the body, made by typia from their types; without any, the answer is any JSON object.
   */
  readonly schemas?: Schemas;
  readonly isNullable?: boolean;
  readonly shape?: 'page' | 'list' | 'text' | 'none';
  readonly status?: 200 | 201 | 204;
  /** Besides those of any request. */
  readonly codes?: readonly ErrorCode[];
}

export interface Schemas {
  readonly schemas: readonly object[];
  readonly components: { readonly schemas?: object };
}

export interface Services {
  readonly engine: EngineQueries;
  readonly archive: ArchiveReads;
  readonly earnings: EarningsCache;
  readonly vitals: (sinceSeconds: number) => VitalsResource;
  readonly prices: (asset: number) => PriceNotes;
  /** One of the last orders, by an id that it has. */
  readonly trace: (id: string) => OrderTrace | null;
  readonly document: () => string;
  readonly isFeedPush: boolean;
  readonly isClockManual: boolean;
}

export interface OperatorRoute extends Routed {
  /** The least role that may call it. The handler checks any higher role that some calls need. */
  readonly role: OperatorRole;
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

/** `path` is below `/operator/v1`. */
export interface Endpoint extends Described, Routed {
  readonly role: OperatorRole;
  /** Names in the query, and headers. A route without this list ignores its query, unless it changes something. */
  readonly parameters?: readonly ParameterName[];
  readonly handle: (services: Services, call: Call) => Answer | Promise<Answer>;
}

export const routeOf = (endpoint: Endpoint, services: Services): OperatorRoute => ({
  ...endpoint,
  handle: (call) => endpoint.handle(services, call.withQuery(endpoint.parameters)),
});

export const PAGED = ['limit', 'cursor'] as const satisfies readonly ParameterName[];
export const SEARCHED = ['limitOfSearch', 'cursor'] as const satisfies readonly ParameterName[];
export const PAST = [
  'overloaded',
  'archive_behind',
  'archive_unavailable',
] as const satisfies readonly ErrorCode[];

/** Why something is done: beside who does it in the journal. Fields of every body that changes something. */
export type Reason = string & tags.MaxLength<500>;
export interface Reasoned {
  readonly reason?: Reason;
}

export class Call {
  #reason = '';

  constructor(
    readonly request: HttpRequest,
    readonly caller: OperatorCaller,
    /** Values of the path's `{...}` parts, in order. */
    readonly params: readonly string[],
    readonly given: ReadonlyMap<string, string> = new Map(),
  ) {}

  withQuery(parameters: readonly ParameterName[] | undefined): Call {
    if (parameters === undefined) return this;
    const names = parameters.map((name) => `${PARAMETERS[name]['name']}`);
    const given = unlessRefused(parseQuery(this.request.query, names));
    return new Call(this.request, this.caller, this.params, given);
  }

  get id(): string {
    return this.params[0] ?? '';
  }

  /** To be read before anything is awaited. */
  body<T extends object>(validate: (input: unknown) => IValidation<T>): T {
    const body = unlessRefused(readBody(this.request, validate));
    if ('reason' in body && typeof body.reason === 'string') this.#reason = body.reason;
    return body;
  }

  /** For the journal: the operator's name, and the reason of the body. */
  get by(): By {
    return { operator: this.caller.name, reason: this.#reason };
  }
}

/** An ISO 8601 text in a body as milliseconds since 1970. */
export function timeIn(field: string, text: string): number {
  const timeMs = Date.parse(text);
  if (!Number.isSafeInteger(timeMs) || timeMs < 0)
    return refuseInvalid(`${field} must be an ISO 8601 date-time since 1970`);
  const day = text.slice(0, 10);
  return isInCalendar(day)
    ? timeMs
    : refuseInvalid(`${field} names a day that the calendar does not have: ${day}`);
}

/** `Date.parse` accepts 30 February as 2 March. */
function isInCalendar(day: string): boolean {
  const startMs = Date.parse(`${day}T00:00:00Z`);
  return Number.isFinite(startMs) && new Date(startMs).toISOString().startsWith(day);
}

export interface Answer {
  readonly status: number;
  readonly headers: HeaderList;
  /** '' where there is none. */
  readonly body: string;
  readonly contentType?: string;
}

export const answer = (status: number, data: unknown, headers: HeaderList = []): Answer => ({
  status,
  headers,
  body: status === 204 ? '' : JSON.stringify({ success: true, data }),
});

/** `nextCursor` is null on the last page. */
export const page = (data: readonly unknown[], nextCursor: string | null): Answer => ({
  status: 200,
  headers: [],
  body: JSON.stringify({ success: true, data, nextCursor }),
});

export const textAnswer = (contentType: string, body: string): Answer => ({
  status: 200,
  headers: [],
  body,
  contentType,
});

export type Result = Answer | Refused;

export function sendResult(responder: HttpResponder, result: Result): void {
  const { status, headers, body } = result;
  const contentType = (result instanceof Refused ? undefined : result.contentType) ?? 'application/json';
  const common = ['X-Request-Id', randomUUID(), 'Cache-Control', 'no-store'];
  responder.send(
    status,
    [...common, ...(body === '' ? [] : ['Content-Type', contentType]), ...headers],
    body,
  );
}
