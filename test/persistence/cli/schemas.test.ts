/**
 * `tote schema`: the real output of commands with `--json`, on the directory of a real server and on damaged and
 * pruned ones, conforms to the schema and has no other members.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { must } from '../../../engine/base/assert.js';
import { COMMANDS } from '../../../persistence/cli/registry.js';
import { findDataDir, openDataDir } from '../../../persistence/data-dir/layout.js';
import { writeAbsent } from '../../../persistence/journal/segment/absent.js';
import { findSegments } from '../../../persistence/journal/segment/names.js';
import { tote } from '../../support/processes/cli.js';
import { temporaryDir } from '../support/journal-files.js';
import { type Lived, live } from '../support/lived-dir.js';
import { flipBit, makeOperatorDir } from '../support/operator-dir.js';

const ajv = new Ajv2020({ strict: true, allErrors: true });
const validators = new Map<string, ValidateFunction>();

/** Of the schema as it is printed, which must be a good one, with every object closed. */
async function validatorOf(name: string): Promise<ValidateFunction> {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const printed = await tote(['schema', name]);
  assert.equal(printed.code, 0, printed.stderr);
  const validate = ajv.compile(closed(JSON.parse(printed.stdout)) as object);
  validators.set(name, validate);
  return validate;
}

function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  const isObject = 'properties' in schema && !('additionalProperties' in schema);
  return { ...Object.fromEntries(members), ...(isObject ? { additionalProperties: false } : {}) };
}

const seen = new Set<string>();

/** Runs the command, which must end with `code`, and checks all that it prints; returns that. */
async function check(args: readonly string[], code = 0, name = must(args[0], 'command')): Promise<unknown[]> {
  const ran = await tote([...args, '--json']);
  assert.equal(ran.code, code, `${args.join(' ')}\n${ran.stderr}`);
  const texts = name === 'replay' ? ran.stdout.trimEnd().split('\n') : [ran.stdout];
  const validate = await validatorOf(name);
  const documents = texts.map((text): unknown => JSON.parse(text));
  for (const document of documents) {
    const isValid = validate(document);
    assert.ok(isValid, `${args.join(' ')}: ${JSON.stringify(validate.errors)}\n${JSON.stringify(document)}`);
  }
  seen.add(name);
  return documents;
}

let lived: Lived;
before(async () => {
  lived = await live();
});
after(() => lived.sandbox.remove());

test('on a directory on which a server runs', async (t) => {
  const { dataDir, openRounds } = lived;
  const folder = temporaryDir(t);
  await check(['status', dataDir]);
  await check(['verify', dataDir]);
  assert.ok((await check(['replay', dataDir])).length > 20, 'the journal has lines');
  for (const account of ['acc_1', 'acc_2']) await check(['account', account, dataDir]);
  for (const { id } of openRounds) await check(['round', id, dataDir]);
  await check(['round', must(lived.bets.at(-1), 'open bet').round, dataDir]);
  for (const bet of ['bet_1', 'bet_4', must(lived.bets.at(-1), 'open bet').bet.id])
    await check(['bet', bet, dataDir]);
  for (const what of ['bets', 'ledger', 'rounds']) {
    await check(['export', dataDir, '--what', what, '--out', join(folder, what)]);
  }
  await check(['snapshot', dataDir]);
  await check(['backup', join(folder, 'backup'), dataDir]);
  await check(['backup', join(folder, 'backup'), dataDir]);
  await check(['restore', dataDir, '--out', join(folder, 'restored')]);
  await check(['standby', 'init', '--from', dataDir, '--out', join(folder, 'standby')]);
  await check(['prune', dataDir, '--keep', '1d', '--dry-run']);
});

