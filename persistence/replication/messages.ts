/** Messages between the engine's thread and the replication's (`worker.ts`). */
import type { Batch, StandbyReport, StoredBatch } from '../../engine/model/ports.js';
import type { DataDir } from '../data-dir/layout.js';
import type { ErrorParts } from '../thread/error-parts.js';
import type { LeaderOptions } from './log/leader.js';
import type { FollowStatus, Role } from './log/replicated-log.js';
import type { NatsSettings } from './nats/nats-connection.js';

export interface ReplicationOptions extends Pick<LeaderOptions, 'node' | 'exchange' | 'leaseMs'> {
  readonly dir: DataDir;
  readonly nats: NatsSettings;
  readonly role: Role;
}

export type ToReplication =
  /** This much text is in the engine and on the disk. */
  | { readonly kind: 'taken'; readonly chars: number }
  | { readonly kind: 'publish'; readonly batch: Batch }
  /** Does this process still lead? The log has all up to this command. */
  | { readonly kind: 'confirm'; readonly lastSeq: number }
  | { readonly kind: 'covered'; readonly seq: number }
  /** Gives the lease back, for this standby or any (''): nothing more will be published. */
  | { readonly kind: 'release'; readonly successor: string };

export type FromReplication =
  | { readonly kind: 'unpublished' }
  | { readonly kind: 'joined'; readonly seq: number }
  | { readonly kind: 'batch'; readonly row: StoredBatch }
  | { readonly kind: 'following'; readonly status: FollowStatus }
  /** The takeover and all of the journal are in the log. `sequence` is the log's last message. */
  | { readonly kind: 'leading'; readonly epoch: number; readonly sequence: number }
  | { readonly kind: 'published'; readonly lastSeq: number; readonly sequence: number }
  | { readonly kind: 'confirmed'; readonly lastSeq: number }
  /** When the write of the lease began, in monotonic milliseconds. */
  | { readonly kind: 'renewed'; readonly atMs: number }
  | { readonly kind: 'standby'; readonly report: StandbyReport }
  | { readonly kind: 'handOver'; readonly to: string }
  /** Why the log gives no answer; null once it does again. */
  | { readonly kind: 'trouble'; readonly reason: string | null }
  | { readonly kind: 'failed'; readonly error: ErrorParts };
