/**
 * All randomness in a simulation comes from its seed, also that of Node's `crypto`: secrets of keys and request ids
 * would otherwise make two runs of one seed differ.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Rng } from '../support/reference/random/rng.js';

export function derivedSeed(seed: number, index: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const real = { randomBytes: crypto.randomBytes, randomUUID: crypto.randomUUID };

/** Random bytes and UUIDs of this process come from `rng` until `restoreCrypto`. */
export function seedCrypto(rng: Rng): void {
  const bytes = (size: number): Buffer =>
    Buffer.from(Array.from({ length: size }, () => rng.integer(0, 255)));
  const uuid = (): string =>
    bytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  Object.assign(crypto, { randomBytes: bytes, randomUUID: uuid });
  syncBuiltinESMExports();
}

export function restoreCrypto(): void {
  Object.assign(crypto, real);
  syncBuiltinESMExports();
}

const STREAMS = [
  ...['config', 'clients', 'operator', 'prices', 'network', 'disk', 'crypto', 'threads', 'limits', 'roots'],
] as const;
export type Chances = Readonly<Record<(typeof STREAMS)[number], Rng>>;

/** Independent streams: a draw of one does not move the others, so a fault that is left out moves no client. */
export const chancesOf = (seed: number): Chances =>
  Object.fromEntries(
    STREAMS.map((name, index) => [name, new Rng(derivedSeed(seed, index + 1))]),
  ) as unknown as Chances;
