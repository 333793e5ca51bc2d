/** Merkle trees: the test vectors of RFC 6962's reference implementation, and its definition. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { must } from '../../../engine/base/assert.js';
import { TreeHasher, TreeStack, WholeTree } from '../../../engine/proofs/merkle.js';

const sha256 = (...data: Uint8Array[]): Buffer =>
  data.reduce((sum, part) => sum.update(part), createHash('sha256')).digest();
const hasher = new TreeHasher((data, into, at) => into.set(sha256(Buffer.from(data)), at));
const hex = (hash: Uint8Array | null): string | null =>
  hash === null ? null : Buffer.from(hash).toString('hex');

/** RFC 6962, section 2.1, word for word: MTH of a list of leaves. */
function definedRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [first] = leaves;
  if (first === undefined) return sha256();
  if (leaves.length === 1) return sha256(Buffer.of(0), first);
  let cut = 1;
  while (2 * cut < leaves.length) cut *= 2;
  return sha256(Buffer.of(1), definedRoot(leaves.slice(0, cut)), definedRoot(leaves.slice(cut)));
}

/** RFC 6962, section 2.1.1: PATH(m, D[n]). */
function definedPath(at: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length <= 1) return [];
  let cut = 1;
  while (2 * cut < leaves.length) cut *= 2;
  return at < cut
    ? [...definedPath(at, leaves.slice(0, cut)), definedRoot(leaves.slice(cut))]
    : [...definedPath(at - cut, leaves.slice(cut)), definedRoot(leaves.slice(0, cut))];
}

const addTo = (stack: TreeStack, data: Uint8Array): void => stack.add(Buffer.concat([Buffer.of(0), data]));

const dataOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, n) => sha256(Buffer.from(`bet ${n}`)));

function treeOf(data: readonly Uint8Array[]): WholeTree {
  const tree = new WholeTree(data.length, hasher);
  for (const one of data) tree.add(one);
  return tree;
}

/** The leaves of the reference implementation of RFC 6962 (certificate-transparency), and their root. */
const LEAVES = ',00,10,2021,3031,40414243,5051525354555657,606162636465666768696a6b6c6d6e6f'.split(',');
const ROOT = '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328';

test("the root of RFC 6962's reference implementation", () => {
  const stack = new TreeStack(hasher);
  equal(hex(stack.root()), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  for (const data of LEAVES) addTo(stack, Buffer.from(data, 'hex'));
  equal(hex(stack.root()), ROOT);
});

test('the root that grows with each leaf is the one that the RFC defines, for every size up to 130', () => {
  const data = dataOf(130);
  const stack = new TreeStack(hasher);
  const roots: Uint8Array[] = [];
  for (let size = 0; size <= data.length; size++) {
    roots.push(stack.root());
    equal(stack.size, size);
    if (size < data.length) addTo(stack, must(data[size], 'a leaf'));
  }
  for (const [size, root] of roots.entries())
    equal(hex(root), hex(definedRoot(data.slice(0, size))), `${size} leaves`);
});

test("a whole tree's root, and each leaf's path, are those that the RFC defines", () => {
  equal(hex(treeOf([]).root()), hex(definedRoot([])));
  for (const size of [...Array.from({ length: 34 }, (_, n) => n + 1), 63, 64, 65, 100]) {
    const data = dataOf(size);
    const tree = treeOf(data);
    equal(hex(tree.root()), hex(definedRoot(data)));
    for (const leaf of data.keys())
      deepEqual(tree.path(leaf).map(hex), definedPath(leaf, data).map(hex), `leaf ${leaf} of ${size}`);
    for (const outside of [-1, size]) throws(() => tree.path(outside), /whole tree/);
  }
  throws(() => new WholeTree(1, hasher).path(0), /whole tree/, 'its leaf is missing');
});