test('verify-bet, whether the proof is good or not', async (t) => {
  const { traders, bets } = lived;
  const { bet, clientSeed, round } = must(bets[0], 'bet');
  const folder = temporaryDir(t);
  const save = async (name: string, path: string): Promise<string> => {
    const file = join(folder, name);
    writeFileSync(file, (await traders[0].api.get(path)).text);
    return file;
  };
  const files = [
    await save('order.json', `/orders/${bet.id}`),
    await save('order-proof.json', `/orders/${bet.id}/proof`),
    await save('round-proof.json', `/rounds/${round}/proof`),
  ];
  const args = ['verify-bet', ...files, '--keys', await save('keys.json', '/keys')];
  await check([...args, '--client-seed', clientSeed ?? '']);
  await check([...args, '--client-seed', 'another'], 1);
  await check([...args.slice(0, 2), ...args.slice(1, 3), ...args.slice(4)], 2, 'failure');
  await check(['verify-bet', `${folder}/none`, ...args.slice(2)], 3, 'failure');
});

function makeDamaged(t: TestContext): string {
  const root = join(temporaryDir(t), 'data');
  const made = makeOperatorDir(root, { snapshotsAfter: [10, 60, 100] });
  writeAbsent(made.dir, []);
  const path = must(findSegments(made.dir.journal)[1], 'segment');
  flipBit(path, readFileSync(path).indexOf(must(made.batches[70], 'batch').commands) + 5);
  return root;
}

test('on a damaged directory, and on what is made of it', async (t) => {
  const root = makeDamaged(t);
  await check(['verify', root], 1);
  await check(['backup', join(temporaryDir(t), 'backup'), root], 1);
  await check(['write-off', root, '--dry-run']);
  await check(['write-off', root]);
  await check(['verify', root]);
  await check(['prune', root, '--keep', '1d', '--snapshots', '1']);
  await check(['account', 'acc_1', root]);
  writeFileSync(findDataDir(root).markFile, 'x');
  await check(['status', root], 1);
  rmSync(join(root, 'journal'), { recursive: true });
  await check(['status', root], 1, 'failure');
  const out = join(temporaryDir(t), 'restored');
  const [told] = await check(['restore', root, '--from-snapshot', '--out', out], 1);
  assert.ok(existsSync(out) && told !== undefined);
});

test('tokens, made, listed and revoked', async (t) => {
  const dir = join(temporaryDir(t), 'data');
  openDataDir(dir);
  await check(['token', 'ann', '--role', 'read', dir]);
  await check(['tokens', dir]);
  await check(['token', 'ann', '--revoke', dir]);
});

test('another pair of signing keys', async (t) => {
  const root = join(temporaryDir(t), 'data');
  cpSync(lived.dataDir, root, { recursive: true });
  await check(['rotate-signing-key', root]);
});

test('the machine, and the lines of a copy that follows', async (t) => {
  const [{ isGood }] = (await check(['doctor', lived.dataDir], await doctorsCode())) as [{ isGood: boolean }];
  assert.equal(typeof isGood, 'boolean');
  const to = join(temporaryDir(t), 'copy');
  const following = tote(['backup', to, lived.dataDir, '--follow', '--json']);
  // The first pass is done before the command gives up its turn; the signal ends the pause after it.
  process.emit('SIGTERM');
  const { code, stdout } = await following;
  assert.equal(code, 0);
  const validate = await validatorOf('follow');
  assert.ok(validate(JSON.parse(stdout)), JSON.stringify(validate.errors));
  assert.ok(validate({ to, failure: 'the disk is away' }));
});

/** The machine of these tests may be bad. */
const doctorsCode = async (): Promise<number> => (await tote(['doctor', lived.dataDir])).code ?? 0;

test('failures have a schema, and an unknown schema is refused', async () => {
  await check(['account', 'acc_99', lived.dataDir], 1, 'failure');
  await check(
    ['prune', lived.dataDir, '--keep', '30d', '--snapshots', 'newest=3,all=1h,hourly=1d,daily=2d'],
    2,
    'failure',
  );
  await check(['status', '/nowhere'], 3, 'failure');
  await check(['schema', 'nothing'], 2, 'failure');
});

/** Compared in `test/replication/standby.test.ts`, which has servers for them. */
const ELSEWHERE: readonly string[] = ['promote', 'demote', 'schema'];

test('every command has a schema, and each was compared with its output', () => {
  const names = COMMANDS.map(({ name }) => name).filter((name) => !ELSEWHERE.includes(name));
  assert.deepEqual([...seen].sort(), [...names, 'failure'].sort());
});
