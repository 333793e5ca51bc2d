/** Following, pass by pass: what is tried again, what ends it, and what is kept in the copy. */
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findDataDir } from '../../../persistence/data-dir/layout.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { type FollowPass, follow } from '../../../persistence/upkeep/backup/follow.js';
import { verify } from '../../../persistence/upkeep/verify/verify.js';
import { tote } from '../../support/processes/cli.js';
import { temporaryDir } from '../support/journal-files.js';
import { makeOperatorDir } from '../support/operator-dir.js';

/** Runs one pass for each of `between`, which is called after it with the source's folder; a pass a second. */
async function passes(
  t: TestContext,
  between: readonly ((root: string) => void)[],
  keepMs: number | null = null,
) {
  const { dir, engine } = makeOperatorDir(join(temporaryDir(t), 'data'));
  const to = join(dir.root, '..', 'copy');
  const left = [...between];
  const seen: (FollowPass | string)[] = [];
  let nowMs = 1_000_000;
  const run = follow(dir, to, {
    pause: async () => {
      nowMs += 1_000;
      left.shift()?.(dir.root);
    },
    isOver: () => left.length === 0,
    nowMs: () => nowMs,
    keepMs,
    onPass: (pass) => seen.push(pass),
    onFailed: (reason) => seen.push(reason),
  });
  return { dir, engine, to, seen, run };
}

test('the first pass copies all, the next ones nothing; each tells its moment', async (t) => {
  const { engine, to, seen, run } = await passes(t, [() => undefined, () => undefined]);
  await run;
  const told = seen.map((pass) => typeof pass === 'object' && [pass.asOfMs, pass.seq, pass.commandsBehind]);
  assert.deepEqual(told, [
    [1_000_000, engine.seq, 0],
    [1_001_000, engine.seq, 0],
  ]);
  const written = seen.map((pass) => typeof pass === 'object' && pass.segmentsWritten.length);
  assert.deepEqual(written, [3, 0]);
  assert.deepEqual(verify(findDataDir(to)).faults, []);
});

test('a source that is away for a while is tried again', async (t) => {
  const away = (root: string): void => renameSync(join(root, 'journal'), join(root, 'elsewhere'));
  const back = (root: string): void => renameSync(join(root, 'elsewhere'), join(root, 'journal'));
  const { seen, run } = await passes(t, [away, back, () => undefined]);
  await run;
  assert.equal(seen.length, 3);
  assert.equal(typeof seen[0], 'object');
  assert.equal(typeof seen[1], 'string');
  assert.equal(typeof seen[2], 'object');
});

test('a copy of another journal ends it, and so does whatever fails in the first pass', async (t) => {
  const one = await passes(t, [() => undefined]);
  await one.run;
  const other = makeOperatorDir(join(temporaryDir(t), 'other'));
  writeFileSync(other.dir.masterSecretFile, Buffer.alloc(32, 9));
  const ran = await tote(['backup', one.to, other.dir.root, '--follow']);
  assert.equal(ran.code, 3);
  assert.match(ran.stderr, /another master secret/);
});

test('with an age to keep, old segments leave the copy and do not come back', async (t) => {
  const { dir, engine, to, seen, run } = await passes(
    t,
    [() => undefined, () => undefined, () => undefined],
    1,
  );
  await run;
  const [first, ...later] = seen;
  assert.ok(typeof first === 'object' && first.segmentsDeleted > 0, 'some are old enough');
  for (const pass of later) assert.ok(typeof pass === 'object' && pass.segmentsWritten.length === 0);
  assert.equal(
    findSegments(findDataDir(to).journal).length,
    findSegments(dir.journal).length - first.segmentsDeleted,
  );
  const report = verify(findDataDir(to));
  assert.deepEqual(report.faults, []);
  assert.equal(report.lastSeq, engine.seq);
});

test('--every and --keep go with --follow', async (t) => {
  const { dir } = makeOperatorDir(join(temporaryDir(t), 'data'));
  const ran = await tote(['backup', join(dir.root, '..', 'copy'), dir.root, '--every', '5']);
  assert.equal(ran.code, 2);
  assert.match(ran.stderr, /go with --follow/);
});
