/**
 * The ports of the engine and its host: time, the journal, price feeds and the network, as interfaces. `start/`
 * provides the real implementations; the simulator replaces all of them and runs everything else unchanged. `http`
 * and `persistence` know each other only through these types.
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
  /** A text is hashed in UTF-8. */
  update(data: string | Uint8Array): void;
  digestHex(): string;
}
export type NewHasher = () => Hasher;

/* ---- the journal ---- */

/** One row of the journal: commands that become durable together. */
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

/** A stored batch: `checksum` covers this row, `chain` this row and all before it. */
export interface StoredBatch extends Batch {
  readonly checksum: string;
  readonly chain: string;
}

/** The last durable batch according to the mark file. */
export type Mark = Pick<StoredBatch, 'lastSeq' | 'checksum'>;

/** A journal as it is read, from files or from a simulator's memory. */
export interface ReadableJournal {
  /** Stored batches with `lastSeq` above `afterSeq`, in order, each verified against checksum and chain. */
  readBatches(afterSeq: number): Iterable<StoredBatch>;
  /** Chain hash of the batch that ends at `seq`, or the journal's initial hash; null if no batch ends there. */
  chainAt(seq: number): string | null;
}

/**
 * The synchronous operations of a journal's storage, in the order of a commit: `write`, `writeMark`. Any of them may
 * throw; after that the store must not be used again.
 */
export interface JournalStore {
  /** All of the batches are durable when it returns the last of them. A crash before leaves all, or none. */
  write(batches: readonly Batch[]): StoredBatch;
  writeMark(mark: Mark): void;
  close(): void;
}

/** Free space on the journal's disk: `soft` stops snapshots and archive, `reserve` stops orders, `hard` everything. */
export type SpaceLevel = 'ok' | 'soft' | 'reserve' | 'hard';

export interface JournalWriterEvents {
  /** Every batch up to `lastSeq` is durable, and so is the mark. */
  onDurable(lastSeq: number): void;
  /** The journal cannot write any more: the process must stop and acknowledge nothing further. */
  onFailure(error: Error): void;
  /** Nothing more is written or acknowledged, and the process must stay up. */
  onLost(loss: JournalLoss): void;
  onSpaceLevel(level: SpaceLevel): void;
}

/**
 * Files of the journal are not at their paths any more. A process that has them open is the last to hold their data.
 */
export interface JournalLoss {
  readonly error: Error;
  /** These files hold the commands up to this one, acknowledged or not, and none after it. */
  readonly heldSeq: number;
  /** Shell commands that bring them back and end the process. */
  readonly rescue: readonly string[];
}

/** Writes batches in order, off the event loop. */
export interface JournalWriter {
  open(events: JournalWriterEvents): void;
  /** Starts the durable write of `batch`. `onDurable` may tell of several at once, by the last one. */
  commit(batch: Batch): void;
  /**
   * The disk of this machine has done its part, and only a replicated journal's log has not answered, which may take
   * long. Absent: never.
   */
  readonly awaitsLog?: boolean;
  /** The lease of a replicated journal has lapsed: another machine may lead, and have more. Absent: never. */
  readonly mayBeSucceeded?: boolean;
  /** When that disk had the last batch, in monotonic milliseconds. Absent without a log. */
  readonly writtenMs?: number;
  /** No commit may be in flight. */
  close(): Promise<void>;
}

/* ---- the replicated log, as its leader sees it ---- */

/** Sent to the leader twice a second. */
export interface StandbyReport {
  readonly node: string;
  readonly messagesBehind: number;
  /** Since it was at the end of the log; 0 at the end. */
  readonly behindMs: number;
}

export interface LogView {
  readonly epoch: number;
  /** The log's last message, as far as it is known. */
  readonly streamSequence: number;
  /** `lapsed` once it was not renewed in time: another process may lead by now. */
  readonly lease: 'held' | 'lapsed';
  readonly leaseAgeMs: number;
  /** The reason why the log gives no answer, or null; and for how long it has not. */
  readonly trouble: string | null;
  readonly awayMs: number;
  /** Heard of lately. */
  readonly standbys: readonly (StandbyReport & { readonly heardMsAgo: number })[];
}

/* ---- prices ---- */

export interface PriceTick {
  /** Index into `ASSETS`. */
  readonly asset: number;
  readonly price: number;
  /** Between the best bid and ask around the price, in its units; absent where the feed does not say. */
  readonly spread?: number;
  /** The time of the tick itself, not of its arrival. */
  readonly timeMs: number;
  readonly source: string;
  /** Evidence from the feed (a signed update, a reference), or ''. */
  readonly origin: string;
  /** The boundary that the service was asked for (`recall`), which this price decides; absent where the tick came by itself. */
  readonly boundaryMs?: number;
}

