/** Two machines at a modelled log: what holds in any world, and the planted bugs that are found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inSuiteOrAtNight } from '../../support/long-run.js';
import { Violation } from '../violation.js';
import { MUTATIONS } from './mutations.js';
import { runWorld } from './world.js';

const WORLDS = inSuiteOrAtNight(12, 3_000);
/** In so many worlds each planted bug must have shown. */
const WORLDS_MAX = 40;

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

for (const mutation of MUTATIONS) {
  test(`${mutation.name}: it is found that ${mutation.bug}`, async (t) => {
    for (let seed = 1; seed <= WORLDS_MAX; seed++) {
      try {
        await runWorld({ seed, mutation });
      } catch (error) {
        t.diagnostic(`world ${seed}: ${String(error)}`);
        // An assertion of the product ends a process, and shows the bug as well.
        const isFound = error instanceof Violation || (error as Error).name === 'AssertionError';
        assert.ok(isFound, String(error));
        return;
      }
    }
    assert.fail(`not found in ${WORLDS_MAX} worlds`);
  });
}
