/** The hashes and time formats that the provably-fair construction (`engine/fairness.ts`) takes from the platform. */
import { createHmac, hash } from 'node:crypto';
import type { FairnessTools } from '../engine/fairness.js';

export const FAIRNESS_TOOLS: FairnessTools = {
  sha256: (data) => hash('sha256', data, 'hex'),
  hmacSha256: (secret, text) => createHmac('sha256', secret).update(text).digest('hex'),
  isoText: (timeMs) => new Date(timeMs).toISOString(),
};
