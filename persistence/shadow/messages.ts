/** Messages between the event loop and the shadow's thread. */
import type { MessagePort } from 'node:worker_threads';
import type { SigningKeys } from '../../engine/model/proofs/signing.js';
import type { ShadowStatus } from '../../engine/model/shadow-status.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { DataDir } from '../data-dir/layout.js';
import type { SpaceThresholds } from '../data-dir/space.js';
import type { ErrorParts } from '../thread/error-parts.js';
import type { SnapshotsKept } from '../upkeep/retention/choice.js';

export interface ShadowOptions {
  readonly dir: DataDir;
  readonly snapshotCommands: number;
  /** A snapshot is due once following the journal since the last one has taken so much CPU time: a start would take about as long. */
  readonly snapshotReplayMs: number;
  /** A snapshot is due after this long, if there was a command. */
  readonly snapshotEveryMs: number;
  readonly snapshotsKept?: SnapshotsKept;
  /** Covered segments are deleted when their last command is older than this. null keeps all. */
  readonly segmentsKeptMs: number | null;
  readonly space?: SpaceThresholds;
  /** The last command that the replicated log has, in shared memory. The shadow goes no further. */
  readonly replicatedSeq?: BigInt64Array;
  /** The reader of the archive (`archive/reader/messages.ts`). */
  readonly reader?: MessagePort;
  /** For the journal's heads. */
  readonly signing: SigningKeys;
}

export type ShadowNews =
  | { readonly kind: 'snapshot'; readonly seq: number; readonly bytes: number; readonly tookMs: number }
  | { readonly kind: 'pruned'; readonly firstSeq: number; readonly lastSeq: number; readonly bytes: number };

export type FromShadow =
  | { readonly kind: 'status'; readonly status: ShadowStatus }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'news'; readonly news: ShadowNews }
  | { readonly kind: 'head'; readonly head: SignedHead }
  | { readonly kind: 'diverged'; readonly error: ErrorParts };
