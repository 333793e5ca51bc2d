/** `/healthz` and `/readyz` are answered from figures, without a thread in between (`http/operator/health.ts`). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASSETS, type Asset } from '../../../engine/model/domain.js';
import type { HttpRequest, HttpResponder } from '../../../engine/model/ports.js';
import { STATUS_AT_START } from '../../../engine/model/shadow-status.js';
import { HANGS_MS } from '../../../http/metrics/alarm-list.js';
import { EngineFigures } from '../../../http/metrics/engine-figures.js';
import { Gauges, gaugesMemory } from '../../../http/metrics/gauges.js';
import type { LeaderStatus } from '../../../http/metrics/replication.js';
import { createOperatorApi } from '../../../http/operator/api.js';
import { type Health, healthOf, healthRoutes } from '../../../http/operator/health.js';
import { readDocument } from '../../support/document.js';
import { liveHost } from '../../support/host/host.js';

/** HAProxy leaves a leader its traffic where orders alone are refused. */
const SENDS_TRAFFIC = new RegExp(
  /expect rstring '(.*)'/.exec(readDocument('docs/deploy/haproxy.cfg'))?.[1] ?? assert.fail(),
);

function watched(needsBackup = true) {
  const host = liveHost();
  const { clock, sequencer } = host;
  const engineGauges = gaugesMemory();
  const idle = { activeMs: 0 };
  const conditions = {
    isStopping: false,
    expected: [...ASSETS] as Asset[],
    silent: [] as Asset[],
    log: null as LeaderStatus | null,
    shadow: STATUS_AT_START,
  };
  const figures = new EngineFigures({
    engineGauges,
    clock,
    sequencer,
    tracker: host.tracker,
    quoter: host.quoter,
    shadow: () => conditions.shadow,
    threads: { journal: idle, shadow: idle, reader: idle },
    expectedAssets: () => conditions.expected,
    latenessMs: () => null,
    lateMarkets: () => 0,
    silentAssets: () => conditions.silent,
    switchedAssets: () => 0,
    needsBackup,
    certificateEndsMs: () => null,
    replicatedLog: () => conditions.log,
    isStopping: () => conditions.isStopping,
  });
  const gauges = new Gauges(engineGauges);
  const health = healthOf(gauges, () => clock.monotonicMs());
  const take = (): Health => {
    sequencer.heartbeat();
    figures.beat();
    figures.sample();
    return health;
  };
  return { host, clock, conditions, take, health, gauges };
}

/** Why the server is not ready, and what its two paths answer. */
async function told(health: Health): Promise<unknown[]> {
  return [codesOf(health), await answered(health, '/readyz'), await answered(health, '/healthz')];
}

const codesOf = ({ notReady }: Health): string[] => notReady().map(({ check, code }) => `${check} ${code}`);

async function answered(health: Health, path: string): Promise<unknown[]> {
  const request = { method: 'GET', path, query: '', fault: null } as HttpRequest;
  const callers = { identify: () => assert.fail('no token is needed') };
  const api = createOperatorApi({ routes: healthRoutes(health), callers, denials: null });
  const [status, body] = await new Promise<[number, string]>((resolve) =>
    api(request, { send: (status, _headers, body) => resolve([status, `${body}`]) } as HttpResponder),
  );
  const { error, notReady = [] } = JSON.parse(body) as { error?: string; notReady?: { check: string }[] };
  const refusesByItself = notReady.every(({ check }) => ['clock', 'journal', 'feed'].includes(check));
  assert.equal(SENDS_TRAFFIC.test(body), refusesByItself);
  return error === undefined ? [status] : [status, error];
}

test('a server in order is alive and ready', async () => {
  const { take } = watched();
  assert.deepEqual(await told(take()), [[], [200], [200]]);
});

test('a stopping server is alive, not ready', async () => {
  const { take, conditions } = watched();
  conditions.isStopping = true;
  assert.deepEqual(await told(take()), [['process shutting_down'], [503, 'shutting_down'], [200]]);
});

