/**
 * What the engine and its host are handed in: time, the journal, price feeds and the network, as interfaces.
 * `main.ts` hands in the real ones; a simulator can own all of them and run everything else as it is (design,
 * section 10). `http` and `persistence` know each other only through these types.
 */
import type { ErrorCode } from './errors.js';

/* ---- time ---- */

export interface Clock {
  /** Wall-clock time in whole milliseconds since 1970; it may step. */
  nowMs(): number;
  /** Milliseconds from an arbitrary origin; it never steps. */
  monotonicMs(): number;
}

/* ---- hashing ---- */

/** An incremental SHA-256, for digests over the full state. */
export interface Hasher {
  update(text: string): void;
  digestHex(): string;
}
export type NewHasher = () => Hasher;

/* ---- the journal ---- */

/** One row of the journal: commands that are made durable together, and that can be shipped as they are. */
export interface Batch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Engine time of the last command. */
  readonly timeMs: number;
  /** A JSON array of the commands' text forms (`command-codec.ts`). */
  readonly commands: string;
  /** Rolling digest of all outcomes up to `lastSeq`, 16 hex digits. */
  readonly digest: string;
}

/** A batch as it stands in the store: `checksum` covers this row, `chain` this row and all before it. */
export interface StoredBatch extends Batch {
  readonly checksum: string;
  readonly chain: string;
}

/** The last durable batch as the side file knows it (design, "the mark"). */
export interface Mark {
  readonly lastSeq: number;
  readonly checksum: string;
}

/**
 * The synchronous operations of a journal on its medium, in the order of a commit: `append`, `sync`,
 * `writeMark`. Every one may throw; after a throw the store is not used again.
 */
export interface JournalStore {
  /** Stored batches with `lastSeq` above `afterSeq`, in order, each checked against checksum and chain. */
  readBatches(afterSeq: number): Iterable<StoredBatch>;
  /**
   * Chain hash after sequence number `seq`: that of the row that ends there, or the one with which the journal
   * begins. null where no row ends there.
   */
  chainAt(seq: number): string | null;
  readMark(): Mark | null;
  append(batch: Batch): StoredBatch;
  /** Makes every appended batch durable. */
  sync(): void;
  writeMark(mark: Mark): void;
  close(): void;
}

/** Free space of the journal's disk: `soft` stops snapshots and archive, `reserve` stops orders, `hard` everything. */
export type SpaceLevel = 'ok' | 'soft' | 'reserve' | 'hard';

export interface JournalWriterEvents {
  /** Every batch up to `lastSeq` is durable and the mark says so. */
  onDurable(lastSeq: number): void;
  /** The journal cannot write any more: the process must stop and acknowledge nothing further. */
  onFailure(error: Error): void;
  onSpaceLevel(level: SpaceLevel): void;
}

/** Writes batches away from the event loop, one at a time. */
export interface JournalWriter {
  open(events: JournalWriterEvents): void;
  /** Starts the durable write of `batch`. The caller hands over the next one only after `onDurable`. */
  commit(batch: Batch): void;
  /** Closes the store; a clean end of the journal. No commit may be under way. */
  close(): Promise<void>;
}

/* ---- prices ---- */

export interface PriceTick {
  /** Index into `ASSETS`. */
  readonly asset: number;
  readonly price: number;
  /** The tick's own time, not that of its arrival. */
  readonly timeMs: number;
  /** The feed's name. */
  readonly source: string;
  /** What the feed can show for it (a signed update, a reference), or ''. */
  readonly origin: string;
}

/** A tick was taken, or the code and sentence of its refusal. */
export type TickVerdict = { readonly taken: true } | { readonly taken: false; readonly detail: string };

export interface PriceFeed {
  readonly name: string;
  /** Ticks go to `sink` from here on, from `poll` or whenever the feed hears of one. */
  start(sink: (tick: PriceTick) => TickVerdict): void;
  /** Hands over what has become due by `nowMs`. */
  poll(nowMs: number): void;
  /** When `poll` next has something, or Infinity for a feed that is not driven by time. */
  nextDueMs(): number;
  stop(): void;
}

/* ---- the network ---- */

/** A request with its whole body. Header values are '' where the header is absent. */
export interface HttpRequest {
  /** As sent; methods are case-sensitive: `get` is not `GET`. */
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark; '' where there is none. */
  readonly query: string;
  /** The client's address as rate limits count it (IPv6 by /64, behind a trusted proxy the forwarded one). */
  readonly address: string;
  readonly apiKey: string;
  /** null where the header is absent: an empty one is an error of its own. */
  readonly idempotencyKey: string | null;
  readonly contentType: string;
  readonly authorization: string;
  /** Until the handler returns; empty from then on. */
  readonly body: Uint8Array;
  /** What the transport found wrong with the request before its end (too large, ambiguous length), or null. */
  readonly fault: { readonly code: ErrorCode; readonly detail: string } | null;
}

/** Header names and values in turn: `['Allow', 'GET', 'Retry-After', '3']`. */
export type HeaderList = readonly string[];

/** The same in one text: `Allow: GET\r\nRetry-After: 3`. */
export type HeaderBlock = string;

export interface HttpResponder {
  /**
   * Ends the request; may be called at once or later, exactly once. Does nothing where the client has gone.
   * For HEAD the body is left out and its length kept.
   */
  send(status: number, headers: HeaderList | HeaderBlock, body: string | Uint8Array): void;
}

export type HttpHandler = (request: HttpRequest, responder: HttpResponder) => void;

/** A listening server: the real one on sockets, or a simulator's in memory. */
export interface Transport {
  /** Resolves with the port once listening; rejects where the address is taken. */
  listen(host: string, port: number, handler: HttpHandler): Promise<number>;
  /** Takes no new connections; connections that wait for an answer get it first. */
  close(): Promise<void>;
}
