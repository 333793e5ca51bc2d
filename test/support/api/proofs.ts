/** The check of a bet's proof by the client, by `npx tote verify-bet`, which runs the same, and by Python. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type HeadEvidence,
  type ProofEvidence,
  type ReceiptEvidence,
  ToteClient,
  verifyProof,
} from '../../../client/index.js';
import type { Verdict } from '../../../client/proofs/verify.js';
import { newFolder } from '../new-folder.js';
import { toteText } from '../processes/cli.js';
import { isAvailable } from '../programs.js';
import type { Sandbox, Trader } from './api-client-sandbox.js';

const PYTHON = fileURLToPath(new URL('../../../../test/proofs/verify_proof.py', import.meta.url));
export const withPython = { skip: !isAvailable('python3') && 'python3 cannot be found in PATH' };

export const clientOf = (sandbox: Sandbox, { secret }: Trader): ToteClient =>
  new ToteClient({ url: `${sandbox.server.publicUrl}/v1`, key: secret });

export class ProofFiles {
  readonly #folder = newFolder();

  /** Returns operands and options for `npx tote verify-bet`. */
  write({ bet, clientSeed, orderProof, roundProof, keys }: ProofEvidence): string[] {
    const write = (name: string, data: unknown): string => {
      const path = join(this.#folder, name);
      writeFileSync(path, JSON.stringify({ success: true, data }));
      return path;
    };
    const seed = typeof clientSeed !== 'string' ? [] : ['--client-seed', clientSeed];
    return [
      ...[write('order.json', { bet }), write('order-proof.json', orderProof)],
      ...[write('round-proof.json', roundProof), '--keys', write('keys.json', keys), ...seed],
    ];
  }
}

export function pythonVerdicts(
  evidence: readonly (ProofEvidence | ReceiptEvidence | HeadEvidence)[],
): string[] {
  const { stdout, stderr } = spawnSync('python3', [PYTHON], {
    input: JSON.stringify(evidence),
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  return stdout.trim().split('\n');
}

/** As the second implementation says it. */
export const inWords = (verdict: Verdict<string> & { readonly warnings?: readonly string[] }): string =>
  verdict.valid ? ['OK', ...(verdict.warnings ?? [])].join(' ') : `FAILED ${verdict.step}`;

export const clientVerdict = async (evidence: ProofEvidence): Promise<string> =>
  inWords(await verifyProof(evidence));

export async function assertProven(
  evidence: ProofEvidence,
  files: ProofFiles,
  notedRoot: string,
): Promise<void> {
  assert.equal(await clientVerdict({ ...evidence, notedRoot }), 'OK');
  assert.match(await toteText(['verify-bet', ...files.write(evidence), '--noted-root', notedRoot]), /^OK$/m);
  assert.deepEqual(pythonVerdicts([evidence]), ['OK']);
}
