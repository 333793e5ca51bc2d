/** Messages between the event loop and the journal's thread. */
import type { JournalLoss, SpaceLevel } from '../../engine/model/ports.js';
import type { DataDir } from '../data-dir/layout.js';
import type { SpaceThresholds } from '../data-dir/space.js';
import type { ErrorParts } from '../thread/error-parts.js';
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
