/** Calls over HTTP: reads, writes and cancellations each keep their own pace. */
import { NO_MARKS, type OrderMarks } from '../base/errors.js';
import type { Surroundings } from '../base/timing.js';
import type { Hosts } from './hosts.js';
import { Pace } from './pace.js';
import { type CallOptions, persist } from './persist.js';
import { type Fetch, isFailure, type Sent, type Success, sendRequest, type Wanted } from './send-request.js';

export type CallDefaults = Required<Pick<CallOptions, 'timeoutMs' | 'retryForMs'>>;

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Request {
  readonly method: Wanted['method'];
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly marks?: OrderMarks;
  /** It is an order with `roundId`. */
  readonly namesRound?: boolean;
  /** It waits behind no other request, and for no rate limit. */
  readonly isUrgent?: true;
  /** Before each attempt, behind its wait for the rate limits. */
  readonly onSend?: () => void;
}

export class Caller {
  readonly #paces: { readonly read: Pace; readonly write: Pace; readonly cancel: Pace };

  constructor(
    private readonly hosts: Hosts,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly send: Fetch,
    private readonly defaults: CallDefaults,
    private readonly around: Surroundings,
  ) {
    this.#paces = { read: new Pace(around), write: new Pace(around), cancel: new Pace(around) };
  }

  call(request: Request, options: CallOptions): Promise<Success> {
    const { timeoutMs = this.defaults.timeoutMs, retryForMs = this.defaults.retryForMs, signal } = options;
    // A quote is a POST without an Idempotency-Key, and the server counts it as a read.
    const isCancel = request.method === 'DELETE';
    const isWrite = request.marks !== undefined || isCancel;
    const usual = this.#paces[isCancel ? 'cancel' : isWrite ? 'write' : 'read'];
    const pace = request.isUrgent ? new Pace(this.around) : usual;
    const attempt = async (): Promise<Sent> => {
      const { base } = this.hosts;
      request.onSend?.();
      const sent = await sendRequest(this.#wanted(base, request), this.send, timeoutMs, signal);
      if (isFailure(sent.outcome)) this.hosts.failed(base, sent.outcome.code);
      return sent;
    };
    const { marks = NO_MARKS, namesRound = false } = request;
    return persist(attempt, { pace, retryForMs, marks, isWrite, namesRound, signal }, this.around);
  }

  #wanted(base: string, { method, path, query = {}, body, marks = NO_MARKS }: Request): Wanted {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.set(name, String(value));
    const headers = {
      ...this.headers,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(marks.idempotencyKey !== null && { 'Idempotency-Key': marks.idempotencyKey }),
    };
    const url = `${base}${path}${search.size === 0 ? '' : `?${search}`}`;
    return { method, url, headers, body: body === undefined ? null : JSON.stringify(body) };
  }
}
