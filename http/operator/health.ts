/**
 * `/healthz` and `/readyz`, which load balancers and supervisors ask without a token. Both are answered from memory
 * that the engine's thread writes several times a second, so that there is an answer while that thread hangs. They say
 * nothing of the business.
 *
 * A server that is not alive is to be restarted; one that is not ready is to get no traffic.
 */
import type { ErrorCode } from '../../engine/model/errors.js';
import { Refused } from '../kit/refused.js';
import type { Routed } from '../kit/router.js';
import { HANGS_MS } from '../metrics/alarm-list.js';
import { type EngineGauges, SPACE_LEVELS } from '../metrics/engine-figures.js';
import { leaderFigures, type ReplicationFigures } from '../metrics/replication.js';
import { answer, type Result } from './endpoint.js';

export interface NotReady {
  readonly check: 'engine' | 'process' | 'clock' | 'journal' | 'replication' | 'feed';
  readonly code: ErrorCode;
  readonly reason: string;
}

export interface Health {
  /** Milliseconds since the end of the last turn of the engine's thread. */
  readonly turnAgeMs: () => number;
  readonly notReady: () => readonly NotReady[];
}

const OK = answer(200, { status: 'ok' });

/** Below no prefix, and without a token. */
export interface HealthRoute extends Routed {
  readonly handle: () => Result;
}

export const healthRoutes = ({ turnAgeMs, notReady }: Health): readonly HealthRoute[] => [
  {
    method: 'GET',
    path: '/healthz',
    handle: () => (turnAgeMs() > HANGS_MS ? refused([hangs(turnAgeMs())]) : OK),
  },
  {
    method: 'GET',
    path: '/readyz',
    handle: () => {
      const ageMs = turnAgeMs();
      const reasons = ageMs > HANGS_MS ? [hangs(ageMs)] : notReady();
      return reasons.length === 0 ? OK : refused(reasons);
    },
  },
];

function refused(reasons: readonly NotReady[]): Result {
  const code = reasons[0]?.code ?? 'overloaded';
  return new Refused(code, '', [], `,"notReady":${JSON.stringify(reasons)}`);
}

const hangs = (ageMs: number): NotReady => ({
  check: 'engine',
  code: 'overloaded',
  reason: `no turn of the engine's thread has ended for ${Math.floor(ageMs / 1_000)} s`,
});

/** A leader may have lost the servers that keep its log, and then its lead. */
const backlogged = (
  log: ReplicationFigures | null,
): [check: NotReady['check'], code: ErrorCode, reason: string] =>
  log === null || log.awayMs === 0
    ? ['journal', 'journal_backlog', 'too much waits to become durable: no order is taken']
    : [
        'replication',
        'journal_backlog',
        `the NATS servers have not answered for ${seconds(log.awayMs)}: no order is taken`,
      ];
const lapsed = (ageMs: number): string =>
  `the lease was not renewed for ${seconds(ageMs)}: a standby may lead by now`;
const seconds = (ms: number): string => `${Math.floor(ms / 1_000)} s`;

/** The server listens only after recovery, so that is no condition. */
export function healthOf(gauges: EngineGauges, monotonicMs: () => number): Health {
  return {
    turnAgeMs: () => monotonicMs() - gauges.get('turnEndedMs'),
    notReady: () => {
      const reasons: NotReady[] = [];
      const add = (check: NotReady['check'], code: ErrorCode, reason: string): void => {
        reasons.push({ check, code, reason });
      };
      if (gauges.get('isStopping') === 1) add('process', 'shutting_down', 'the server is stopping');
      if (gauges.get('isJournalLost') === 1)
        add(
          'journal',
          'journal_unavailable',
          'files of the journal were deleted or replaced: nothing is taken',
        );
      if (gauges.get('isClockSound') === 0)
        add(
          'clock',
          'clock_unsynchronised',
          'the wall clock was set, is behind the journal, or has to be confirmed: no order is taken',
        );
      if (gauges.get('spaceLevel') >= SPACE_LEVELS.indexOf('reserve'))
        add('journal', 'disk_reserve', 'too little free space for the journal: no order is taken');
      const log = leaderFigures(gauges);
      if (gauges.get('isBacklogged') === 1) add(...backlogged(log));
      if (log?.lease?.isHeld === false) add('replication', 'journal_backlog', lapsed(log.lease.ageMs));
      const expected = gauges.get('assetsExpected');
      if (expected > 0 && gauges.get('assetsSilent') >= expected)
        add('feed', 'stale_price', 'no asset whose market is open has had a price for 10 s');
      return reasons;
    },
  };
}
