/**
 * Metrics of the replicated log, the same on leader and standby. They have no samples where the journal is on one
 * machine alone.
 */
import type { Histogram } from '../cells.js';
import { type ReplicationFigures, ROLES } from '../replication.js';
import { type Family, gauge, histogram } from './family.js';

/** `publish`: times of a leader's batches. */
export function replicationFamilies(figures: ReplicationFigures | null, publish: Histogram | null): Family[] {
  const one = (name: string, help: string, value: number | null | undefined): Family =>
    gauge(name, help, value === null || value === undefined ? [] : value);
  const seconds = (ms: number | null | undefined): number | null | undefined =>
    ms === null || ms === undefined ? ms : ms / 1_000;
  return [
    gauge(
      'tote_replication_role',
      'The role of this server: 1 for the one that it has',
      figures === null ? [] : ROLES.map((role) => [{ role }, Number(role === figures.role)]),
    ),
    one('tote_replication_epoch', 'How often a leader has begun, this one included', figures?.epoch),
    one(
      'tote_replication_sequence',
      "Number of the stream's last message, as far as it is known here",
      figures?.sequence,
    ),
    one(
      'tote_replication_away_seconds',
      'For how long the NATS servers have given no answer; 0 while they do',
      seconds(figures?.awayMs),
    ),
    one(
      'tote_replication_lease_age_seconds',
      'Time since this leader has renewed its lease; absent on a standby',
      seconds(figures?.lease?.ageMs),
    ),
    one(
      'tote_replication_standbys',
      'Standbys that the leader has heard of within 5 s; absent on a standby',
      figures?.standbys,
    ),
    one(
      'tote_replication_lag_messages',
      "Messages of the stream that a standby has not read yet; on the leader, the furthest standby's",
      figures?.messagesBehind,
    ),
    one(
      'tote_replication_lag_seconds',
      "Time since a standby had read all of the stream; on the leader, the furthest standby's",
      seconds(figures?.behindMs),
    ),
    histogram(
      'tote_replication_publish_duration_seconds',
      'Time of each batch from being given to the replication until a majority of the NATS servers has it',
      figures?.role === 'leader' && publish !== null ? [[{}, publish]] : [],
    ),
  ];
}
