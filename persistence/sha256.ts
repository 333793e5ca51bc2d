/** SHA-256 as the engine's digests over the full state want it. */
import { createHash } from 'node:crypto';
import type { NewHasher } from '../engine/model/ports.js';

export const newSha256: NewHasher = () => {
  const hash = createHash('sha256');
  return { update: (text) => void hash.update(text), digestHex: () => hash.digest('hex') };
};
