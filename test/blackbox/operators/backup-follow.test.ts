/**
 * `tote backup --follow` beside a server under load: the copy has what was acknowledged a moment ago, and is a directory that
 * a server starts on whether the server or the follower was killed.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { dataDirLayout } from '../../../persistence/data-dir/layout.js';
import { acknowledgedSeq } from '../../../persistence/journal/mark.js';
import type { VerifyReport } from '../../../persistence/upkeep/verify/verify.js';
import { askUntil } from '../../support/ask-until.js';
import { CLI_MAIN, toteJson } from '../../support/processes/cli.js';
import { type Bettor, Server } from '../../support/processes/server.js';

const KILLS = 4;
const folder = mkdtempSync(join(tmpdir(), 'tote-follow-'));
const data = dataDirLayout(join(folder, 'data'));
const copy = dataDirLayout(join(folder, 'copy'));
let server: Server;
let bettor: Bettor;
const acknowledged: string[] = [];
const followers = new Set<ChildProcess>();

before(async () => {
  server = await Server.start({
    dataDir: data.root,
    env: { TOTE_SNAPSHOT_COMMANDS: '200', TOTE_SEGMENT_MIB: '1' },
  });
  await server.toNextDay();
  await server.push({ BTC: 95_000 });
  bettor = await server.createBettor({ balance: 100_000 });
});
after(async () => {
  for (const follower of followers) follower.kill('SIGKILL');
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

function follow(): ChildProcess {
  const args = [CLI_MAIN, 'backup', copy.root, data.root, '--follow', '--every', '1', '--json'];
  const follower = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  followers.add(follower);
  return follower;
}

async function ended(follower: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  follower.kill(signal);
  if (follower.exitCode === null && follower.signalCode === null) await once(follower, 'close');
  followers.delete(follower);
  return follower.exitCode;
}

async function bet(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const order = { marketId: 'BTC_ONE_DAY', prediction: 'UP', amount: 1 };
    const placed = await bettor.api.post<{ bet: { id: string } }>('/orders', order);
    assert.equal(placed.status, 201, placed.text);
    acknowledged.push(placed.data.bet.id);
  }
}

/** Looks often: a pass is short. */
const untilSo = (isSo: () => boolean): Promise<boolean> => askUntil(isSo, Boolean, 1);

/** The bets that a server on a copy of the copy knows; every part of it is good. */
async function betsOnCopy(name: string): Promise<string[]> {
  const dataDir = join(folder, name);
  cpSync(copy.root, dataDir, { recursive: true });
  const started = await Server.start({ dataDir });
  try {
    const known = await started.api(bettor.secret).get<{ id: string }[]>('/positions?status=all&limit=200');
    return known.data.map(({ id }) => id).reverse();
  } finally {
    await started.stop();
    const { faults } = await toteJson<VerifyReport>(['verify', dataDir]);
    assert.deepEqual(faults, []);
    rmSync(dataDir, { recursive: true });
  }
}

test('the follower killed within a pass leaves a copy that restores, and goes on with it', async () => {
  await bet(10);
  let complete = 0;
  for (let kill = 1; kill <= KILLS; kill++) {
    const follower = follow();
    await untilSo(() => acknowledgedSeq(copy.markFile) >= acknowledgedSeq(data.markFile));
    complete = acknowledged.length;
    const load = bet(15);
    await untilSo(() => !existsSync(copy.inUseFile));
    await untilSo(() => existsSync(copy.inUseFile));
    await ended(follower, 'SIGKILL');
    await load;
    const bets = await betsOnCopy(`killed-${kill}`);
    assert.deepEqual(bets, acknowledged.slice(0, bets.length));
    assert.ok(bets.length >= complete, 'everything from before the pass is there');
  }
});

test('the server killed: what was acknowledged a moment before is in the copy', async () => {
  const follower = follow();
  const lines: string[] = [];
  follower.stdout?.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  await bet(20);
  await untilSo(() => acknowledgedSeq(copy.markFile) >= acknowledgedSeq(data.markFile));
  await server.kill();
  // It goes on beside a directory without a server.
  await untilSo(() => existsSync(copy.inUseFile));
  assert.equal(await ended(follower, 'SIGTERM'), 0);
  assert.deepEqual(await betsOnCopy('server-killed'), acknowledged);
  const [first = '{}'] = lines.join('').split('\n');
  const { to, seq, lagMsMax, commandsBehind, failure } = JSON.parse(first) as Record<string, unknown>;
  assert.equal(to, copy.root);
  assert.equal(failure, null);
  assert.ok(Number(seq) > 0 && Number(lagMsMax) >= 1_000 && Number(commandsBehind) >= 0, first);
});
