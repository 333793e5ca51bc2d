/**
 * The declaration of an endpoint of the operator API: route, role, handler and the description in the API's document. A
 * handler gets a call, checks what it can without the engine's state, and awaits the engine's thread and the archive's
 * reader. It throws a `Refused`.
 */
import { randomUUID } from 'node:crypto';
import type { IValidation, tags } from 'typia';
import type { ArchiveReads } from '../../engine/model/archive-reads.js';
import { type By, parseAccountId } from '../../engine/model/domain.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import type { OperatorCaller, OperatorRole, OrderTrace } from '../../engine/model/operators.js';
import type { HeaderList, HttpRequest, HttpResponder } from '../../engine/model/ports.js';
import { marketIn } from '../api/lists/list-query.js';
import { readBody } from '../kit/body.js';
import { nextOf, type Slice } from '../kit/cursor.js';
import { type Given, isInCalendar, parseChoice, parseFlag, parseQuery, parseTime } from '../kit/params.js';
import { type Refused, refuseInvalid } from '../kit/refused.js';
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
} as const;

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
}

export interface OperatorRoute extends Routed {
  /** The least role that may call it; null needs no token. The handler checks any higher role that some calls need. */
  readonly role: OperatorRole | null;
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

/** `path` is below `/operator/v1`. */
export interface Described {
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly text?: string;
  /**
   * Schemas of the answer and of the body, made by typia from their types; without any, the answer is any JSON object.
   */
  readonly schemas?: Schemas;
  readonly shape?: 'page' | 'list' | 'text';
  readonly status?: 201;
  /** Besides those of any request. */
  readonly codes?: readonly ErrorCode[];
  /** Names in the query, and headers. A route without this list ignores its query, unless it changes something. */
  readonly parameters?: readonly ParameterName[];
  /** Gives the data of the answer, or an `Answer` that has more. */
  readonly handle: (services: Services, call: Call) => unknown;
}

/** Reading needs the role read. */
export type Declared = Described &
  (
    | { readonly method: 'GET'; readonly role?: never }
    | { readonly method: 'POST' | 'PUT' | 'PATCH'; readonly role: 'support' | 'admin' }
  );

export type Endpoint = Described & {
  readonly method: Routed['method'];
  readonly tag: keyof typeof TAGS;
  readonly role: OperatorRole;
};

export const routeOf = (endpoint: Endpoint, services: Services): OperatorRoute => ({
  ...endpoint,
  path: PREFIX + endpoint.path,
  handle: async (call) => {
    const given = await endpoint.handle(services, call.withQuery(endpoint.parameters));
    return given instanceof Answer ? given : answer(endpoint.status ?? 200, given);
  },
});

export const PAGED = ['limit', 'cursor'] as const satisfies readonly ParameterName[];
export const SEARCHED = ['limitOfSearch', 'cursor'] as const satisfies readonly ParameterName[];
export const ARCHIVE_CODES = [
  'overloaded',
  'archive_behind',
  'archive_unavailable',
] as const satisfies readonly ErrorCode[];

export const IF_SEEN =
  'With `seen`, what it is before: 409 `preview_outdated` if somebody has changed that meanwhile.';

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
    readonly given: Given = new Map(),
  ) {}

  withQuery(parameters: readonly ParameterName[] | undefined): Call {
    if (parameters === undefined) return this;
    const names = parameters.map((name) => `${PARAMETERS[name]['name']}`);
    const given = parseQuery(this.request.query, names);
    return new Call(this.request, this.caller, this.params, given);
  }

  get id(): string {
    return this.params[0] ?? '';
  }

  /** Parameters of the query; null for one that is not there. */
  time(name: string): number | null {
    return parseTime(name, this.given.get(name));
  }

  flag(name: string): boolean | null {
    return parseFlag(name, this.given.get(name));
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | null {
    return parseChoice(name, this.given.get(name), choices);
  }

  account(): number | null {
    const id = this.given.get('accountId');
    if (id === undefined) return null;
    const account = parseAccountId(id);
    return account === 0 ? refuseInvalid('accountId must be the id of an account') : account;
  }

  market(): number | null {
    return marketIn(this.given);
  }

  /** To be read before anything is awaited. */
  body<T extends object>(validate: (input: unknown) => IValidation<T>): T {
    const body = readBody(this.request, validate);
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
  return isInCalendar(text, timeMs)
    ? timeMs
    : refuseInvalid(`${field} must be an ISO 8601 date-time since 1970, on a day that the calendar has`);
}

export class Answer {
  constructor(
    readonly status: number,
    /** '' where there is none. */
    readonly body: string,
    readonly headers: HeaderList = [],
    readonly contentType = 'application/json',
  ) {}
}

export const answer = (status: number, data: unknown, headers: HeaderList = []): Answer =>
  new Answer(status, status === 204 ? '' : JSON.stringify({ success: true, data }), headers);

/** `nextCursor` is null on the last page. */
export const page = (data: readonly unknown[], nextCursor: string | null): Answer =>
  new Answer(200, JSON.stringify({ success: true, data, nextCursor }));

/** A page of a list that is searched on the engine's thread. */
export const searched = <T>(
  slices: readonly Slice<T>[],
  mark: number,
  resourceOf: (one: T) => unknown,
): Answer =>
  page(
    slices.flatMap(({ found }) => found.map(resourceOf)),
    nextOf(slices, mark),
  );

export type Result = Answer | Refused;

export function sendResult(responder: HttpResponder, result: Result): void {
  const { status, headers, body } = result;
  const contentType = result instanceof Answer ? result.contentType : 'application/json';
  const common = ['X-Request-Id', randomUUID(), 'Cache-Control', 'no-store'];
  responder.send(
    status,
    [...common, ...(body === '' ? [] : ['Content-Type', contentType]), ...headers],
    body,
  );
}
