/** A `TestHost` that takes orders. */
import assert from 'node:assert/strict';
import { codeOf, type HostOptions, NOON_MS, TestClock, TestHost, tickAt } from './host.js';

export function liveHost(options: HostOptions = {}): TestHost {
  const host = new TestHost(new TestClock(), options);
  host.lifecycle.start();
  assert.equal(host.tracker.offer(tickAt(NOON_MS, 95_000), NOON_MS).taken, true);
  host.lifecycle.pump();
  host.settle();
  assert.equal(codeOf(host.order()), 'accepted');
  host.settle();
  return host;
}