test('a set clock and a full disk are told together', async () => {
  const { take, host, clock } = watched();
  take();
  clock.wallMs += 3_600_000;
  host.journal.space('reserve');
  assert.deepEqual(codesOf(take()), ['clock clock_unsynchronised', 'journal disk_reserve']);
  assert.deepEqual(await answered(take(), '/readyz'), [503, 'clock_unsynchronised']);
});

test('a journal whose files were deleted is told, not as a server that stops, nor as a silent feed', async () => {
  const { take, host, conditions } = watched();
  take();
  host.journal.lose();
  conditions.silent = conditions.expected;
  const lost = [['journal journal_unavailable'], [503, 'journal_unavailable'], [200]];
  assert.deepEqual(await told(take()), lost);
});

test('a journal that is far behind is told', async () => {
  const { take, host, clock } = watched();
  host.order();
  host.endTurn();
  clock.pass(1_500);
  assert.deepEqual(codesOf(take()), ['journal journal_backlog']);
  host.settle();
  assert.deepEqual(codesOf(take()), []);
});

test('a leader without its NATS servers is not ready, and says what it waits for', async () => {
  const { take, host, clock, conditions } = watched();
  const log: LeaderStatus = {
    ...{ role: 'leader', node: 'one', epoch: 3, streamSequence: 70, standbys: [] },
    ...{ trouble: null, awayMs: 0, leaseAgeMs: 900, lease: 'held' },
  };
  conditions.log = log;
  assert.deepEqual(codesOf(take()), []);
  host.order();
  host.endTurn();
  clock.pass(1_500);
  assert.deepEqual(codesOf(take()), ['journal journal_backlog'], 'it is the disk');
  conditions.log = { ...log, trouble: 'timeout', awayMs: 4_200, leaseAgeMs: 4_900, lease: 'lapsed' };
  const told = take().notReady();
  assert.deepEqual(Array.from(told, ({ check }) => check).join(), 'replication,replication');
  assert.equal(told[0]?.reason, 'the NATS servers have taken nothing for 4 s: no order is taken');
  assert.equal(told[1]?.reason, 'the lease was not renewed for 4 s: a standby may lead by now');
  assert.deepEqual(await answered(take(), '/readyz'), [503, 'journal_backlog']);
});

test('a feed is fresh while one of the open assets has prices; where none is open nothing is expected', async () => {
  const { take, conditions } = watched();
  conditions.silent = ASSETS.slice(1);
  assert.deepEqual(codesOf(take()), []);
  conditions.silent = [...ASSETS];
  assert.deepEqual(codesOf(take()), ['feed stale_price']);
  conditions.expected = [];
  conditions.silent = [];
  assert.deepEqual(codesOf(take()), []);
});

test('a thread whose turn has not ended for seconds is not alive', async () => {
  const { take, clock, health } = watched();
  take();
  clock.pass(HANGS_MS);
  assert.deepEqual(await answered(health, '/healthz'), [200]);
  clock.pass(1);
  assert.deepEqual(await answered(health, '/healthz'), [503, 'overloaded']);
  assert.deepEqual(await answered(health, '/readyz'), [503, 'overloaded']);
});

test('a snapshot is due while it lacks commands, a backup where prices are real; both count from the beginning', async () => {
  const beginning = { ...STATUS_AT_START, createdAtMs: 1_000 };
  const snapshot = { seq: 1_000_000, atMs: 3_000, bytes: 1, tookMs: null };
  for (const [needsBackup, changes, expected] of [
    [true, {}, [1_000, 1_000]],
    [true, { backupAtMs: 2_000, snapshot: { ...snapshot, seq: 1 } }, [3_000, 2_000]],
    [false, { snapshot }, [Number.NaN, Number.NaN]],
  ] as const) {
    const { conditions, gauges, take } = watched(needsBackup);
    conditions.shadow = { ...beginning, ...changes };
    take();
    assert.deepEqual([gauges.get('unsavedSinceMs'), gauges.get('backupAtMs')], expected);
  }
});
