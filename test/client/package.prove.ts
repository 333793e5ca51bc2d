/** `npm pack` of the client gives a package that works in an empty folder: program and types, and nothing else. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { project } from '../house/sources.js';
import { codeBlocks, documentPaths, readDocument } from '../support/document.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder();

function run(cwd: string, program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

/** A copy, so that packing leaves nothing in the project. */
function pack(): string {
  const copy = join(folder, 'project');
  cpSync(join(project, 'client'), join(copy, 'client'), { recursive: true });
  for (const file of ['tsconfig.json', 'LICENSE']) cpSync(join(project, file), join(copy, file));
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  run(join(copy, 'client'), 'npm', 'pack', '--silent', '--pack-destination', folder);
  const packed = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  assert.ok(packed !== undefined);
  return join(folder, packed);
}

const BOT = `
import { addDollars, ToteClient, ToteError } from 'tote-client';
import type { Market, OrderRequest } from 'tote-client';

export async function bet(client: ToteClient, market: Market): Promise<string> {
  const order: OrderRequest = { marketId: market.id, prediction: 'UP', amount: addDollars(0.1, 0.2) };
  try {
    const roundId = market.currentRound?.id;
    return (await client.placeOrder(roundId === undefined ? order : { ...order, roundId })).bet.id;
  } catch (error) {
    if (error instanceof ToteError && error.code === 'odds_changed') return '';
    throw error;
  }
}
const client = new ToteClient({ url: 'http://127.0.0.1:9/v1', key: 'tote_', retryForMs: 0 });
const error: unknown = await client.listMarkets().catch((thrown: unknown) => thrown);
console.log(error instanceof ToteError && error.code);
`;

const COMMON = `
import { toCents } from 'tote-client';
import { parsePricePath } from 'tote-client/sandbox';
console.log(toCents(0.3), parsePricePath('time,BTC').length);
`;

/** Fragments in documents lack these, which their readers know. */
const AROUND = `
declare const tote: import('tote-client').ToteClient;
declare const onMarket: (state: import('tote-client').MarketState) => void;
declare const onFill: (event: import('tote-client').FillEvent) => void;
declare const readOrdersAgain: () => void;
declare const roundId: string, token: string, csv: string;
`;

const empty = join(folder, 'empty');
const compiler = join(project, 'node_modules', 'typescript', 'bin', 'tsc');
const options = ['--strict', '--exactOptionalPropertyTypes', '--target', 'ES2023', '--lib', 'ES2023,DOM'];
const compile = (module: string, ...files: readonly string[]): string =>
  run(empty, process.execPath, compiler, ...options, '--module', module, ...files);

test('it installs, compiles strictly against the types of a browser, as CommonJS too, and runs', () => {
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{ "type": "module" }');
  run(empty, 'npm', 'install', '--offline', '--no-audit', '--no-fund', '--silent', pack());
  const left = readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(left, ['tote-client']);
  assert.ok(existsSync(join(empty, 'node_modules', 'tote-client', 'LICENSE')));
  writeFileSync(join(empty, 'bot.ts'), BOT);
  compile('NodeNext', 'bot.ts');
  assert.equal(run(empty, process.execPath, 'bot.js'), 'connection_failed\n');
  writeFileSync(join(empty, 'common.cts'), COMMON);
  for (const module of ['CommonJS', 'Node16']) compile(module, 'common.cts');
  assert.equal(run(empty, process.execPath, 'common.cjs'), '30 0\n');
});

test('the programs of the documents compile against it', () => {
  symlinkSync(join(project, 'node_modules', '@types'), join(empty, 'node_modules', '@types'));
  writeFileSync(join(empty, 'around.d.ts'), AROUND);
  const programs = documentPaths().flatMap((path) => codeBlocks(readDocument(path), 'ts'));
  assert.ok(programs.length >= 4);
  for (const [at, program] of programs.entries()) writeFileSync(join(empty, `${at}.mts`), program);
  compile('NodeNext', '--noEmit', '--pretty', 'around.d.ts', ...programs.map((_, at) => `${at}.mts`));
});
