/** Messages between the event loop and the journal's thread, and how an error crosses between them. */
import { messageOf } from '../../engine/base/attempt.js';
import type { JournalLoss, SpaceLevel } from '../../engine/model/ports.js';
import type { DataDir } from '../data-dir/layout.js';
import type { SpaceThresholds } from '../data-dir/space.js';
import { codeOf, JournalError, type JournalErrorCode } from '../errors.js';
import type { Durability } from './segment/open.js';

export interface JournalThreadOptions {
  readonly dir: DataDir;
  readonly durability: Durability;
  /** The open segment is sealed at about this size; `SEGMENT_BYTES_MAX` if absent. */
  readonly segmentBytesMax?: number;
  /** Seals a full segment before the next batch: a replicated journal's last batch may have to be taken back. */
  readonly sealsLate?: boolean;
  readonly lastSeq: number;
  /** `DEFAULT_SPACE_THRESHOLDS` if absent. */
  readonly space?: SpaceThresholds;
}

export interface SealedSegment {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: number;
}

/** A batch to commit, as a list: an object's names would be written and read with each. */
export type BatchToWrite = readonly [
  firstSeq: number,
  lastSeq: number,
  timeMs: number,
  commands: string,
  digest: string,
];

export interface JournalMemory {
  /** Counts the messages sent to the thread, which sleeps until there are more. */
  readonly sent: Int32Array;
  readonly activeMs: Float64Array;
}

/** Options are the first message. */
export type ToJournal = JournalThreadOptions | BatchToWrite;

/** A number: the commands up to this one are durable. */
export type FromJournal =
  | number
  | { readonly kind: 'sealed'; readonly segment: SealedSegment; readonly tookMs: number }
  | { readonly kind: 'space'; readonly level: SpaceLevel }
  | { readonly kind: 'failed'; readonly error: ErrorParts }
  | ({ readonly kind: 'lost'; readonly error: ErrorParts } & Pick<JournalLoss, 'heldSeq' | 'rescue'>)
  | { readonly kind: 'closed' };

/** An error as plain data: structured cloning drops its class and its code. */
export interface ErrorParts {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly stack: string;
  readonly cause: ErrorParts | null;
  readonly isJournalError: boolean;
}

const CAUSES_MAX = 4;

export function toErrorParts(thrown: unknown, depth = 0): ErrorParts {
  const error = thrown instanceof Error ? thrown : null;
  const hasCause = error?.cause !== undefined && depth < CAUSES_MAX;
  return {
    name: error?.name ?? 'Error',
    code: codeOf(thrown),
    message: messageOf(thrown),
    stack: error?.stack ?? '',
    cause: hasCause ? toErrorParts(error.cause, depth + 1) : null,
    isJournalError: thrown instanceof JournalError,
  };
}

/** With the class, code and stack that it had in its thread. */
export function fromErrorParts(parts: ErrorParts): Error {
  const options = parts.cause === null ? {} : { cause: fromErrorParts(parts.cause) };
  const error = parts.isJournalError
    ? new JournalError(parts.code as JournalErrorCode, parts.message, options)
    : Object.assign(new Error(parts.message, options), { name: parts.name, code: parts.code });
  error.stack = parts.stack;
  return error;
}
