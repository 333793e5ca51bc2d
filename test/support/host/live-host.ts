/** A `TestHost` that takes orders. */
import assert from 'node:assert/strict';
import { codeOf, type HostOptions, NOON_MS, TestClock, TestHost } from './host.js';

export function liveHost(options: HostOptions = {}): TestHost {
  const host = new TestHost(new TestClock(), options);
  host.lifecycle.start();
  const taken = host.tracker.offer(
    { asset: 0, price: 95_000, timeMs: NOON_MS, source: 'test', origin: '' },
    NOON_MS,
  );
  assert.equal(taken.taken, true);
  host.lifecycle.pump();
  host.settle();
  assert.equal(codeOf(host.order()), 'accepted');
  host.settle();
  return host;
}
