/** Connections never take the descriptors that the process itself needs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CONNECTIONS_MAX,
  connectionLimits,
  descriptorsIn,
  descriptorsMax,
  limitsNote,
  tooFewDescriptors,
} from '../../../http/uws/connection-limits.js';

test('with enough descriptors the limit is the usual one', () => {
  for (const descriptors of [20_000, 1_048_576, Infinity]) {
    assert.deepEqual(connectionLimits(descriptors), { publicMax: CONNECTIONS_MAX, operatorMax: 256 });
  }
});

test('with fewer, some are always kept for the process', () => {
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
  for (const descriptors of [10_512, 20_000, Infinity]) assert.equal(limitsNote(descriptors), null);
  assert.deepEqual(connectionLimits(10_512), { publicMax: CONNECTIONS_MAX, operatorMax: 256 });
});

test("the limit is read from the kernel's text", () => {
  const line = (soft: string): string =>
    `Limit   Soft Limit  Hard Limit  Units\nMax open files            ${soft}   20000   files     \n`;
  assert.equal(descriptorsIn(line('1024')), 1_024);
  assert.equal(descriptorsIn(line('unlimited')), Infinity);
  assert.ok(descriptorsMax() > 0);
});

test('a start needs more descriptors with more gateways', () => {
  assert.equal(tooFewDescriptors(Infinity, 64), null);
  assert.equal(tooFewDescriptors(240, 2), null);
  const problem = tooFewDescriptors(239, 2) ?? '';
  for (const told of ['TOTE_GATEWAYS: 2', '240', '239', 'ulimit -n']) assert.ok(problem.includes(told), told);
});
