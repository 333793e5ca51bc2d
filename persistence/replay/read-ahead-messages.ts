/** What the thread that reads ahead and the one that replays share: a few numbers in shared memory, and messages. */
import type { MessagePort } from 'node:worker_threads';
import type { DataDir } from '../data-dir/layout.js';

export interface ReadAheadOptions {
  readonly dir: DataDir;
  readonly afterSeq: number;
  /** Where `ReadAheadMessage`s go. */
  readonly port: MessagePort;
  /** `SENT`, `TAKEN` and `ENDED`, for `Atomics`. */
  readonly signals: Int32Array;
}

/** Number of messages sent. */
export const SENT = 0;
/** Number of messages taken, or `STOP`. */
export const TAKEN = 1;
/** 1 once the reading thread has closed its files. */
export const ENDED = 2;
export const SIGNALS = 3;
/** As `TAKEN`: no more messages are wanted. */
export const STOP = -1;

/** Doubles of a batch in `ReadBatches.batches`: first and last sequence number. */
export const BATCH = 2;
export const DIGEST_CHARS = 16;
export const CHECKSUM_CHARS = 8;

/** Batches that are good by checksum and chain, in order, reduced to what replay needs. */
export interface ReadBatches {
  readonly kind: 'batches';
  readonly batches: Float64Array;
  /** Those of all batches, concatenated. */
  readonly digests: string;
  readonly checksums: string;
  /** As in `CommandRows`. */
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
}

/** `end`: everything was read. `gaveUp`: the replaying thread has to read what comes next itself. */
export type ReadAheadMessage = ReadBatches | { readonly kind: 'end' } | { readonly kind: 'gaveUp' };
