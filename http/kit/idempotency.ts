/**
 * Idempotency-Key: the header's form, and the digests by which the engine remembers a key and its body. Both digests
 * are keyed with a secret. The key's is SHA-256, because it decides where an entry lies in a table shared by all
 * accounts. The body's only distinguishes an account's own requests, so a much cheaper mixing function is enough.
 */
import { createHmac, hash } from 'node:crypto';
import { integerText } from '../../engine/base/integer-text.js';
import type { IdempotencyDigest, OrderGuards } from '../../engine/model/commands.js';
import { DOWN, MARKET_IDS, UP } from '../../engine/model/domain.js';
import type { OrderFields } from '../link/orders.js';
import { refuseInvalid } from './refused.js';

const KEY_LENGTH_MAX = 255;
const KEY = new RegExp(`^[!-~]{1,${KEY_LENGTH_MAX}}$`);
/** For the API document, as `parseIdempotencyKey` reads it. */
export const IDEMPOTENCY_KEY_PATTERN = '^("[!-~]{1,255}"|[!#-~]([!-~]{0,253}[!#-~])?)$';
const QUOTE = 0x22;
const BYTES_OF_48_BITS = 6;
const NO_SEED = { high: 0, low: 0 };

export function parseIdempotencyKey(header: string, name = 'Idempotency-Key'): string {
  const opens = header.charCodeAt(0) === QUOTE;
  const closes = header.length > 1 && header.charCodeAt(header.length - 1) === QUOTE;
  if (opens !== closes) refuseInvalid(`${name} has a quote at one end only`);
  const key = opens ? header.slice(1, -1) : header;
  if (!KEY.test(key)) refuseInvalid(`${name} must be 1 to ${KEY_LENGTH_MAX} visible ASCII characters`);
  return key;
}

/** Two orders with equal fields are the same. */
export interface OrderContent extends Omit<OrderFields, 'account' | 'key' | 'idempotency'> {
  readonly marketId: string;
}

/*
 * The canonical text of an order, in two parts, from which the digest is made. It is unambiguous: fields are
 * identified by position or name, and texts are preceded by their length. Optional fields are included only if given,
 * so a field that a later version adds leaves remembered digests valid.
 */
const canonicalHead = (marketId: string, side: number): string => `${marketId.length}:${marketId}|${side}|`;

function canonicalRest(order: OrderContent): string {
  const { stakeCents, expectedPercentE6, limitOddsE4, clientSeed, clientOrderId, guards } = order;
  let text = integerText(stakeCents);
  if (expectedPercentE6 >= 0) text += `|expectedPercent=${expectedPercentE6}`;
  if (limitOddsE4 > 0) text += `|limitOdds=${limitOddsE4}`;
  if (clientSeed !== null) text += `|clientSeed=${clientSeed.length}:${clientSeed}`;
  if (clientOrderId !== null) text += `|clientOrderId=${clientOrderId.length}:${clientOrderId}`;
  return guards === null ? text : text + guardsText(guards);
}

function guardsText({ roundNumber, validUntilMs, minOddsE4 }: OrderGuards): string {
  let text = '';
  if (roundNumber >= 0) text += `|round=${roundNumber}`;
  if (validUntilMs < Number.POSITIVE_INFINITY) text += `|validUntil=${validUntilMs}`;
  if (minOddsE4 > 0) text += `|minOdds=${minOddsE4}`;
  return text;
}

/** By which an order is found again: 48 bits, without a secret. */
export const hashOfKey = (key: string): number => finalise(mix(NO_SEED, key));

export class IdempotencyDigests {
  readonly #secret: string;
  readonly #seed: Lanes;
  /** State of the digest after the first part of the text, by `market * 2 + side`. */
  readonly #heads: readonly Lanes[];

  constructor(masterSecret: Uint8Array) {
    const derived = createHmac('sha256', masterSecret).update('tote idempotency 1').digest();
    this.#secret = derived.toString('base64url');
    const seed = { high: derived.readInt32LE(0), low: derived.readInt32LE(4) };
    this.#seed = seed;
    this.#heads = MARKET_IDS.flatMap((id) => [UP, DOWN].map((side) => mix(seed, canonicalHead(id, side))));
  }

  /** The same key of another account is another entry. */
  digest(account: number, key: string, order: OrderContent): IdempotencyDigest {
    const ofKey = this.#hashOf(account, key);
    const { market, marketId, side } = order;
    const head = this.#heads[market * 2 + side] ?? mix(this.#seed, canonicalHead(marketId, side));
    return {
      keyHigh: bits48(ofKey, 0),
      keyLow: bits48(ofKey, BYTES_OF_48_BITS),
      body: finalise(mix(head, canonicalRest(order))),
    };
  }

  /** The body of this digest is 0. */
  ofKey(account: number, key: string): IdempotencyDigest {
    const ofKey = this.#hashOf(account, key);
    return { keyHigh: bits48(ofKey, 0), keyLow: bits48(ofKey, BYTES_OF_48_BITS), body: 0 };
  }

  #hashOf(account: number, key: string): string {
    return hash('sha256', `${this.#secret}${integerText(account)}:${key}`, 'binary');
  }
}

interface Lanes {
  readonly high: number;
  readonly low: number;
}

function mix({ high, low }: Lanes, text: string): Lanes {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  return { high, low };
}

function finalise(lanes: Lanes): number {
  const high = Math.imul(lanes.high ^ (lanes.low >>> 16), 0x85ebca6b);
  const low = Math.imul(lanes.low ^ (high >>> 13), 0xc2b2ae35);
  return (high >>> 16) * 2 ** 32 + (low >>> 0);
}

/** Each character is one byte. */
function bits48(digest: string, start: number): number {
  const high = (digest.charCodeAt(start) << 8) | digest.charCodeAt(start + 1);
  let low = 0;
  for (let i = start + 2; i < start + BYTES_OF_48_BITS; i++) low = (low << 8) | digest.charCodeAt(i);
  return high * 2 ** 32 + (low >>> 0);
}
