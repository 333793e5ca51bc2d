/** A role's refusals are logged, with the operator's name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Denials } from '../../../http/operator/access/callers.js';
import { TestClock } from '../../support/host/host.js';

const ANN = { name: 'ann', role: 'read' } as const;

test('denials are reported at once, and then at most once a minute, equal ones together', () => {
  const clock = new TestClock();
  const denials = new Denials(clock);
  assert.equal(denials.take(), null);
  denials.note(ANN, 'PUT /trading');
  const first = { operator: 'ann', role: 'read', route: 'PUT /trading' };
  assert.deepEqual(denials.take(), { denials: [{ ...first, times: 1 }] });
  for (let n = 0; n < 1_000; n++) denials.note(ANN, 'PUT /trading');
  denials.note(ANN, 'POST /clock');
  clock.pass(59_999);
  assert.equal(denials.take(), null);
  clock.pass(1);
  assert.deepEqual(denials.take()?.denials, [
    { ...first, times: 1_000 },
    { ...first, route: 'POST /clock', times: 1 },
  ]);
  clock.pass(60_000);
  assert.equal(denials.take(), null, 'nothing new');
});
