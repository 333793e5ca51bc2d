/**
 * Secrets are files of mode 0600 in the data directory. A secret that other users can read is refused, not fixed: they
 * may have read it.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../engine/base/attempt.js';
import { isOperatorToken, OPERATOR_TOKEN_FORM } from '../../engine/model/operators.js';
import type { Rules } from '../../engine/model/rules.js';
import { JournalError } from '../errors.js';
import { ifThere, writeFileDurably } from './files.js';
import type { DataDir } from './layout.js';

const MASTER_SECRET_BYTES = 32;
const OPERATOR_TOKEN_BYTES = 32;

/**
 * The random bytes that the round seeds are derived from. `mayCreate` only at the very first start: rounds of an
 * existing journal can only be proven with the old ones. Throws `secret_invalid`.
 */
export function openMasterSecret(dir: DataDir, mayCreate: boolean): Buffer {
  const found = readSecret(dir.masterSecretFile);
  if (found !== null) {
    if (found.length === MASTER_SECRET_BYTES) return found;
    throw invalidSecret(
      dir.masterSecretFile,
      `has ${found.length} bytes, not ${MASTER_SECRET_BYTES}. Put the right file back from a backup.`,
    );
  }
  if (!mayCreate) {
    throw invalidSecret(
      dir.masterSecretFile,
      'is missing, but the journal has rounds that were opened with it. Put it back from a backup.',
    );
  }
  const created = randomBytes(MASTER_SECRET_BYTES);
  writeFileDurably(dir.masterSecretFile, created);
  return created;
}

/** In hex: all that the journal stores of the secret. */
export function masterSecretFingerprint(masterSecret: Uint8Array): string {
  return createHash('sha256').update(masterSecret).digest('hex');
}

/** Says whether rounds under these rules, null if none are in force yet, were opened with another secret. */
export const isOtherSecret = (rules: Rules | null, masterSecret: Uint8Array): boolean =>
  rules !== null && rules.masterSecretFingerprint !== masterSecretFingerprint(masterSecret);

/** Created if the file is missing and `mayCreate`. Throws `secret_invalid`. */
export function openOperatorToken(dir: DataDir, mayCreate = true): string {
  const found = readOperatorToken(dir);
  if (found !== null) return found;
  if (!mayCreate)
    throw invalidSecret(dir.operatorTokenFile, 'is missing. Put it back; only a start makes a new one.');
  const created = randomBytes(OPERATOR_TOKEN_BYTES).toString('base64url');
  writeFileDurably(dir.operatorTokenFile, `${created}\n`);
  return created;
}

/** null if the file is missing. Throws `secret_invalid`. */
export function readOperatorToken(dir: DataDir): string | null {
  const found = readSecret(dir.operatorTokenFile);
  if (found === null) return null;
  const token = found.toString('latin1').trim();
  if (isOperatorToken(token)) return token;
  throw invalidSecret(
    dir.operatorTokenFile,
    `must hold ${OPERATOR_TOKEN_FORM} on one line. Delete it, and the next start makes a new one.`,
  );
}

/** null if there is no file. Throws `secret_invalid` if others can read it. */
export function readSecret(path: string): Buffer | null {
  const found = ifThere(
    () => ({ mode: statSync(path).mode, content: readFileSync(path) }),
    (thrown) => invalidSecret(path, `cannot be read: ${messageOf(thrown)}.`),
  );
  if (found === null) return null;
  if ((found.mode & 0o077) === 0) return found.content;
  throw invalidSecret(path, `is open to other users. Run: chmod 600 '${path}'`);
}

export function invalidSecret(path: string, sentence: string): JournalError {
  return new JournalError('secret_invalid', `The file ${path} ${sentence}`);
}
