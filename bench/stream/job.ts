/** What the section and its client process say to each other. */

/** Some streams that do the same. */
export interface StreamGroup {
  /** Each opens `each` streams. */
  readonly keys: readonly string[];
  readonly each: number;
  /** Sent when a stream is open. */
  readonly messages: readonly string[];
  /** Orders to place one after the other, each when the last one is answered; none for listeners. */
  readonly orders: readonly string[];
}

export interface StreamJob {
  readonly port: number;
  readonly groups: readonly StreamGroup[];
}

/** `begin`: counts from now on. `end`: tells what was counted. */
export type ToStreams =
  | { readonly type: 'job'; readonly job: StreamJob }
  | { readonly type: 'begin' | 'end' };

export interface Counted {
  readonly type: 'counted';
  readonly messages: number;
  readonly bytes: number;
  /** Milliseconds from the time in messages of this type to their arrival: every 16th, all fills. */
  readonly delaysMs: { readonly markets: readonly number[]; readonly fills: readonly number[] };
  /** Microseconds from an order to its answer. */
  readonly orderUs: readonly number[];
  readonly refused: number;
}

export type FromStreams = { readonly type: 'ready'; readonly streams: number } | Counted;
