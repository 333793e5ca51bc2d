/**
 * Idempotency-Key (specification, POST /orders; design, section 5): the header's form, and the digests by which
 * the engine remembers a key and the body that came with it. Both are keyed with a secret. The key's is SHA-256,
 * because it also decides where an entry lies in the engine's table, for all accounts. The body's only tells an
 * account's own requests apart, so a mixing function does, at a quarter of the time.
 */
import { createHmac, hash } from 'node:crypto';
import type { IdempotencyDigest } from '../../engine/commands.js';
import { invalid, type Refused } from './refused.js';

const KEY_LENGTH_MAX = 255;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
const BYTES_OF_48_BITS = 6;

/** The key in a header value; a pair of quotes around it is no part of it. */
export function parseIdempotencyKey(header: string): string | Refused {
  const opens = header.startsWith('"');
  const closes = header.endsWith('"') && header.length > 1;
  if (opens !== closes) return invalid('Idempotency-Key has a quote at one end only');
  const key = opens ? header.slice(1, -1) : header;
  if (key.length > KEY_LENGTH_MAX || !VISIBLE_ASCII.test(key)) {
    return invalid(`Idempotency-Key must be 1 to ${KEY_LENGTH_MAX} visible ASCII characters`);
  }
  return key;
}

/** The parsed known fields of an order that make two orders the same. */
export interface OrderContent {
  readonly marketId: string;
  readonly side: number;
  readonly stakeCents: number;
  readonly expectedPercentE6: number;
  readonly clientSeed: string | null;
}

/**
 * A text that no other content has: each field by name with its length before it. An optional field stands in
 * it only if the client gave it, so that a field of a later version alters no digest that is remembered.
 */
function canonical(order: OrderContent): string {
  let text = `${order.marketId.length}:${order.marketId}|${order.side}|${order.stakeCents}`;
  if (order.expectedPercentE6 >= 0) text += `|expectedPercent=${order.expectedPercentE6}`;
  if (order.clientSeed !== null) text += `|clientSeed=${order.clientSeed.length}:${order.clientSeed}`;
  return text;
}

/** Makes digests with a secret of its own, derived from the master secret. */
export class IdempotencyDigests {
  readonly #secret: string;
  readonly #bodySeedHigh: number;
  readonly #bodySeedLow: number;

  constructor(masterSecret: Uint8Array) {
    const derived = createHmac('sha256', masterSecret).update('tote idempotency 1').digest();
    this.#secret = derived.toString('base64url');
    this.#bodySeedHigh = derived.readUInt32LE(0);
    this.#bodySeedLow = derived.readUInt32LE(4);
  }

  /** Keys of different accounts have nothing to do with each other. */
  digest(account: number, key: string, order: OrderContent): IdempotencyDigest {
    const ofKey = hash('sha256', `${this.#secret}${account}:${key}`, 'binary');
    return {
      keyHigh: bits48(ofKey, 0),
      keyLow: bits48(ofKey, BYTES_OF_48_BITS),
      body: mixed48(canonical(order), this.#bodySeedHigh, this.#bodySeedLow),
    };
  }
}

/** 48 bits of a text: two multiply-xor lanes over its characters, crossed at the end. */
function mixed48(text: string, seedHigh: number, seedLow: number): number {
  let high = seedHigh;
  let low = seedLow;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  high = Math.imul(high ^ (low >>> 16), 0x85ebca6b);
  low = Math.imul(low ^ (high >>> 13), 0xc2b2ae35);
  return (high >>> 16) * 2 ** 32 + (low >>> 0);
}

/** Six bytes of a digest, one character each, as a whole number. */
function bits48(digest: string, start: number): number {
  let bits = 0;
  for (let i = start; i < start + BYTES_OF_48_BITS; i++) bits = bits * 256 + digest.charCodeAt(i);
  return bits;
}
