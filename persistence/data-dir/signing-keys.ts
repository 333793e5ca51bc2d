/**
 * The keys with which the server signs roots and settlements, in a file of mode 0600. It keeps the public half of
 * retired pairs, so that their signatures can be checked for ever.
 */
import { generateKeyPairSync } from 'node:crypto';
import { isSignedBy, keyIdOf, signerOf } from '../../crypto/signing.js';
import { messageOf } from '../../engine/base/attempt.js';
import type { PublicSigningKey, SigningKeys } from '../../engine/model/proofs/signing.js';
import { writeFileDurably } from './files.js';
import type { DataDir } from './layout.js';
import { invalidSecret, readSecret } from './secrets.js';

interface StoredKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly createdAt: string;
  readonly retiredAt: string | null;
  /** null once it is retired. */
  readonly privateKey: string | null;
}

/** The end of a sentence on a journal whose file of keys is missing. */
export const UNKNOWN_KEYS =
  'put it back, or the server signs with a new pair, and no answer has the keys that earlier roots were signed with.';

export function openSigningKeys(dir: DataDir, nowMs: number): SigningKeys {
  return readSigningKeys(dir) ?? write(dir, [newKey(nowMs)]);
}

export function readSigningKeys(dir: DataDir): SigningKeys | null {
  const found = readSecret(dir.signingKeysFile);
  return found === null ? null : keysOf(parse(dir, found.toString('utf8')));
}

/** Retires the pair in use, whose private half is forgotten. */
export function rotateSigningKeys(dir: DataDir, nowMs: number): SigningKeys {
  const found = readSecret(dir.signingKeysFile);
  const before = found === null ? [] : parse(dir, found.toString('utf8'));
  const retiredAt = new Date(nowMs).toISOString();
  const retired = before.map((key) =>
    key.retiredAt === null ? { ...key, retiredAt, privateKey: null } : key,
  );
  return write(dir, [newKey(nowMs), ...retired]);
}

function newKey(nowMs: number): StoredKey {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const hex = (text: string): string => Buffer.from(text, 'base64url').toString('hex');
  const publicKey = hex(x);
  const createdAt = new Date(nowMs).toISOString();
  return { keyId: keyIdOf(publicKey), publicKey, createdAt, retiredAt: null, privateKey: hex(d) };
}

function write(dir: DataDir, keys: readonly StoredKey[]): SigningKeys {
  writeFileDurably(dir.signingKeysFile, `${JSON.stringify({ keys }, null, 2)}\n`);
  return keysOf(keys);
}

function keysOf(keys: readonly StoredKey[]): SigningKeys {
  const all = keys.map(
    ({ keyId, publicKey, createdAt, retiredAt }): PublicSigningKey => ({
      keyId,
      publicKey,
      createdAtMs: Date.parse(createdAt),
      retiredAtMs: retiredAt === null ? null : Date.parse(retiredAt),
    }),
  );
  const { keyId = '', publicKey = '', privateKey = '' } = keys[0] ?? {};
  return { keyId, publicKey, privateKey: privateKey ?? '', all };
}

function parse(dir: DataDir, text: string): readonly StoredKey[] {
  const refuse = (what: string): never => {
    throw invalidSecret(dir.signingKeysFile, `${what}. Put it back from a backup.`);
  };
  let keys: readonly StoredKey[] = [];
  try {
    keys = (JSON.parse(text) as { readonly keys: readonly StoredKey[] }).keys;
    for (const key of keys) checkKey(key);
  } catch (thrown) {
    refuse(`cannot be read: ${messageOf(thrown)}`);
  }
  const [current, ...retired] = keys;
  if (
    current === undefined ||
    current.retiredAt !== null ||
    retired.some(({ retiredAt }) => retiredAt === null)
  )
    return refuse('must have one key in use, and that first');
  if (!isPair(current))
    return refuse(`has a private key that does not fit the public key ${current.publicKey}`);
  return keys;
}

function checkKey({ keyId, publicKey, createdAt, retiredAt }: StoredKey): void {
  if (!/^[0-9a-f]{64}$/.test(publicKey) || keyIdOf(publicKey) !== keyId)
    throw new Error(`${keyId} is no key's id`);
  if (Number.isNaN(Date.parse(createdAt)) || (retiredAt !== null && Number.isNaN(Date.parse(retiredAt))))
    throw new Error(`the times of ${keyId} are none`);
}

function isPair({ publicKey, privateKey }: StoredKey): boolean {
  if (privateKey === null || !/^[0-9a-f]{64}$/.test(privateKey)) return false;
  return isSignedBy(publicKey, 'tote', signerOf({ publicKey, privateKey })('tote'));
}
