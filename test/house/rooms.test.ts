/**
 * The layout of the house. docs/architecture.md lists every folder with its one job and the folders that its sources
 * import; this test compares the list with the sources, so that neither can drift from the other.
 */
import { deepEqual, ok } from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { importsOf, sourcesIn, targetOf, textOf } from './sources.js';

const PRODUCT = ['engine', 'http', 'persistence', 'client'];
const LISTED = [...PRODUCT, 'bench'];
const FILES_MAX = 15;
const LINES_MAX = 250;
/** Whatever was generated is as long as it is. */
const GENERATED = /^client\/generated\//;

interface Room {
  readonly job: string;
  /** Folders that it may import, besides packages and itself. */
  readonly imports: readonly string[];
}

const ROW = /^\| `([\w/-]+)\/` \| ([^|]+) \| ([^|]*) \|$/;

/** The rows of the table, by folder. */
function listedRooms(): Map<string, Room> {
  const rooms = new Map<string, Room>();
  for (const line of textOf('docs/architecture.md').split('\n')) {
    const [, folder, job, imports] = ROW.exec(line) ?? [];
    if (folder === undefined || job === undefined || imports === undefined) continue;
    rooms.set(folder, { job, imports: [...imports.matchAll(/`([\w/-]+)`/g)].map((match) => match[1] ?? '') });
  }
  return rooms;
}

const sources = LISTED.flatMap(sourcesIn);
const folders = [...new Set(sources.map((file) => posix.dirname(file)))].sort();
const rooms = listedRooms();

/** Folders that a folder's sources really import. */
function importedBy(folder: string): string[] {
  const targets = sources
    .filter((file) => posix.dirname(file) === folder)
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith('.'))
        .map((name) => targetOf(file, name)),
    );
  return [...new Set(targets)].filter((target) => target !== folder && target !== '.').sort();
}

test('every folder is listed with its job, and no others', () => {
  ok(sources.length > 150, 'the sources are where this test looks for them');
  deepEqual([...rooms.keys()].sort(), folders);
});

test('every folder imports just what its row says', () => {
  const real = Object.fromEntries(folders.map((folder) => [folder, importedBy(folder)]));
  const listed = Object.fromEntries(
    folders.map((folder) => [folder, [...(rooms.get(folder)?.imports ?? [])].sort()]),
  );
  deepEqual(listed, real);
});

test('engine and client import only themselves, and http and persistence never each other', () => {
  const mayReach: Readonly<Record<string, readonly string[]>> = {
    engine: ['engine'],
    http: ['http', 'engine'],
    persistence: ['persistence', 'engine'],
    client: ['client'],
  };
  const wrong = Object.entries(mayReach).flatMap(([top, allowed]) =>
    sourcesIn(top).flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith('.') || top === 'engine')
        .filter((name) => !allowed.includes(targetOf(file, name).split('/')[0] ?? ''))
        .map((name) => `${file} imports ${name}`),
    ),
  );
  deepEqual(wrong, []);
});

test('no folder imports another that imports it in turn', () => {
  const circles: string[] = [];
  const visit = (folder: string, path: readonly string[]): void => {
    if (path.includes(folder)) circles.push([...path.slice(path.indexOf(folder)), folder].join(' -> '));
    else if (!done.has(folder))
      for (const next of rooms.get(folder)?.imports ?? []) visit(next, [...path, folder]);
    done.add(folder);
  };
  const done = new Set<string>();
  for (const folder of folders) visit(folder, []);
  deepEqual(circles, []);
});

test(`a folder of sources has at most ${FILES_MAX} files beside its sub-folders`, () => {
  // Not docs/: its pages stand beside one another, because readers and other documents have their addresses.
  const files = [...LISTED, 'test'].flatMap(sourcesIn).map((file) => posix.dirname(file));
  const crowded = [...new Set(files)]
    .map((folder) => ({ folder, files: files.filter((other) => other === folder).length }))
    .filter(({ files }) => files > FILES_MAX);
  deepEqual(crowded, []);
});

test(`a file of the product has at most ${LINES_MAX} lines`, () => {
  const long = ['main.ts', 'keeping.ts', ...PRODUCT.flatMap(sourcesIn)]
    .filter((file) => !GENERATED.test(file))
    .map((file) => ({ file, lines: textOf(file).split('\n').length - 1 }))
    .filter(({ lines }) => lines > LINES_MAX);
  deepEqual(long, []);
});
