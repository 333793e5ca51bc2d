/** What the thread that reads ahead and the one that replays share: a few numbers in common memory, and messages. */
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

/** How many messages were sent. */
export const SENT = 0;
/** How many were taken, or `STOP`. */
export const TAKEN = 1;
/** 1 once the thread that reads has closed its files. */
export const ENDED = 2;
export const SIGNALS = 3;
/** In the place of `TAKEN`: no more are wanted. */
export const STOP = -1;

/** Doubles of a batch in `ReadBatches.batches`: first and last sequence number. */
export const BATCH = 2;
export const DIGEST_CHARS = 16;
export const CHECKSUM_CHARS = 8;

/** Batches that are good by checksum and chain, in order, with what replay needs of them. */
export interface ReadBatches {
  readonly kind: 'batches';
  readonly batches: Float64Array;
  /** Of all batches, one after the other. */
  readonly digests: string;
  readonly checksums: string;
  /** As in `CommandRows`. */
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
}

/** `end`: all was read. `gaveUp`: what comes next has to be read by the one who replays. */
export type ReadAheadMessage = ReadBatches | { readonly kind: 'end' } | { readonly kind: 'gaveUp' };
