/** A key pair that everybody knows, and the roots of locked rounds, made in one thread. */
import { writeFileSync } from 'node:fs';
import { keyIdOf, type SignLater, signerOf } from '../../../crypto/signing.js';
import type { Engine } from '../../../engine/engine.js';
import type { MadeRoot } from '../../../engine/model/commands.js';
import type { SigningKeys } from '../../../engine/model/proofs/signing.js';
import { RootFeed } from '../../../persistence/roots/feed.js';
import type { RootNote } from '../../../persistence/roots/messages.js';
import { RoundRoots, signedRoot } from '../../../persistence/roots/round-roots.js';

/** RFC 8032, section 7.1, test 1. */
const PRIVATE_KEY = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';
const PUBLIC_KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
const KEY_ID = keyIdOf(PUBLIC_KEY);
const CREATED_MS = Date.parse('2026-06-01T00:00:00Z');

export const TEST_SIGNING: SigningKeys = {
  keyId: KEY_ID,
  publicKey: PUBLIC_KEY,
  privateKey: PRIVATE_KEY,
  all: [{ keyId: KEY_ID, publicKey: PUBLIC_KEY, createdAtMs: CREATED_MS, retiredAtMs: null }],
};

/** Tests that look for an answer do not wait for a thread. */
export const testSignLater: SignLater = (text, tell) => tell(signerOf(TEST_SIGNING)(text));

export function writeSigningKeys(path: string): void {
  const { keyId, publicKey, privateKey } = TEST_SIGNING;
  const createdAt = new Date(CREATED_MS).toISOString();
  const keys = [{ keyId, publicKey, createdAt, retiredAt: null, privateKey }];
  writeFileSync(path, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600 });
}

/** Tells of the roots of the rounds that have locked since the last call. */
export function rootMaker(engine: Engine, masterSecret: Uint8Array): () => MadeRoot[] {
  const roots = new RoundRoots(masterSecret);
  let made: MadeRoot[] = [];
  const sign = signerOf(TEST_SIGNING);
  const take = (notes: readonly RootNote[]): void => {
    made = roots.take(notes).map((root) => signedRoot(roots, root, KEY_ID, sign));
  };
  const feed = new RootFeed(engine, take, Number.POSITIVE_INFINITY);
  return () => {
    made = [];
    feed.tell();
    return made;
  };
}
