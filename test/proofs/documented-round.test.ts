/** docs/bots/proofs.md: the round in it is a real one, and every command in it gives what it says. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OrderProof, ProofEvidence, RoundProof, SigningKey } from '../../client/index.js';
import { must } from '../../engine/base/assert.js';
import { pythonVerdicts, withPython } from '../support/api/proofs.js';
import { codeBlocks, readDocument } from '../support/document.js';
import { newFolder } from '../support/new-folder.js';
import { toteText } from '../support/processes/cli.js';
import { isAvailable } from '../support/programs.js';

const DOC = readDocument('docs/bots/proofs.md');
const FILES = ['keys.json', 'order.json', 'round-proof.json', 'order-proof.json'] as const;

const fileOf = (name: string): string => must(codeBlocks(DOC, `json ${name}`)[0], name);
const commands = (start: string): string =>
  must(
    codeBlocks(DOC, 'sh').find((script) => script.startsWith(start)),
    start,
  );

test('verify-bet says of the files in it what it says', async () => {
  const folder = newFolder();
  for (const name of FILES) writeFileSync(join(folder, name), fileOf(name));
  const line = commands('npx tote verify-bet').replaceAll('\\\n', '').trim();
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const args = words.slice(2).map((word) => (word.endsWith('.json') ? join(folder, word) : word));
  assert.equal(await toteText(args), must(/^```\n(ok .*?)^```$/ms.exec(DOC)?.[1], 'output'));
});

test('the second implementation agrees', withPython, () => {
  const data = <T>(name: string): T => (JSON.parse(fileOf(name)) as { data: T }).data;
  const { bet } = data<{ readonly bet: ProofEvidence['bet'] }>('order.json');
  const [keys, roundProof] = [data<SigningKey[]>('keys.json'), data<RoundProof>('round-proof.json')];
  const orderProof = data<OrderProof>('order-proof.json');
  assert.deepEqual(pythonVerdicts([{ bet, clientSeed: 'my seed', keys, roundProof, orderProof }]), ['OK']);
});

const SHELL = ['xxd', 'sha256sum', 'openssl'];
test('the commands of a shell give the commitment, the hash, the root and a good signature', {
  skip:
    SHELL.some((program) => !isAvailable(program)) && `one of ${SHELL.join(', ')} cannot be found in PATH`,
}, () => {
  const folder = newFolder();
  const run = (start: string): string =>
    execFileSync('bash', ['-c', commands(start)], { cwd: folder, encoding: 'utf8' });
  const { root, seedCommitment, betHash } = (JSON.parse(fileOf('order-proof.json')) as { data: OrderProof })
    .data;
  const { seed } = (JSON.parse(fileOf('round-proof.json')) as { data: { seed: string } }).data;
  assert.match(run(`echo ${seed}`), new RegExp(seedCommitment));
  assert.match(run("printf '10:tote"), new RegExp(betHash));
  assert.equal(run('H=').trim(), root.merkleRoot);
  assert.match(run("printf 'tote-root-1"), /Signature Verified Successfully/);
});
