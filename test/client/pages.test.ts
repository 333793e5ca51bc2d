/** A list in pages is one sequence, and no page is asked for before it is needed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachOf, type Page } from '../../client/rest/pages.js';

const PAGES: Readonly<Record<string, Page<number>>> = {
  '': { data: [1, 2], nextCursor: 'b' },
  b: { data: [], nextCursor: 'c' },
  c: { data: [3], nextCursor: null },
};

test('every element comes once, an empty page is no end, and the last page is', async () => {
  const asked: string[] = [];
  const all: number[] = [];
  const list = eachOf(async ({ cursor = '' }) => {
    asked.push(cursor);
    return PAGES[cursor] ?? { data: [], nextCursor: null };
  });
  for await (const element of list) all.push(element);
  assert.deepEqual(all, [1, 2, 3]);
  assert.deepEqual(asked, ['', 'b', 'c']);
});

test('whoever stops early asks for no further page', async () => {
  let asked = 0;
  const list = eachOf(async () => {
    asked += 1;
    return { data: [asked], nextCursor: 'more' };
  });
  for await (const element of list) if (element === 2) break;
  assert.equal(asked, 2);
});
