/**
 * The messages between the suite's process and the load client's. The client knows nothing of markets: it gets complete
 * requests as bytes, and the form of the responses. So one client drives the server, the bare handlers and a
 * deployment, and no figure depends on a client of its own.
 */

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly isTls?: boolean;
}

export interface RequestTemplate {
  /** Latin-1, sent verbatim except for the serial number. */
  readonly text: string;
  /** Offset of `SERIAL_DIGITS` digits replaced by a number unique in the run; -1 if there are none. */
  readonly serialAt: number;
  readonly expect: number;
  /** Cents that a successful response commits the server to; 0 for anything but an order. */
  readonly stakeCents: number;
}

export const SERIAL_DIGITS = 12;

/** The expected response. Any other counts as a failure, by its error code. */
export interface Expectation {
  readonly status: number;
  /** The body's beginning, ASCII. It must end with `}` or `]`. */
  readonly bodyStart: string;
  /** Whether a number (the bet's) follows `bodyStart`; no two responses may have the same. */
  readonly numbered: boolean;
  /** Required headers, as `Name: value` or `Name:`; checked in the responses parsed in full. */
  readonly headers: readonly string[];
}

/** One in this many responses is fully parsed as JSON; all are checked for status, framing and start. */
export const FULL_CHECK_EVERY = 64;

export type Pace =
  /** Closed loop: each connection sends again once it has its response. */
  | { readonly kind: 'closed' }
  /** Open loop: at planned times with exponential gaps, as independent clients do. */
  | { readonly kind: 'open'; readonly ratePerSecond: number; readonly seed: number };

export interface ClientJob extends Endpoint {
  readonly connections: number;
  readonly requestsMax?: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  readonly pace: Pace;
  readonly templates: readonly RequestTemplate[];
  readonly expectations: readonly Expectation[];
  readonly firstSerial: number;
  /** A connection that breaks is counted and opened again. Otherwise it ends the run. */
  readonly reconnects?: boolean;
}

export interface LatencySummary {
  readonly count: number;
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
}

/** Requests that did not get the expected response, by error code; `example` is the start of such a response. */
export interface Failures {
  readonly code: string;
  readonly count: number;
  readonly example: string;
}

export interface ClientResult {
  readonly ratePerSecond: number;
  readonly measuredMs: number;
  /** From the planned time (open loop) or from sending (closed loop, which hides stalls). */
  readonly latency: LatencySummary;
  /** How late planned requests were sent despite a free connection: the client's own delay. Open loop only. */
  readonly lateness: LatencySummary | null;
  /** Share of a core that the client used in the measured window, 0 to 1. */
  readonly clientCpu: number;
  /** Expected answers by template, over the whole run with warm-up and drain. */
  readonly acknowledged: readonly number[];
  readonly sent: number;
  readonly nextSerial: number;
  readonly numbers: { readonly distinct: number; readonly repeated: number };
  readonly failures: readonly Failures[];
}

export type FromClient =
  | { readonly type: 'measuring' }
  | { readonly type: 'measured' }
  | { readonly type: 'result'; readonly result: ClientResult }
  | { readonly type: 'failed'; readonly message: string };
