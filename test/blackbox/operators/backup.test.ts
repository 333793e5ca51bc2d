/**
 * Backups of a server under load, which continues undisturbed: each contains everything acknowledged before it began,
 * is good in every part, and a server starts on it, as on a restored directory.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { BackedUp } from '../../../persistence/upkeep/backup/backup.js';
import type { VerifyReport } from '../../../persistence/upkeep/verify/verify.js';
import { newFolder } from '../../support/new-folder.js';
import { toteJson, toteProcess, toteText } from '../../support/processes/cli.js';
import { type Bettor, Server } from '../../support/processes/server.js';

const CONNECTIONS = 8;
const LIST_MAX = 200;

const folder = newFolder();
const standby = join(folder, 'standby');
let server: Server;
let bettors: Bettor[];
const acknowledged = Array.from({ length: CONNECTIONS }, (): string[] => []);

before(async () => {
  server = await Server.start({
    dataDir: join(folder, 'data'),
    env: { TOTE_SNAPSHOT_COMMANDS: '1000', TOTE_SEGMENT_MIB: '1' },
  });
  await server.toNextDay({ BTC: 95_000 });
  bettors = await Promise.all(acknowledged.map(() => server.createBettor({ balance: 100_000 })));
});
after(() => server.kill());

function load(isDone: () => boolean): Promise<unknown> {
  const connection = async ({ api }: Bettor, index: number): Promise<void> => {
    while (!isDone() && (acknowledged[index]?.length ?? 0) < LIST_MAX) {
      const order = { marketId: 'BTC_ONE_DAY', prediction: index % 2 === 0 ? 'UP' : 'DOWN', amount: 1 };
      const placed = await api.post<{ bet: { id: string } }>('/orders', order);
      assert.equal(placed.status, 201, placed.text);
      acknowledged[index]?.push(placed.data.bet.id);
    }
  };
  return Promise.all(bettors.map(connection));
}

const countAcknowledged = (): number => acknowledged.reduce((sum, ids) => sum + ids.length, 0);

async function betsOn(dataDir: string): Promise<string[][]> {
  const copy = await Server.start({ dataDir });
  try {
    return await Promise.all(
      bettors.map(async ({ secret }) => {
        const listed = await copy.api(secret).get<{ id: string }[]>(`/orders?limit=${LIST_MAX}`);
        assert.equal(listed.status, 200, listed.text);
        return listed.data.map(({ id }) => id);
      }),
    );
  } finally {
    const ended = await copy.stop();
    assert.equal(ended.code, 0, ended.stderr);
  }
}

test('each of three backups under load has everything acknowledged before it began', async () => {
  let isDone = false;
  const loading = load(() => isDone);
  const before: { seq: number; ids: string[][] }[] = [];
  try {
    for (let round = 0; round < 3; round++) {
      const [ids, count] = [acknowledged.map((list) => [...list]), countAcknowledged()];
      // A process of its own, because the load must continue in this one.
      const copied = await toteProcess(['backup', standby, server.dataDir, '--json']);
      assert.equal(copied.code, 0, copied.stderr);
      before.push({ seq: (JSON.parse(copied.stdout) as BackedUp).seq, ids });
      assert.ok(
        countAcknowledged() > count || countAcknowledged() === CONNECTIONS * LIST_MAX,
        'the load went on',
      );
    }
  } finally {
    isDone = true;
    await loading;
  }
  const report = await toteJson<VerifyReport>(['verify', standby]);
  assert.deepEqual(report.faults, []);
  assert.equal(report.lastSeq, before.at(-1)?.seq);
  const there = await betsOn(standby);
  for (const [index, ids] of (before.at(-1)?.ids ?? []).entries()) {
    for (const id of ids)
      assert.ok(there[index]?.includes(id), `${id} was acknowledged before the backup began`);
  }
});

test('verify and status work beside the running server, without affecting it', async () => {
  const report = await toteJson<VerifyReport>(['verify', server.dataDir]);
  assert.deepEqual(report.faults, []);
  const status = await toteJson<{ server: { pid: number } }>(['status', server.dataDir]);
  assert.equal(status.server.pid, server.run.pid);
  const made = await toteJson<{ seq: number }>(['snapshot', server.dataDir]);
  assert.ok(made.seq >= report.lastSeq);
  await toteText(['prune', server.dataDir, '--keep', '1d', '--snapshots', '2']);
  await server.push({ BTC: 95_001 });
  assert.deepEqual((await toteJson<VerifyReport>(['verify', server.dataDir])).faults, []);
});
