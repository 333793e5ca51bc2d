/** The hashes that the provably-fair construction (`engine/fairness.ts`) takes from the platform. */
import { createHmac, hash } from 'node:crypto';
import type { FairnessTools } from '../engine/fairness.js';

export const FAIRNESS_TOOLS: FairnessTools = {
  sha256: (data) => hash('sha256', data, 'hex'),
  // A text of the 32 bytes costs a third of a Buffer of them.
  sha256Into: (data, into, at) => {
    const bytes = hash('sha256', data, 'binary');
    for (let i = 0; i < bytes.length; i++) into[at + i] = bytes.charCodeAt(i);
  },
  hmacSha256: (secret, text) => createHmac('sha256', secret).update(text).digest('hex'),
};
