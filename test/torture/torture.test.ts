/** A short run of each torture with a fixed seed; `npm run torture` makes the long ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAvailable } from '../support/programs.js';
import { Dice } from '../support/reference/dice.js';
import { killCycles } from './cycles.js';
import { FAULTS } from './faults.js';

test('servers that are killed under load lose nothing and place nothing twice', async (context) => {
  const { ways, acknowledged, survived, lost } = await killCycles(3, new Dice(2), () => {});
  assert.ok(acknowledged > 100, `${acknowledged} orders were acknowledged`);
  assert.ok(survived + lost > 0, 'orders were on their way when a server died');
  context.diagnostic(
    `${[...ways.keys()].join(', ')}: ${acknowledged} acknowledged, ${survived} + ${lost} others`,
  );
});

for (const { name, needs, run } of FAULTS) {
  const missing = needs.filter((program) => !isAvailable(program));
  const skip = missing.length === 0 ? false : `${missing.join(' and ')} cannot be used here`;
  test(`${name}: the server ends or goes on, and loses nothing`, { skip }, async (context) => {
    context.diagnostic(await run(new Dice(11)));
  });
}
