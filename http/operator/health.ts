/**
 * `/healthz` and `/readyz`, which load balancers and supervisors ask without a token. Both are answered from memory
 * that the engine's thread writes several times a second, so that there is an answer while that thread hangs. They say
 * nothing of the business.
 *
 * A server that is not alive is to be restarted; one that is not ready is to get no traffic.
 */
import type { ErrorCode } from '../../engine/model/errors.js';
import { Refused } from '../kit/refused.js';
import { HANGS_MS } from '../metrics/alarm-list.js';
import { type GaugeName, type Gauges, SPACE_LEVELS } from '../metrics/gauges.js';
import { type Answer, answer, type OperatorRoute } from './endpoint.js';

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

export const healthRoutes = ({ turnAgeMs, notReady }: Health): readonly OperatorRoute[] => {
  const hangs = (): readonly NotReady[] => {
    const ageMs = turnAgeMs();
    const reason = `no turn of the engine's thread has ended for ${Math.floor(ageMs / 1_000)} s`;
    return ageMs > HANGS_MS ? [{ check: 'engine', code: 'overloaded', reason }] : [];
  };
  const okUnless = (reasons: readonly NotReady[]): Answer => {
    const [first] = reasons;
    if (first === undefined) return OK;
    throw new Refused(first.code, '', [], `,"notReady":${JSON.stringify(reasons)}`);
  };
  return [
    { method: 'GET', path: '/healthz', role: null, handle: () => okUnless(hangs()) },
    {
      method: 'GET',
      path: '/readyz',
      role: null,
      handle: () => okUnless(turnAgeMs() > HANGS_MS ? hangs() : notReady()),
    },
  ];
};

/** The server listens only after recovery, so that is no condition. */
export const healthOf = (gauges: Gauges, monotonicMs: () => number): Health => ({
  turnAgeMs: () => monotonicMs() - gauges.get('turnEndedMs'),
  notReady: () => notReady(gauges),
});

type Check = readonly [fails: boolean, check: NotReady['check'], code: ErrorCode, reason: string];

function notReady(gauges: Gauges): NotReady[] {
  const is = (name: GaugeName): boolean => gauges.get(name) === 1;
  const seconds = (name: GaugeName): string => `${Math.floor(gauges.shown(name))} s`;
  // A leader may have lost the servers that keep its log, and then its lead.
  const isAway = gauges.get('logAwayMs') > 0;
  const expected = gauges.get('assetsExpected');
  const checks: readonly Check[] = [
    [is('isStopping'), 'process', 'shutting_down', 'the server is stopping'],
    [
      is('isJournalLost'),
      'journal',
      'journal_unavailable',
      'files of the journal were deleted or replaced: nothing is taken',
    ],
    [
      gauges.get('isClockSound') === 0,
      'clock',
      'clock_unsynchronised',
      'the wall clock was set, is behind the journal, or has to be confirmed: no order is taken',
    ],
    [
      gauges.get('spaceLevel') >= SPACE_LEVELS.indexOf('reserve'),
      'journal',
      'disk_reserve',
      'too little free space for the journal: no order is taken',
    ],
    [
      is('isBacklogged') && !isAway,
      'journal',
      'journal_backlog',
      'too much waits to become durable: no order is taken',
    ],
    [
      is('isBacklogged') && isAway,
      'replication',
      'journal_backlog',
      `the NATS servers have taken nothing for ${seconds('logAwayMs')}: no order is taken`,
    ],
    [
      gauges.get('isLeaseHeld') === 0,
      'replication',
      'journal_backlog',
      `the lease was not renewed for ${seconds('leaseAgeMs')}: a standby may lead by now`,
    ],
    [
      expected > 0 && gauges.get('assetsSilent') >= expected,
      'feed',
      'stale_price',
      'no asset whose market is open has had a price for 10 s',
    ],
  ];
  return checks.flatMap(([fails, check, code, reason]) => (fails ? [{ check, code, reason }] : []));
}
