/**
 * Days of history under retention: every command can show every moment within it, and refuses older ones with a
 * reason.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import type { Command } from '../../../engine/model/commands.js';
import { findSegments, firstSeqOf } from '../../../persistence/journal/segment/names.js';
import { SnapshotFiles } from '../../../persistence/snapshot/files.js';
import { DAY_MS, HOUR_MS, SNAPSHOTS_KEPT } from '../../../persistence/upkeep/retention/choice.js';
import { tote, toteJson, toteLines, toteText } from '../../support/processes/cli.js';
import { randomCommands } from '../../support/reference/random/stream.js';
import { temporaryDir } from '../support/journal-files.js';
import { catchUp, HotSide, openShadow } from '../support/shadow-files.js';

const RETENTION_MS = 2 * DAY_MS;
const DAYS = 4;
const SEGMENT_BYTES_MAX = 20_000;
const ACCOUNT = 1;

function days(masterSecretFingerprint: string): Command[] {
  // The roots in it are made up, and nobody has signed them.
  const unsigned = randomCommands(31, 300).filter(({ kind }) => kind !== 'publishRoot');
  const commands = unsigned.map((command) =>
    command.kind === 'configure'
      ? { ...command, rules: { ...command.rules, masterSecretFingerprint } }
      : command,
  );
  const fromMs = must(commands.at(-1), 'command').timeMs;
  for (let half = 1; half <= DAYS * 48; half += 1) {
    const timeMs = fromMs + (half * HOUR_MS) / 2;
    commands.push({
      kind: 'deposit',
      timeMs,
      account: ACCOUNT,
      amountCents: half,
      reference: `half-${half}`,
    });
  }
  return commands;
}

test('every command can show every moment of the retention', async (t) => {
  const root = temporaryDir(t);
  let commands: readonly Command[] = [];
  const source = (fingerprint: string): readonly Command[] => {
    commands = days(fingerprint);
    return commands;
  };
  const hot = new HotSide(join(root, 'data'), source, SEGMENT_BYTES_MAX);
  const quietFrom = commands.length - DAYS * 48;
  const shadow = openShadow(hot.dir, {
    snapshotCommands: 1,
    snapshotsKept: SNAPSHOTS_KEPT,
    segmentsKeptMs: RETENTION_MS,
  });
  hot.write(quietFrom, 5);
  const balances: number[] = [];
  while (hot.left > 0) {
    hot.write(1, 1);
    balances.push(must(hot.engine.account(ACCOUNT), 'account').balanceCents);
    catchUp(shadow);
  }
  shadow.shadow.close();
  hot.close();
  const dir = hot.dir.root;
  assert.deepEqual(shadow.notes, []);
  const pruned = shadow.news.flatMap((told) => (told.kind === 'pruned' ? [told] : []));
  assert.ok(pruned.length > 1, 'segments have left the journal');
  assert.ok(pruned[0]?.firstSeq === 1 && pruned.every(({ bytes }) => bytes > 0), JSON.stringify(pruned));
  assert.equal(firstSeqOf(findSegments(hot.dir.journal)[0] ?? ''), (pruned.at(-1)?.lastSeq ?? 0) + 1);
  // Three of the last hour, 23 hourly ones, the first of each day and the floor.
  const { length } = new SnapshotFiles(hot.dir.snapshots).list();
  assert.ok(length >= 26 && length <= 30, `${length} snapshots`);

  const endMs = hot.engine.timeMs;
  const halves = Array.from({ length: balances.length }, (_, index) => index);
  const within = halves.filter((index) => commandAt(index).timeMs >= endMs - RETENTION_MS);
  function commandAt(index: number): Command {
    return must(commands[quietFrom + index], 'command');
  }
  const probes = [within[0], within[Math.floor(within.length / 2)], within.at(-1)];
  for (const probe of probes) {
    const index = must(probe, 'moment');
    // In the middle between two commands: as after the first of them.
    const atMs = `${commandAt(index).timeMs + 60_000}`;
    const account = await toteJson<{ balanceCents: number; addsUp: boolean }>([
      'account',
      'acc_1',
      dir,
      '--at',
      atMs,
    ]);
    assert.deepEqual([account.balanceCents, account.addsUp], [balances[index], true], atMs);
    const [shown] = await toteLines<{ seq: number; command: { amountCents: number } }>([
      'replay',
      dir,
      '--to',
      atMs,
      '--last',
      '1',
      '--explain',
    ]);
    assert.equal(shown?.seq, quietFrom + index + 1);
    const restored = join(root, `restored-${index}`);
    const { seq } = await toteJson<{ seq: number }>(['restore', dir, '--to', atMs, '--out', restored]);
    assert.equal(seq, quietFrom + index + 1);
    assert.equal(
      (await toteJson<{ balanceCents: number }>(['account', 'acc_1', restored])).balanceCents,
      balances[index],
    );
  }
  assert.match(await toteText(['verify', dir]), /^good +yes$/m);
  assert.match(await toteText(['verify', join(root, `restored-${probes[0]}`)]), /^good +yes$/m);

  const early = await tote(['account', 'acc_1', dir, '--at', `${commandAt(0).timeMs}`]);
  assert.equal(early.code, 1);
  assert.match(early.stderr, /cannot be worked out any more/);
});
