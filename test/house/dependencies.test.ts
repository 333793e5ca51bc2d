/** docs/dependencies.md lists every package that the server is built and run with, its licence, and why it is there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../engine/base/assert.js';
import { readDocument } from '../support/document.js';

interface Locked {
  readonly license?: string;
  readonly dev?: true;
  readonly optional?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
}
const lock = JSON.parse(readDocument('package-lock.json')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const document = readDocument('docs/dependencies.md');

/** Such packages need nobody's leave. */
const FREE = [
  ...['MIT', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Unlicense', 'BlueOak-1.0.0'],
  ...['CC0-1.0'],
];

const direct = Object.keys(must(lock.packages[''], 'the project').dependencies ?? {});
const nameOf = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
/** Optional packages, such as binaries for Windows, come and go with the platform. */
const production = Object.entries(lock.packages).filter(
  ([path, { dev, optional }]) => path !== '' && dev !== true && optional !== true,
);

const rows = new Map(
  [...document.matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, name = '', licence = '', when = '', why = '']): [string, readonly [string, string, string]] => [
      name,
      [licence, when, why],
    ],
  ),
);

test('every package that is named in package.json is listed with its licence and a reason, and no other', () => {
  assert.deepEqual([...rows.keys()].sort(), [...direct].sort());
  for (const name of direct) {
    const [licence, when, why] = must(rows.get(name), name);
    assert.equal(licence, must(lock.packages[`node_modules/${name}`], name).license, name);
    assert.match(when, /^(runs|builds)$/, name);
    assert.ok(why.length > 10, name);
  }
});

test('every package that those bring in is listed under its licence', () => {
  const brought = new Map<string, Set<string>>();
  for (const [path, { license = 'none' }] of production) {
    if (direct.includes(nameOf(path))) continue;
    const names = brought.get(license) ?? new Set();
    brought.set(license, names.add(nameOf(path)));
  }
  const expected = [...brought]
    .map(([licence, names]) => `- ${licence}: ${[...names].sort().join(', ')}`)
    .sort();
  const listed = document.split('\n').filter((line) => /^- [A-Z0-9(][^:]*: [@a-z]/.test(line));
  assert.deepEqual(listed.sort(), expected);
});

test('every licence is one that asks for nothing but its notice', () => {
  for (const [path, { license = 'none' }] of production) {
    const choices = license.replace(/[()]/g, '').split(' OR ');
    const isFree = choices.some((choice) => FREE.includes(choice));
    assert.ok(isFree, `${path}: ${license}`);
  }
});
