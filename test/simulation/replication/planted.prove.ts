import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Violation } from '../violation.js';
import { MUTATIONS } from './mutations.js';
import { runWorld } from './world.js';

/** In so many worlds each planted bug must have shown. */
const WORLDS_MAX = 40;

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
