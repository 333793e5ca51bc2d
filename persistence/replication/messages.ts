/** Messages between the engine's thread and the replication's (`worker.ts`). */
import type { Batch, StoredBatch } from '../../engine/model/ports.js';
import type { DataDir } from '../data-dir/layout.js';
import type { ErrorParts } from '../journal/messages.js';
import type { FollowStatus, Role, StandbyReport } from './log/replicated-log.js';
import type { NatsSettings } from './nats/nats-connection.js';

export interface ReplicationOptions {
  readonly nats: NatsSettings;
  readonly role: Role;
  /** This machine's name, for messages. */
  readonly node: string;
  readonly leaseMs: number;
}

export interface ReplicationThreadOptions extends ReplicationOptions {
  /** A recovered data directory whose lock this process holds. */
  readonly dir: DataDir;
}

export type ToReplication =
  /** So many characters of batches are in the engine and on the disk. */
  | { readonly kind: 'taken'; readonly chars: number }
  | { readonly kind: 'publish'; readonly batch: Batch }
  /** Asks whether this process still leads; the log has all up to this command. */
  | { readonly kind: 'confirm'; readonly lastSeq: number }
  /** Snapshots hold everything up to this command. */
  | { readonly kind: 'covered'; readonly seq: number }
  /** Gives the lease back, for the standby of this name or any (''): nothing more will be published. */
  | { readonly kind: 'release'; readonly successor: string };

export type FromReplication =
  /** The journal's last batch is not in the log: it must be taken back. */
  | { readonly kind: 'unpublished' }
  /** The journal's place in the log was found. The log has it up to this command. */
  | { readonly kind: 'joined'; readonly seq: number }
  | { readonly kind: 'batch'; readonly row: StoredBatch }
  | { readonly kind: 'following'; readonly status: FollowStatus }
  /** The takeover and all of the journal are in the log, which ends with message `sequence`. */
  | { readonly kind: 'leading'; readonly epoch: number; readonly sequence: number }
  /** The log has the batch up to command `lastSeq`, and ends with message `sequence`. */
  | { readonly kind: 'published'; readonly lastSeq: number; readonly sequence: number }
  /** It still led after it was asked. */
  | { readonly kind: 'confirmed'; readonly lastSeq: number }
  /** The leader has renewed its lease. */
  | { readonly kind: 'renewed' }
  /** A standby tells how far it is. */
  | { readonly kind: 'standby'; readonly report: StandbyReport }
  /** An operator asks the leader to hand over to this machine. */
  | { readonly kind: 'handOver'; readonly to: string }
  /** The log gives no answer, for this reason; null once it does again. */
  | { readonly kind: 'trouble'; readonly reason: string | null }
  | { readonly kind: 'failed'; readonly error: ErrorParts };
