/** A file's suffix says which command runs it; its last time says when, and which files share its process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { intoProcesses, select } from './selection.js';

const PATHS = ['http/b.test.js', 'http/a.test.js', 'engine/c.search.js', 'torture/d.prove.js', 'run.js'];

test('each command runs the files with its suffixes, and parts narrow it', () => {
  const all = { parts: [] };
  assert.deepEqual(select(PATHS, { ...all, isProve: false }), [
    'engine/c.search.js',
    'http/a.test.js',
    'http/b.test.js',
  ]);
  assert.deepEqual(select(PATHS, { ...all, isProve: true }), ['engine/c.search.js', 'torture/d.prove.js']);
  assert.deepEqual(select(PATHS, { parts: ['http/', 'torture/'], isProve: false }), [
    'http/a.test.js',
    'http/b.test.js',
  ]);
});

test('neighbours share a process until it takes long, and the longest process starts first', () => {
  const times = { a: 3, b: 4, c: 60, d: 1, e: 15 };
  assert.deepEqual(intoProcesses(Object.keys(times), times, true), [['c'], ['d', 'e'], ['a', 'b']]);
  assert.deepEqual(intoProcesses(Object.keys(times), times, false), [['c'], ['e'], ['b'], ['a'], ['d']]);
});

test('files that have never run share processes, too, and every file runs once', () => {
  const paths = Array.from({ length: 30 }, (_, at) => `${at}`);
  const processes = intoProcesses(paths, {}, true);
  assert.deepEqual(processes.flat().sort(), paths.toSorted());
  assert.ok(processes.length > 2 && processes.length < 10, `${processes.length}`);
  const waiting = intoProcesses(['http/a', 'replication/b'], {}, true);
  assert.deepEqual(waiting, [['replication/b'], ['http/a']], 'those that wait start first');
});
