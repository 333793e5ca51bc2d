/**
 * Snapshots and archive beside a running server: a restart answers as without them, a kill at any moment leaves a
 * directory that starts, a full disk stops only them, and a divergence from the journal ends the server.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { orders, setUpCommands } from '../../../bench/engine/scenario.js';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { Status } from '../../../http/operator/queries/status.js';
import { checkArchive } from '../../../persistence/archive/check.js';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { JournalReader } from '../../../persistence/journal/reader.js';
import { replayBatch } from '../../../persistence/replay/replay.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { alterDigest, HotSide } from '../../persistence/support/shadow-files.js';
import { byEffort } from '../../support/effort.js';
import { newDataDir, Server, startDoomed } from '../../support/processes/server.js';
import { hasCaughtUp, statusWhere } from '../../support/processes/status.js';

const KILLS = byEffort({ test: 1, prove: 4, night: 12 });
/** The shadow's alarm is raised after a minute, which `npm test` does not wait for. */
const ALARMS_AWAITED = byEffort({ test: 0, prove: 1, night: 1 });
const OFTEN = { TOTE_SNAPSHOT_COMMANDS: '25' };

async function live(server: Server, minutes: number): Promise<string[]> {
  const bettors = [await server.createBettor(), await server.createBettor()];
  await server.toNextDay();
  for (let minute = 0; minute < minutes; minute++) {
    await server.push({ BTC: 100 + minute });
    for (const [index, { api }] of bettors.entries()) {
      for (const marketId of ['BTC_ONE_MINUTE', 'BTC_FIVE_MINUTES']) {
        const prediction = (minute + index) % 2 === 0 ? 'UP' : 'DOWN';
        const placed = await api.post(
          '/orders',
          { marketId, prediction, amount: 1 + minute },
          { 'Idempotency-Key': `${minute}-${marketId}` },
        );
        assert.equal(placed.status, 201, placed.text);
      }
    }
    await server.advance(60_000);
  }
  return bettors.map(({ secret }) => secret);
}

test('after kills while snapshots and archive are written every start recovers, and the archive is complete', async () => {
  const dir = newDataDir();
  let server = await Server.start({ dataDir: dir, env: { ...OFTEN, TOTE_SNAPSHOT_COMMANDS: '5' } });
  let lastSequence = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    await live(server, 2);
    const { data } = await server.operator.get<Status>('/status');
    await pause(kill * 7);
    await server.kill();
    server = await Server.start({ dataDir: dir, env: { ...OFTEN, TOTE_SNAPSHOT_COMMANDS: '5' } });
    const status = (await server.operator.get<Status>('/status')).data;
    assert.ok(status.sequence >= data.durableSequence);
    assert.ok(status.sequence > lastSequence);
    lastSequence = status.sequence;
  }
  const { durableSequence } = await statusWhere(server, hasCaughtUp);
  const ending = await server.stop();
  assert.equal(ending.code, 0, ending.stderr);
  const { faults, progress } = checkArchive(dataDirLayout(dir).archiveFile);
  assert.deepEqual([faults, progress?.fromSeq, progress?.seq], [[], 0, durableSequence]);
  assert.ok(readdirSync(dataDirLayout(dir).snapshots).every((name) => name.endsWith('.db')));
});

test('a divergence of the shadow ends the server, with both digests and the number', async () => {
  const root = newDataDir();
  const hot = new HotSide(root, (print) => [...setUpCommands(20, 1_000, print), ...orders(0, 200, 20)]);
  hot.write(260, 10);
  hot.close();
  const { dir } = hot;
  const { lastSeq, digest, altered } = alterDigest(dir, 100);
  // A snapshot that is of one piece with the altered journal: the start trusts it, the shadow reads all from the
  // beginning.
  const reader = new JournalReader(dir);
  const engine = new Engine();
  for (const batch of reader.readBatches(0)) {
    replayBatch(engine, batch.lastSeq === lastSeq ? { ...batch, digest } : batch);
  }
  new SnapshotFiles(dir.snapshots).save(engine, must(reader.chainAt(engine.seq), 'chain'));
  reader.close();

  // The shadow may find it before the banner is out.
  const ending = await startDoomed({ dataDir: root }, async () => {});
  assert.equal(ending.code, 1);
  const sentence = new RegExp(`to ${lastSeq}: .*digest is ${digest}, the journal's is ${altered}`);
  assert.match(ending.stderr, sentence);
  assert.match(ending.stderr, /the server stops: nothing more is acknowledged/);
});

test('without space for snapshots and archive orders continue, it is logged once, and a restart catches up', async () => {
  const root = newDataDir();
  const commands = (print: string) => [...setUpCommands(50, 10_000, print), ...orders(0, 14_000, 50)];
  const hot = new HotSide(root, commands, 1024 * 1024);
  hot.write(hot.left, 100);
  hot.close();
  const env = { TOTE_SEGMENT_MIB: '1', TOTE_SNAPSHOT_COMMANDS: '1000' };
  // No file may grow beyond this: more than a segment, less than the archive of so many bets or their snapshot.
  const under = ['sh', '-c', 'ulimit -f 2800; exec "$0" "$@"'];
  const limited = await Server.start({ dataDir: root, env, under });
  const failed = await statusWhere(limited, ({ shadow }) => shadow.reason !== null);
  const bettor = await limited.createBettor({ balance: 1_000 });
  await limited.toNextDay({ BTC: 100 });
  const placed = await bettor.api.post(
    '/orders',
    { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 5 },
    { 'Idempotency-Key': 'a' },
  );
  assert.equal(placed.status, 201, placed.text);
  assert.equal((await limited.operator.get<Status>('/status')).data.ordersRefused, null);
  assert.ok(failed.shadow.archiveSequence < failed.durableSequence);
  const said = /^.*"alarm_raised".*shadow_impaired.*$/gm;
  if (ALARMS_AWAITED > 0) await limited.run.findInErrors((stderr) => stderr.match(said));
  const ending = await limited.stop();
  assert.equal(ending.code, 0, ending.stderr);
  const raised = ending.stderr.match(said)?.length ?? 0;
  assert.ok(raised >= ALARMS_AWAITED && raised <= 1, ending.stderr.match(/^.*alarm_raised.*$/gm)?.join('\n'));

  const server = await Server.start({ dataDir: root, env });
  await statusWhere(server, hasCaughtUp);
  await server.stop();
  assert.deepEqual(checkArchive(dataDirLayout(root).archiveFile).faults, []);
  assert.ok(new SnapshotFiles(dataDirLayout(root).snapshots).list().length > 0);
});
