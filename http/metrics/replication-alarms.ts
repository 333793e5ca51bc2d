/** Alarms of a leader whose journal is replicated; none is raised where it is on this machine alone. */
import { type Alarm, quantileOf, vital } from './alarm-figures.js';
import { LOG_AWAY_MS, leaderFigures, type ReplicationFigures, STANDBY_BEHIND_MS } from './replication.js';

const ofLog =
  (figure: (of: ReplicationFigures) => number | null): Alarm['figure'] =>
  ({ gauges }) => {
    const figures = leaderFigures(gauges);
    return figures === null ? null : figure(figures);
  };

export const REPLICATION_ALARMS: readonly Alarm[] = [
  {
    name: 'replication_away',
    severity: 'critical',
    what: 'the NATS servers have not answered for a while: nothing is acknowledged, and orders are refused',
    advice:
      'replication.trouble in /status says which answer, and since when others do not. Two of three must run and reach each other; what was accepted is answered then.',
    figure: ofLog(({ awayMs }) => awayMs / 1_000),
    promql: 'tote_replication_away_seconds',
    unit: 's',
    above: LOG_AWAY_MS / 1_000,
    forSeconds: 0,
  },
  {
    name: 'standby_missing',
    severity: 'warning',
    what: 'no standby follows: if this machine ends, nobody takes over',
    advice: 'Start the standby, and see its log: replication_behind says that it needs a backup.',
    figure: ofLog(({ standbys }) => standbys),
    promql: 'tote_replication_standbys',
    unit: '',
    below: 1,
    forSeconds: 60,
  },
  {
    name: 'standby_behind',
    severity: 'warning',
    what: 'a standby is behind the stream: a takeover would take that much longer',
    advice: 'It catches up by itself after a start. If it does not: its disk, its cores, its link to NATS.',
    figure: ofLog(({ behindMs }) => (behindMs === null ? null : behindMs / 1_000)),
    promql: 'tote_replication_lag_seconds',
    unit: 's',
    above: STANDBY_BEHIND_MS / 1_000,
    forSeconds: 30,
  },
  {
    name: 'slow_publishes',
    severity: 'warning',
    what: 'the NATS servers are slow: one batch in a hundred takes long',
    advice:
      'See their disks and the links between them (nats server report jetstream); orders wait for two of the three.',
    figure: vital('publishP99Ms', 1_000),
    promql: quantileOf('tote_replication_publish_duration_seconds', 0.99),
    unit: 's',
    above: 0.1,
    forSeconds: 60,
  },
];
