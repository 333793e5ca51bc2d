/** A role's refusals are logged, with the operator's name, and bounded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DENIALS_MAX, Denials } from '../../../http/operator/access/callers.js';
import { TestClock } from '../../support/host/host.js';

const ANN = { name: 'ann', role: 'read' } as const;

test('denials are reported at once, and then at most once a minute, equal ones together', () => {
  const clock = new TestClock();
  const denials = new Denials(clock);
  assert.equal(denials.take(), null);
  denials.note(ANN, 'PUT /trading');
  const first = { operator: 'ann', role: 'read', route: 'PUT /trading' };
  assert.deepEqual(denials.take(), { denials: [{ ...first, times: 1 }], others: 0 });
  for (let n = 0; n < 1_000; n++) denials.note(ANN, 'PUT /trading');
  for (let n = 0; n < DENIALS_MAX + 4; n++) denials.note(ANN, `POST /route-${n}`);
  clock.pass(59_999);
  assert.equal(denials.take(), null);
  clock.pass(1);
  const report = denials.take();
  assert.deepEqual(report?.denials[0], { ...first, times: 1_000 });
  assert.deepEqual([report?.denials.length, report?.others], [DENIALS_MAX, 5]);
  clock.pass(60_000);
  assert.equal(denials.take(), null, 'nothing new');
});
