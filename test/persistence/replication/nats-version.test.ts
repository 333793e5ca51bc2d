/** NATS servers that may not hold a replicated log. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseOutdated } from '../../../persistence/replication/nats/nats-log.js';

test('a NATS server before 2.15.1 is refused with the version that is needed', () => {
  for (const version of ['2.9.10', '2.15.0', '2.10.27', '1.99.99', ''])
    assert.throws(() => refuseOutdated(version), {
      code: 'replication_outdated',
      message: /2\.15\.1 or later/,
    });
  for (const version of ['2.15.1', '2.15.2', '2.16.0', '3.0.0', '2.15.1-RC.1']) refuseOutdated(version);
});
