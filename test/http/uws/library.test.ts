/**
 * The choice between the two packages of uWebSockets.js, in folders laid out like `node_modules`, with small packages
 * in place of the binaries, because one machine has one Node and one glibc.
 */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadUws, uwsVersion } from '../../../http/uws/library.js';
import { newFolder } from '../../support/new-folder.js';

const [major] = process.versions.node.split('.');
const BINARY = `@uwsjs/${process.platform}-${process.arch}-${major}`;
const NEWER = 'uws-glibc-2.38';
const OLDER = 'uws-glibc-2.28';

type Tree = Readonly<Record<string, string>>;

const wrapper = (folder: string, version: string): Tree => ({
  [`${folder}/package.json`]: JSON.stringify({
    name: '@uwsjs/core',
    version,
    main: 'uws.js',
    exports: './uws.js',
  }),
  [`${folder}/uws.js`]: `module.exports = require('${BINARY}');`,
});
const binary = (folder: string, version: string, code = `module.exports = '${version}';`): Tree => ({
  [`${folder}/package.json`]: JSON.stringify({ name: BINARY, version, main: 'index.js' }),
  [`${folder}/index.js`]: code,
});
const BOTH: Tree = { ...wrapper(NEWER, '20.69.0'), ...wrapper(OLDER, '20.51.4') };
const NESTED = `${NEWER}/node_modules/${BINARY}`;
const NO_GLIBC = 'throw new Error("libc.so.6: version `GLIBC_2.38\' not found\\nmore");';

function load(tree: Tree): ReturnType<typeof loadUws> {
  const folder = newFolder();
  for (const [path, text] of Object.entries(tree)) {
    const file = join(folder, 'node_modules', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return loadUws(pathToFileURL(join(folder, 'main.js')).href);
}

test('the newer package is used if it has its own binary and loads, else the older', () => {
  const uses = (tree: Tree, version: string): void =>
    assert.deepEqual(load({ ...BOTH, ...tree }), { library: version, version });
  const ofOlder = binary(BINARY, '20.51.4');
  uses({ ...ofOlder, ...binary(NESTED, '20.69.0') }, '20.69.0');
  uses(binary(BINARY, '20.69.0'), '20.69.0');
  uses(ofOlder, '20.51.4');
  uses({ ...ofOlder, ...binary(NESTED, '20.69.0', NO_GLIBC) }, '20.51.4');
});

test('if neither loads, the error says why and what is needed', () => {
  assert.throws(
    () => load({ ...BOTH, ...binary(BINARY, '20.69.0', NO_GLIBC) }),
    (error: Error) => {
      assert.match(error.message, /uws-glibc-2\.38: libc\.so\.6: version `GLIBC_2\.38' not found\n/);
      const sentence = /uws-glibc-2\.28: version 20\.51\.4 finds the binary of version 20\.69\.0 only\n/;
      assert.match(error.message, sentence);
      assert.match(error.message, /Node 24 and later need glibc 2\.38/);
      return true;
    },
  );
  assert.throws(() => load(BOTH), /Cannot find module/);
  assert.throws(() => load({}), /uws-glibc-2\.38: Cannot find module/);
});

test('the reported version is that of the running binary', () => {
  const fromHere = createRequire(import.meta.url);
  const candidates = [NEWER, OLDER].map((name) => {
    const { version } = createRequire(fromHere.resolve(name))('./package.json') as { version: string };
    return version;
  });
  assert.ok(candidates.includes(uwsVersion));
  if (major === '20') assert.equal(uwsVersion, candidates[1]);
});
