/** The layout of the house: every folder with its one job (docs/architecture.md), and which way imports may go. */
import { deepEqual, ok } from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { assertRows, rowsBelow } from '../support/document.js';
import { importsOf, PRODUCT, sourcesIn, targetOf } from './sources.js';

/** Groups of files that import each other. The bench's are programs with the workers that they start. */
const LISTED = [...PRODUCT, 'bench'];
const DOCUMENT = 'docs/architecture.md';
const HEAD = '| Folder | Job |\n|---|---|\n';

const jobs = new Map(
  [...rowsBelow(DOCUMENT, HEAD).matchAll(/^\| `([\w/-]+)\/` \| ([^|]+) \|$/gm)].map(
    ([, folder = '', job = '']) => [folder, job],
  ),
);

const sources = LISTED.flatMap(sourcesIn);
const folders = [...new Set(sources.map((file) => posix.dirname(file)))].sort();

const targetsOf = (file: string): string[] =>
  importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(file), name));

function importedBy(folder: string): string[] {
  const targets = sources
    .filter((file) => posix.dirname(file) === folder)
    .flatMap(targetsOf)
    .map((target) => posix.dirname(target));
  return [...new Set(targets)].filter((target) => target !== folder && target !== '.').sort();
}

const imported = new Map(folders.map((folder) => [folder, importedBy(folder)]));

test('the table of folders in docs/architecture.md is that of the sources, and each has a job', () => {
  ok(sources.length > 150, 'the sources are where this test looks for them');
  const rows = folders.map((folder) => `| \`${folder}/\` | ${jobs.get(folder) ?? '(its job)'} |\n`);
  assertRows(DOCUMENT, HEAD, rows, 'house');
  const left = folders.filter((folder) => jobs.get(folder) === '(its job)');
  deepEqual(left, []);
});

test('imports go one way between the top folders', () => {
  const mayReach: Readonly<Record<string, readonly string[]>> = {
    engine: [],
    crypto: ['engine'],
    process: ['engine'],
    feeds: ['config', 'engine', 'process'],
    config: ['crypto', 'engine', 'feeds', 'process'],
    http: ['config', 'crypto', 'engine', 'feeds', 'process'],
    start: ['config', 'crypto', 'engine', 'feeds', 'http', 'persistence', 'process'],
    // The client's verifier of proofs is the only one.
    persistence: ['client/proofs', 'client/base', 'config', 'crypto', 'engine', 'process'],
    client: [],
  };
  const wrong = Object.entries(mayReach).flatMap(([top, allowed]) =>
    sourcesIn(top).flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith('.') || top === 'engine')
        .filter(
          (name) => ![top, ...allowed].some((room) => `${targetOf(file, name)}/`.startsWith(`${room}/`)),
        )
        .map((name) => `${file} imports ${name}`),
    ),
  );
  deepEqual(wrong, []);
});

function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reachedFrom = new Map(
    [...graph.keys()].map((start) => {
      const reached = new Set<string>();
      const open = [...(graph.get(start) ?? [])];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (reached.has(next)) continue;
        reached.add(next);
        open.push(...(graph.get(next) ?? []));
      }
      return [start, reached] as const;
    }),
  );
  const circles = [...graph.keys()]
    .filter((node) => reachedFrom.get(node)?.has(node))
    .map((node) => {
      const peers = [...(reachedFrom.get(node) ?? [])].filter((peer) => reachedFrom.get(peer)?.has(node));
      return peers.sort().join(' ');
    });
  return [...new Set(circles)].map((circle) => circle.split(' '));
}

test('no folder imports another that imports it in turn', () => {
  deepEqual(circlesIn(imported), []);
});

test('no file imports another that imports it in turn', () => {
  const isSource = new Set(sources);
  const graph = new Map(
    sources.map((file) => [
      file,
      targetsOf(file)
        .map((target) => target.replace(/\.js$/, '.ts'))
        .map((target) => (isSource.has(target) ? target : `${target}x`))
        .filter((target) => isSource.has(target)),
    ]),
  );
  deepEqual(circlesIn(graph), []);
});
