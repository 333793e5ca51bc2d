/** Connections never take the descriptors that the process itself needs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientAddresses } from '../../../http/uws/client-address.js';
import {
  CONNECTION_CELLS,
  CONNECTION_CELLS_BYTES,
  CONNECTIONS_MAX,
  connectionLimits,
  descriptorsIn,
  descriptorsMax,
  limitsNote,
  OpenConnections,
  tooFewDescriptors,
} from '../../../http/uws/connection-limits.js';
import type { UwsResponse } from '../../../http/uws/library.js';

test('with few descriptors, some are always kept for the process', () => {
  for (const descriptors of [64, 160, 512, 1_024, 4_096, 10_000, 10_400]) {
    const { publicMax, operatorMax } = connectionLimits(descriptors);
    assert.ok(publicMax > 0 && operatorMax > 0, `${descriptors}: someone can connect`);
    assert.ok(descriptors - publicMax - operatorMax >= Math.min(256, descriptors / 2), String(descriptors));
  }
});

test('a warning says that connections are fewer, and how many files are enough', () => {
  for (const descriptors of [64, 1_024, 10_511]) {
    const { publicMax, operatorMax } = connectionLimits(descriptors);
    const note = limitsNote(descriptors) ?? '';
    for (const told of [descriptors, publicMax, operatorMax, 10_512])
      assert.match(note, new RegExp(`\\b${told}\\b`));
  }
  for (const descriptors of [10_512, 1_048_576, Infinity]) {
    assert.equal(limitsNote(descriptors), null);
    assert.deepEqual(connectionLimits(descriptors), { publicMax: CONNECTIONS_MAX, operatorMax: 256 });
  }
});

test("the limit is read from the kernel's text", () => {
  const line = (soft: string): string =>
    `Limit   Soft Limit  Hard Limit  Units\nMax open files            ${soft}   20000   files     \n`;
  assert.deepEqual([descriptorsIn(line('1024')), descriptorsIn(line('unlimited'))], [1_024, Infinity]);
  assert.ok(descriptorsMax() > 0);
});

test('a start needs more descriptors with more gateways', () => {
  assert.deepEqual([tooFewDescriptors(Infinity, 64), tooFewDescriptors(240, 2)], [null, null]);
  const problem = tooFewDescriptors(239, 2) ?? '';
  for (const told of ['TOTE_GATEWAYS=2', '240', '239', 'ulimit -n']) assert.ok(problem.includes(told), told);
});

test('the last quarter of the connections is kept from strangers, and half of it for this machine alone', () => {
  const at = (...bytes: number[]): UwsResponse =>
    ({ getRemoteAddress: () => new Uint8Array(bytes).buffer }) as unknown as UwsResponse;
  const from = (last: number): UwsResponse => at(10, 0, 0, last);
  const shared = new Int32Array(new SharedArrayBuffer(CONNECTION_CELLS_BYTES));
  const common = { connectionsMax: 8, perAddressMax: Infinity, addresses: new ClientAddresses([]) };
  const open = (isKnown: ((address: string) => boolean) | null): OpenConnections =>
    new OpenConnections({ ...common, isKnown, monotonicMs: () => 0, shared: shared.fill(0) });
  const kept = open((address) => address === '10.0.0.1');
  const strangers = [1, 2, 3, 4, 5, 6, 7].map(() => kept.opened(from(2)));
  assert.deepEqual(strangers, [true, true, true, true, true, true, false]);
  assert.equal(shared[CONNECTION_CELLS.max], 6, 'the alarm is of those');
  kept.closed();
  assert.deepEqual([kept.opened(from(1)), kept.opened(from(1))], [true, false]);
  kept.closed();
  const own = at(127, 0, 0, 1);
  assert.deepEqual([kept.opened(own), kept.opened(own)], [true, false], 'it needs no token for that');
  const onPublicPort = open(null);
  for (let n = 0; n < 8; n++) assert.ok(onPublicPort.opened(from(2)), 'nothing is kept');
});