export type TickVerdict = { readonly taken: true } | { readonly taken: false; readonly detail: string };

export interface PriceFeed {
  readonly name: string;
  /** Ticks go to `sink` from now on, during `poll` or whenever the feed receives one. */
  start(sink: (tick: PriceTick) => TickVerdict): void;
  poll(nowMs: number): void;
  /** When `poll` next has a tick. Absent: the feed is not driven by time. */
  nextDueMs?(): number;
  /** Asks the service for the asset's price at a boundary that passed while the server was away. Absent: it has no past. */
  recall?(asset: number, boundaryMs: number): void;
  /** Whether the asset's prices are about to come from another source again. Absent: it has one source. */
  isReturning?(asset: number): boolean;
  stop(): void;
}

/* ---- the network ---- */

/** A request with its whole body. Absent headers are ''. */
export interface HttpRequest {
  /** As sent; methods are case-sensitive: `get` is not `GET`. */
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  /** As sent, without the question mark; '' if absent. */
  readonly query: string;
  /** The client's address for rate limits: IPv6 by /64; behind a trusted proxy, the forwarded address. */
  readonly address: string;
  readonly apiKey: string;
  /** null if the header is absent; an empty value is an error. */
  readonly idempotencyKey: string | null;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly authorization: string;
  readonly ifNoneMatch: string;
  readonly acceptEncoding: string;
  /** The client's own trace, as sent; also absent where the transport does not read it. */
  readonly traceparent?: string;
  /** Valid until the handler returns; empty from then on. */
  readonly body: Uint8Array;
  /** A fault that the transport found before the end of the request (too large, ambiguous length), or null. */
  readonly fault: { readonly code: ErrorCode; readonly detail: string } | null;
  /** Absent where the transport does not read them: only a port with pages needs them. */
  readonly browser?: BrowserHeaders | null;
  /** Only where a request asks for a WebSocket and the server has one. */
  readonly upgrade?: StreamUpgrade;
}

/** Headers of browsers, pages and other operators' programs. Absent ones are ''. */
export interface BrowserHeaders {
  readonly host: string;
  /** The sending page's scheme, host and port. */
  readonly origin: string;
  readonly cookie: string;
  readonly csrfToken: string;
  readonly ifMatch: string;
}

/** Alternating header names and values: `['Allow', 'GET', 'Retry-After', '3']`. */
export type HeaderList = readonly string[];

/** The same as one string: `Allow: GET\r\nRetry-After: 3`. */
export type HeaderBlock = string;

/** A whole head in Latin-1, behind its status line: `200 OK\r\nAllow: GET`. Others are written to the same memory later. */
export type HeadBytes = Uint8Array;

export interface HttpResponder {
  /**
   * Must be called exactly once, at any time; does nothing if the client has gone. A HEAD response has no body, but its
   * length.
   */
  send(status: number, headers: HeaderList | HeaderBlock | HeadBytes, body: string | Uint8Array): void;
}

export type HttpHandler = (request: HttpRequest, responder: HttpResponder) => void;

/** An open WebSocket. Its owner is told once that it is closed, by either side; nothing may be called after that. */
export interface StreamSocket {
  /** Ends the stream for a programming error: `onFault` tells its owner. */
  fail(error: unknown): void;
  /** Sends a text message. Returns whether the system took all of it; the rest is kept in memory. */
  send(text: string | Uint8Array): boolean;
  /** The same for several texts, which go out in one write. */
  sendAll(texts: readonly string[]): boolean;
  /** Asks the client for a sign of life: `onPong` tells its answer. */
  ping(): void;
  /** Bytes that wait in memory because the client does not read. */
  readonly waitingBytes: number;
  /** Sends what waits and the reason, and closes. */
  close(code: number, reason: string): void;
}

export interface StreamOwner {
  /** The stream is open, and its owner is known. */
  onOpen(): void;
  /** `bytes` are valid until this returns. */
  onMessage(bytes: Uint8Array, isBinary: boolean): void;
  /** The library answers it. */
  onPing(): void;
  onPong(): void;
  /** There is room again after `send` returned false. */
  onRoom(): void;
  /** The stream ends for a programming error, which was logged with this id: the last chance to say so. */
  onFault(requestId: string): void;
  onClosed(): void;
}

export interface StreamUpgrade {
  /** Sec-WebSocket-Protocol as sent; '' if absent. */
  readonly protocols: string;
  /**
   * Opens the WebSocket in place of an answer, with one of the protocols, or '' for none; `head` is that of the 101.
   * Does nothing if the client has gone.
   */
  accept(protocol: string, open: (socket: StreamSocket) => StreamOwner, head?: HeadBytes): void;
}
