/**
 * The messages between the suite's process and the load client's.
 *
 * The client knows nothing of markets or Redis: the suite gives it complete request bytes and what the responses must
 * look like. So one client drives the server, the bare handlers and Redis, and no figure depends on a client of its
 * own.
 */

/** One request, sent verbatim except for its serial number. */
export interface RequestTemplate {
  /** The whole request, Latin-1. */
  readonly text: string;
  /** Offset of `SERIAL_DIGITS` digits replaced by a number unique in the run; -1 if there are none. */
  readonly serialAt: number;
  /** Index into the job's `expectations`. */
  readonly expect: number;
  /** Cents that a successful response commits the server to; 0 for anything but an order. */
  readonly stakeCents: number;
}

/** Digits of a serial number: enough for a run of years. */
export const SERIAL_DIGITS = 12;

/** The expected response. Any other counts as unexpected, and makes the run invalid. */
export type Expectation =
  | {
      readonly protocol: 'http';
      readonly status: number;
      /** How the body must begin, ASCII. It must end with `}` or `]`. */
      readonly bodyStart: string;
      /** Whether a number (the bet's) follows `bodyStart`; no two responses may have the same. */
      readonly numbered: boolean;
      /** Required headers, as `Name: value` or `Name:`; checked in the responses parsed in full. */
      readonly headers: readonly string[];
      /**
       * Other acceptable responses, by the start of their bodies. They are counted, and commit the server to nothing.
       */
      readonly refusals?: { readonly status: number; readonly bodyStarts: readonly string[] };
    }
  | { readonly protocol: 'resp'; readonly reply: string };

/** One in this many responses is fully parsed as JSON; all are checked for status, framing and start. */
export const FULL_CHECK_EVERY = 64;

export type Pace =
  /** Closed loop: each connection sends again once it has its response. */
  | { readonly kind: 'closed' }
  /** Open loop: at planned times with exponential gaps, as independent clients do. */
  | {
      readonly kind: 'open';
      readonly ratePerSecond: number;
      readonly seed: number;
      /** Additional requests, all due at one instant: `atMs` after the measured window has begun. */
      readonly burst?: { readonly atMs: number; readonly count: number };
    };

export interface ClientJob {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  /** Additional connections, each of which sends a request every `periodMs`. */
  readonly idle?: { readonly connections: number; readonly periodMs: number };
  /** Ends the run after this many requests of the busy connections; closed loop only. */
  readonly requestsMax?: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  readonly pace: Pace;
  readonly templates: readonly RequestTemplate[];
  readonly expectations: readonly Expectation[];
  /** First serial number; the run uses consecutive ones from here. */
  readonly firstSerial: number;
}

/** Latencies in microseconds. */
export interface LatencySummary {
  readonly count: number;
  readonly meanUs: number;
  readonly p50Us: number;
  readonly p90Us: number;
  readonly p99Us: number;
  readonly p999Us: number;
  readonly maxUs: number;
  /** The whole histogram, as HdrHistogram's compressed base64, for plots and merging. */
  readonly encoded: string;
}

export interface ClientResult {
  /** Answers per second within the measured window. */
  readonly ratePerSecond: number;
  readonly measuredMs: number;
  /** From the planned time (open loop) or from sending (closed loop, which hides stalls). */
  readonly latency: LatencySummary;
  /** How late planned requests were sent despite a free connection: the client's own delay. Open loop only. */
  readonly lateness: LatencySummary | null;
  /** Latencies of the idle connections, from sending; null without any. */
  readonly idleLatency: LatencySummary | null;
  /** Share of a core that the client used in the measured window, 0 to 1. */
  readonly clientCpu: number;
  /** Expected answers by template, over the whole run with warm-up and drain. */
  readonly acknowledged: readonly number[];
  /** Acceptable refusals. */
  readonly refused: number;
  /** Requests sent over the whole run; every one was answered. */
  readonly sent: number;
  readonly nextSerial: number;
  /** Different numbers seen in numbered answers, and how many came twice. */
  readonly numbers: { readonly distinct: number; readonly repeated: number };
  /** Unexpected responses: their start, and how many. */
  readonly unexpected: readonly { readonly answer: string; readonly count: number }[];
}

/** From the suite to the client. */
export type ToClient = { readonly type: 'job'; readonly job: ClientJob };
/** From the client to the suite: the measured window begins, it ended, the run is over. */
export type FromClient =
  | { readonly type: 'measuring' }
  | { readonly type: 'measured' }
  | { readonly type: 'result'; readonly result: ClientResult }
  | { readonly type: 'failed'; readonly message: string };
