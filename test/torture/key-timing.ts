/**
 * Whether the time of a refusal reveals how close a guessed key is to a real one. The handlers run in memory, so that
 * no network hides a difference. The kinds of guesses alternate, each round in another order, so that changes of the
 * machine favour none. All guesses of a round are created before the first is timed: those that share little leave
 * the most garbage, and whatever is timed right after waits for memory.
 */

import { generateKeySecret, keyDigest } from '../../crypto/api-keys.js';
import { must } from '../../engine/base/assert.js';
import { scopesMask as maskOf } from '../../engine/model/domain.js';
import { Harness } from '../http/api/harness.js';
import { Rng } from '../support/reference/random/rng.js';

const ROUNDS = 400;
const GUESSES_A_ROUND = 50;
const KEYS = 1_000;
const scopesMask = maskOf(['markets:read']);
/** `tote_` and 43 characters. */
const SECRET_LENGTH = 48;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export interface KeyTiming {
  /** How many characters of a real key the guesses begin with. */
  readonly shared: number;
  /** Median time of a refusal, in nanoseconds. */
  readonly medianNs: number;
}

export function keyTiming(seed: number): KeyTiming[] {
  const harness = new Harness();
  const rng = new Rng(seed);
  const secrets = Array.from({ length: KEYS }, () => {
    const { account } = harness.bettor();
    const secret = generateKeySecret();
    harness.submit({ kind: 'createKey', account, digest: keyDigest(secret), scopesMask, expiresAtMs: null });
    return secret;
  });
  harness.settle();
  const kinds = [5, 16, 32, 44, 47].map((shared) => ({ shared, samples: [] as number[] }));
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % kinds.length;
    const turns = [...kinds.slice(first), ...kinds.slice(0, first)].map(({ shared, samples }) => {
      const guesses = Array.from({ length: GUESSES_A_ROUND }, () => guess(rng, rng.pick(secrets), shared));
      return { samples, guesses };
    });
    for (const { samples, guesses } of turns) {
      const startNs = process.hrtime.bigint();
      for (const key of guesses) harness.begin('GET', '/v1/markets', { key });
      samples.push(Number(process.hrtime.bigint() - startNs) / GUESSES_A_ROUND);
    }
  }
  return kinds.map(({ shared, samples }) => {
    const sorted = samples.slice(ROUNDS / 10).sort((a, b) => a - b);
    return { shared, medianNs: Math.round(must(sorted[sorted.length >> 1], 'median')) };
  });
}

/** A key that is none: it begins as a real one does and goes on otherwise. */
function guess(rng: Rng, secret: string, shared: number): string {
  let text = secret.slice(0, shared);
  while (text.length < SECRET_LENGTH) {
    const character = rng.pick([...ALPHABET]);
    // The first character that differs must differ.
    if (text.length === shared && character === secret[shared]) continue;
    text += character;
  }
  // In one piece: joining the pieces would otherwise be timed with the refusal.
  return Buffer.from(text, 'latin1').toString('latin1');
}
