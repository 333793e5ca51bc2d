/** The hashes that the engine takes from the platform: it has none of its own. */
import { createHash, createHmac, hash } from 'node:crypto';
import type { FairnessTools } from '../engine/fairness.js';
import type { NewHasher } from '../engine/model/ports.js';

/** SHA-256, for the digests of the full state. */
export const newSha256: NewHasher = () => {
  const digest = createHash('sha256');
  return { update: (data) => void digest.update(data), digestHex: () => digest.digest('hex') };
};

/** For the provably-fair construction (`engine/fairness.ts`). */
export const FAIRNESS_TOOLS: FairnessTools = {
  sha256: (data) => hash('sha256', data, 'hex'),
  // A text of the 32 bytes costs a third of a Buffer of them.
  sha256Into: (data, into, at) => {
    const bytes = hash('sha256', data, 'binary');
    for (let i = 0; i < bytes.length; i++) into[at + i] = bytes.charCodeAt(i);
  },
  hmacSha256: (secret, text) => createHmac('sha256', secret).update(text).digest('hex'),
};
