/**
 * Chance in a simulation comes from its seed alone, that of Node's `crypto` included: secrets of keys and request ids
 * would otherwise make two runs of one seed differ.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Dice } from '../support/reference/rng.js';

/** A seed for something that belongs to `seed` and has the number `index`. */
export function derivedSeed(seed: number, index: number): number {
  let mixed = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(index + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const real = { randomBytes: crypto.randomBytes, randomUUID: crypto.randomUUID };

/** Random bytes and UUIDs of this process are thrown with `dice` until `restoreCrypto`. */
export function seedCrypto(dice: Dice): void {
  const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, () => dice.whole(0, 255)));
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

/** Independent streams of chance: what one draws does not move the others, so a fault that is left out moves no client. */
export class Chances {
  readonly config: Dice;
  readonly clients: Dice;
  readonly operator: Dice;
  readonly prices: Dice;
  readonly network: Dice;
  readonly disk: Dice;
  readonly crypto: Dice;

  constructor(seed: number) {
    const dice = (index: number): Dice => new Dice(derivedSeed(seed, index));
    this.config = dice(1);
    this.clients = dice(2);
    this.operator = dice(3);
    this.prices = dice(4);
    this.network = dice(5);
    this.disk = dice(6);
    this.crypto = dice(7);
  }
}
