/** A short run of the power-loss images, and the proof that a server without one of its syncs would not pass. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAvailable } from '../support/programs.js';
import { LOSSES } from './disk.js';
import { powerLoss } from './power-loss.js';

const hasStrace = isAvailable('strace');
const options = { skip: hasStrace ? false : 'strace is not installed' };

test(
  'whatever a power loss leaves of unsynced writes, no acknowledged order is lost',
  options,
  async (context) => {
    const report = await powerLoss({ seed: 1, orders: 600, images: 400, startsOneIn: 80 });
    for (const loss of LOSSES) assert.ok((report.images.get(loss) ?? 0) >= 80, loss);
    assert.ok(report.aheadOfMark > 0, 'images between a commit and its acknowledgement are among them');
    assert.ok(report.started > 0, 'the real program is started on some');
    assert.ok(report.snapshots > 0, 'snapshots are written meanwhile');
    context.diagnostic(`${report.operations} operations, ${report.aheadOfMark} images ahead of the mark`);
  },
);

test('a server that did not sync its journal would be caught', options, async () => {
  const skipsSync = (path: string): boolean => path.endsWith('-wal');
  await assert.rejects(powerLoss({ seed: 1, orders: 300, images: 400, skipsSync }), /recovery fails/);
});
