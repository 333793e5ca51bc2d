/** A short run of the power-loss images, and the proof that a server without one of its syncs would not pass. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byEffort } from '../support/effort.js';
import { isAvailable } from '../support/programs.js';
import { LOSSES } from './disk.js';
import { withRecording } from './power-loss.js';

const IMAGES = byEffort({ test: 50, prove: 200, night: 1_000 });
const skip = isAvailable('strace') ? false : 'strace is not installed';

test('power losses of servers that were recorded', { skip }, async (t) => {
  await withRecording({ orders: 180 }, async (losePower) => {
    await t.test('whatever is left of unsynced writes, no acknowledged order is lost', async (context) => {
      const report = await losePower({ seed: 1, images: IMAGES, startsOneIn: 50 });
      for (const loss of LOSSES) assert.ok((report.images.get(loss) ?? 0) >= IMAGES / 5, loss);
      assert.ok(report.aheadOfMark > 0, 'images between a commit and its acknowledgement are among them');
      assert.ok(report.started > 0, 'the real program is started on some');
      assert.ok(report.snapshots > 0, 'snapshots are written meanwhile');
      context.diagnostic(`${report.operations} operations, ${report.aheadOfMark} images ahead of the mark`);
    });

    await t.test('a server that did not sync its journal would be caught', async () => {
      const skipsSync = (path: string): boolean => path.endsWith('-wal');
      await assert.rejects(losePower({ seed: 1, images: 400, skipsSync }), /recovery fails/);
    });
  });
});
