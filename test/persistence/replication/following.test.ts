/** A follower's batches on their way to the disk. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Engine } from '../../../engine/engine.js';
import { encodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { sealBatch } from '../../../persistence/journal/segment/batch-row.js';
import { Following } from '../../../persistence/replication/following.js';
import { BEGINNING } from './support.js';

/** So many batches of a leader, of one command each. */
function rowsOf(count: number): StoredBatch[] {
  const engine = new Engine();
  const rows: StoredBatch[] = [];
  for (let timeMs = 1; timeMs <= count; timeMs++) {
    const command: Command = {
      kind: 'depositHouse',
      timeMs,
      amountCents: 1,
      reference: `deposit-${timeMs}`,
    };
    assert.equal(engine.apply(command).status, 'accepted');
    const [digest, seq] = [engine.rollingDigest(), engine.seq];
    const commands = `[${encodeCommand(command)}]`;
    rows.push(sealBatch(rows.at(-1) ?? BEGINNING, { firstSeq: seq, lastSeq: seq, timeMs, commands, digest }));
  }
  return rows;
}

test('batches go to the disk at once, and are taken in order when it has them, however many it tells at once', () => {
  const rows = rowsOf(5);
  const given: number[] = [];
  const taken: number[] = [];
  const engine = new Engine();
  const disk = { commit: ({ lastSeq }: { lastSeq: number }) => given.push(lastSeq) };
  const following = new Following(engine, disk, ({ lastSeq }) => taken.push(lastSeq));
  let isIdle = false;
  for (const row of rows.slice(0, 4)) following.take(row);
  assert.deepEqual(given, [1, 2, 3, 4], 'no batch waits for another one');
  assert.equal(engine.seq, 4);
  assert.deepEqual(taken, []);
  following.onDurable(1);
  assert.deepEqual(taken, [1]);
  following.whenIdle(() => {
    isIdle = true;
  });
  following.onDurable(3);
  assert.deepEqual(taken, [1, 2, 3]);
  assert.equal(isIdle, false, 'a batch is not on the disk');
  following.onDurable(4);
  assert.deepEqual(taken, [1, 2, 3, 4]);
  assert.equal(isIdle, true);
});

test('a follower with nothing under way is idle at once', () => {
  const following = new Following(new Engine(), { commit: () => undefined }, () => undefined);
  let isIdle = false;
  following.whenIdle(() => {
    isIdle = true;
  });
  assert.equal(isIdle, true);
});
