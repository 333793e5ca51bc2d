/** SHA-256 in the form that the engine's digests of the full state take. */
import { createHash } from 'node:crypto';
import type { NewHasher } from '../engine/model/ports.js';

export const newSha256: NewHasher = () => {
  const hash = createHash('sha256');
  return { update: (data) => void hash.update(data), digestHex: () => hash.digest('hex') };
};
