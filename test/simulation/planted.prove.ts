/** The simulator finds the bugs that are planted, or it proves nothing. */
import { ok } from 'node:assert/strict';
import { test } from 'node:test';
import { derivedSeed } from './chance.js';
import { MUTATIONS } from './mutations/mutations.js';
import { runWorld } from './runs/failure.js';
import { Violation } from './violation.js';
import { World } from './world.js';

const HOURS = 0.05;
const STEPS_TO_FIND_MAX = 1_500_000;

for (const mutation of MUTATIONS) {
  test(`a planted bug is found: ${mutation.bug}`, async () => {
    let steps = 0;
    for (let index = 0; steps < STEPS_TO_FIND_MAX; index++) {
      const options = { seed: derivedSeed(mutation.seed ?? 1, index), hours: HOURS, mutation };
      if (mutation.canShow?.(new World(options).config) === false) continue;
      const { world, error } = await runWorld(options);
      steps += world.steps;
      if (error === null) continue;
      ok(error instanceof Violation, `${error.stack}`);
      return;
    }
    ok(false, `not found in ${steps} steps`);
  });
}
