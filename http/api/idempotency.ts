/**
 * Idempotency-Key (specification, POST /orders; design, section 5): the header's form, and the digests by which
 * the engine remembers a key and the body that came with it. The digests are keyed, so that nobody can look for
 * two keys or bodies that collide.
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

  constructor(masterSecret: Uint8Array) {
    this.#secret = createHmac('sha256', masterSecret).update('tote idempotency 1').digest('base64url');
  }

  /** Keys of different accounts have nothing to do with each other. */
  digest(account: number, key: string, order: OrderContent): IdempotencyDigest {
    const ofKey = hash('sha256', `${this.#secret}key:${account}:${key}`, 'binary');
    const ofBody = hash('sha256', `${this.#secret}body:${canonical(order)}`, 'binary');
    return {
      keyHigh: bits48(ofKey, 0),
      keyLow: bits48(ofKey, BYTES_OF_48_BITS),
      body: bits48(ofBody, 0),
    };
  }
}

/** Six bytes of a digest, one character each, as a whole number. */
function bits48(digest: string, start: number): number {
  let bits = 0;
  for (let i = start; i < start + BYTES_OF_48_BITS; i++) bits = bits * 256 + digest.charCodeAt(i);
  return bits;
}
