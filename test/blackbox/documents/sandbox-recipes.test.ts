/** The recipes of docs/bots/testing.md, line for line, in bash against a server. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { codeBlocks, readDocument, sectionOf } from '../../support/document.js';
import { newDataDir, Server } from '../../support/processes/server.js';

const recipes = readDocument('docs/bots/testing.md');
const [startLine = '', setUp = '', win = ''] = codeBlocks(recipes, 'sh');
const folder = newDataDir();
let server: Server;

before(async () => {
  const asWritten = Object.fromEntries(
    [...startLine.matchAll(/(TOTE_\w+)=(\S+)/g)].map(([, ...pair]) => pair),
  );
  assert.equal(asWritten['TOTE_DATA_DIR'], './sandbox');
  const { TOTE_DATA_DIR: _, ...env } = asWritten;
  const limits = 'key_read=120,key_write=30,account=240,ip=300';
  server = await Server.start({ env: { ...env, TOTE_DEMO: '1', TOTE_RATE_LIMITS: limits } });
  symlinkSync(server.dataDir, join(folder, 'sandbox'));
});
after(() => server.remove());

/** The output of each line must contain its comment's claim. */
async function follow(recipe: string, outcome: string): Promise<void> {
  const lines = recipe.trimEnd().split('\n');
  const claims = lines.flatMap((line, index) => {
    const [, claim] = / # prints (.*)$/.exec(line) ?? [];
    return claim === undefined ? [] : [{ index, claim }];
  });
  const isClaimed = claims.some(({ claim }) => claim.includes(outcome));
  assert.ok(isClaimed, `the recipe claims ${outcome}`);
  const marked = lines.map((line, index) => `${line}\necho "--- ${index}"`);
  const script = [setUp, 'echo "--- set up"', ...marked]
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', server.publicUrl)
    .replaceAll('http://127.0.0.1:8081', server.operatorUrl);
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { cwd: folder });
  assert.equal(stderr, '');
  const printed = stdout.split(/--- .*\n/).slice(1);
  for (const { index, claim } of claims)
    assert.ok(printed[index]?.includes(claim), `${lines[index]}\nprinted ${printed[index]}`);
}

test('the first recipe wins', () => follow(win, '"result":"WIN"'));

const OUTCOMES = {
  LOSS: '"result":"LOSS"',
  DRAW: '"result":"DRAW"',
  REFUNDED: '"result":"REFUNDED"',
  odds_changed: '"error":"odds_changed"',
  betting_closed: '"error":"betting_closed',
  'A limit order': '"status":"ACTIVE"',
};
for (const [name, outcome] of Object.entries(OUTCOMES)) {
  test(`the recipe for ${name} gives that outcome`, () => {
    const [recipe = ''] = codeBlocks(sectionOf(recipes, `## ${name}`), 'sh');
    return follow(recipe, outcome);
  });
}
