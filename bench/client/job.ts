/**
 * What the load client is told and what it answers, as messages between its process and the suite's.
 *
 * The client knows nothing of markets or Redis: the suite hands it ready request bytes and what their answers
 * must look like. So one client drives the server, the bare handlers and Redis, and no row of a table can owe its
 * figure to a client of its own.
 */

/** One request, sent as it stands but for its serial number. */
export interface RequestTemplate {
  /** The whole request, Latin-1. */
  readonly text: string;
  /** Offset of `SERIAL_DIGITS` digits that are replaced by a number used once in the run; -1 where none are. */
  readonly serialAt: number;
  /** Index into the job's `expectations`. */
  readonly expect: number;
  /** What an expected answer to it commits the server to, in cents; 0 for anything but an order. */
  readonly stakeCents: number;
}

/** Digits of a serial number: enough for a run of years. */
export const SERIAL_DIGITS = 12;

/** What an answer must be. Anything else counts as unexpected, and a run with an unexpected answer is no result. */
export type Expectation =
  | {
      readonly protocol: 'http';
      readonly status: number;
      /** How the body must begin, ASCII. It must end with `}` or `]`. */
      readonly bodyStart: string;
      /** Whether a number (the bet's) follows `bodyStart`; no two answers may carry the same. */
      readonly numbered: boolean;
      /** Headers that must be there, as `Name: value` or `Name:`; looked for in the answers that are parsed in full. */
      readonly headers: readonly string[];
      /** Other answers that are as good, by how their bodies begin: they are counted, and commit the server to nothing. */
      readonly refusals?: { readonly status: number; readonly bodyStarts: readonly string[] };
    }
  | { readonly protocol: 'resp'; readonly reply: string };

/** One in this many answers is parsed in full as JSON; all are checked for status, framing and beginning. */
export const FULL_CHECK_EVERY = 64;

export type Pace =
  /** As many requests as the server answers: each connection sends again once it has its answer. */
  | { readonly kind: 'closed' }
  /** At planned times, drawn from the seed as those of independent clients (exponential gaps). */
  | {
      readonly kind: 'open';
      readonly ratePerSecond: number;
      readonly seed: number;
      /** So many requests more, all planned for one instant: `atMs` after the measured window has begun. */
      readonly burst?: { readonly atMs: number; readonly count: number };
    };

export interface ClientJob {
  readonly host: string;
  readonly port: number;
  readonly connections: number;
  /** Connections besides, each of which sends a request every `periodMs`, whatever the pace of the others. */
  readonly idle?: { readonly connections: number; readonly periodMs: number };
  /** The run ends once the requests of its connections that are not idle come to this number; closed loop only. */
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
  /** From the planned time (open loop) or the time of sending (closed loop: it hides stalls). */
  readonly latency: LatencySummary;
  /** How late a planned request left although a connection was free: the client's own share. Open loop only. */
  readonly lateness: LatencySummary | null;
  /** Of the idle connections, from the time of sending; null without such. */
  readonly idleLatency: LatencySummary | null;
  /** Share of a core that the client used in the measured window, 0 to 1. */
  readonly clientCpu: number;
  /** Expected answers by template, over the whole run with warm-up and drain. */
  readonly acknowledged: readonly number[];
  /** Answers that were refusals, as good as expected ones. */
  readonly refused: number;
  /** Requests sent over the whole run; every one was answered. */
  readonly sent: number;
  readonly nextSerial: number;
  /** Different numbers seen in numbered answers, and how many came twice. */
  readonly numbers: { readonly distinct: number; readonly repeated: number };
  /** Answers that were not as expected: their beginning, and how many. */
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
