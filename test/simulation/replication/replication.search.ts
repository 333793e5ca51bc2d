import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byEffort } from '../../support/effort.js';
import { runWorld } from './world.js';

const WORLDS = byEffort({ test: 12, prove: 24, night: 3_000 });

test(`in ${WORLDS} worlds nothing acknowledged is lost, and no two lead at once`, async (t) => {
  const sum = { acknowledged: 0, takeovers: 0 };
  for (let seed = 1; seed <= WORLDS; seed++) {
    const { acknowledged, takeovers } = await runWorld({ seed }).catch((error: Error) => {
      throw new Error(`world ${seed}: ${error.message}`, { cause: error });
    });
    sum.acknowledged += acknowledged;
    sum.takeovers += takeovers;
  }
  t.diagnostic(`${sum.acknowledged} batches acknowledged, ${sum.takeovers} takeovers`);
  assert.ok(sum.takeovers > 2 * WORLDS, 'leaders follow one another');
});

test('a seed is a world: the same messages each time', async () => {
  const one = await runWorld({ seed: 5 });
  assert.deepEqual(await runWorld({ seed: 5 }), one);
  assert.notDeepEqual(await runWorld({ seed: 6 }), one);
});
