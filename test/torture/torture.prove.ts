/** A short run of each torture with a fixed seed; `npm run torture` makes the long ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAvailable } from '../support/programs.js';
import { Rng } from '../support/reference/random/rng.js';
import { killCycles } from './cycles.js';
import { FAULTS } from './faults.js';
import { hostility } from './hostile.js';

/** With it servers end in both ways. */
const SEED = 4;

test('servers that are killed or stopped under load lose nothing and place nothing twice', async (context) => {
  const asked = { cycles: 4, ways: ['SIGKILL', 'SIGTERM'] } as const;
  const { ways, acknowledged, survived, lost } = await killCycles(asked, new Rng(SEED), () => {});
  assert.deepEqual([...ways.keys()].sort(), asked.ways, 'servers end only in the selected ways');
  assert.ok(acknowledged > 100, `${acknowledged} orders were acknowledged`);
  assert.ok(survived + lost > 0, 'orders were on their way when a server died');
  context.diagnostic(
    `${[...ways.keys()].join(', ')}: ${acknowledged} acknowledged, ${survived} + ${lost} others`,
  );
});

for (const { name, needs, run } of FAULTS) {
  const missing = needs.filter((program) => !isAvailable(program));
  const skip = missing.length === 0 ? false : `${missing.join(' and ')} cannot be used here`;
  test(`${name}: the server ends or continues, and loses nothing`, { skip }, async (context) => {
    context.diagnostic(await run(new Rng(11)));
  });
}

test('under attack every polite request is answered', async (context) => {
  let attacks = 0;
  await hostility({ seconds: 1, named: 'unknown keys' }, ({ attack, answered, deeds }) => {
    attacks += 1;
    assert.ok(answered > 100, `${answered} answers under ${attack.name}`);
    assert.ok(deeds.opened + Object.keys(deeds.failed).length > 0);
    context.diagnostic(`${attack.name}: ${answered} answers`);
  });
  assert.equal(attacks, 1);
});
