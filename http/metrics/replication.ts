/** The replicated log as a leader and a standby see it: the status of both, and their figures. */
import type { LogView } from '../../engine/model/ports.js';
import type { LogGaugeName } from './gauges.js';

/** A leader's `replication` in its status. */
export interface LeaderStatus extends LogView {
  readonly role: 'leader';
  readonly node: string;
}

/** Its fields are named as a leader's. */
export interface StandbyStatus {
  readonly role: 'standby';
  readonly node: string;
  /** The server that leads, or led last; null if none has. */
  readonly leader: string | null;
  /**
   * `none` if nobody has ever led; `lapsed` once it was not renewed in time, `released` once it was given back; null while
   * there is trouble.
   */
  readonly lease: 'none' | 'held' | 'lapsed' | 'released' | null;
  /** How long ago this server has seen a renewal; null if nobody has ever led. */
  readonly leaseAgeMs: number | null;
  readonly epoch: number;
  /** The last command in its engine. */
  readonly sequence: number;
  /** The log's last message, as far as it is known. */
  readonly streamSequence: number;
  /** Not read yet; null while it does not know. */
  readonly messagesBehind: number | null;
  /** Since it had read all of the log; null while it does not know. */
  readonly behindMs: number | null;
  /** The reason why the log gives no answer, or null; and for how long it has not. */
  readonly trouble: string | null;
  readonly awayMs: number;
}

/** An election of the NATS servers is over sooner. */
export const LOG_AWAY_MS = 5_000;
/** A standby that follows has read all of the log within less than this. */
export const STANDBY_BEHIND_MS = 5_000;

/** Why orders are refused, as operators read it: a leader without its NATS servers has no trouble with its disk. */
export const refusedAs = (gate: string | null, log: LeaderStatus | null): string | null =>
  gate === 'journal_backlog' && log !== null && log.awayMs > 0 ? 'replication_away' : gate;

/** `log` is null where the journal is on this machine alone. */
export function logGauges(
  log: LeaderStatus | null,
): Readonly<Record<LogGaugeName | 'isLeaseHeld', number | null>> {
  const standbys = log?.standbys ?? [];
  const furthest = (behind: readonly number[]): number | null =>
    behind.length === 0 ? null : Math.max(...behind);
  return {
    isLeaseHeld: log === null ? null : Number(log.lease === 'held'),
    epoch: log?.epoch ?? null,
    logSequence: log?.streamSequence ?? null,
    logAwayMs: log?.awayMs ?? null,
    leaseAgeMs: log?.leaseAgeMs ?? null,
    standbys: log?.standbys.length ?? null,
    standbyMessagesBehind: furthest(standbys.map(({ messagesBehind }) => messagesBehind)),
    standbyBehindMs: furthest(standbys.map(({ behindMs }) => behindMs)),
  };
}
