/** Market and side in the text of an order, and how to find out which of them is at a position. */
import { ORDER_PARTS } from '../../engine/model/command-codec.js';

/** By `market * 2 + side`. */
export const PARTS: readonly Buffer[] = ORDER_PARTS.map((part) => Buffer.from(part));

const QUOTE = 0x22;
/** Quotes in a part; it ends with a comma after the last one. */
const PART_QUOTES = 4;
const PART_BYTES_MAX = Math.max(...PARTS.map(({ length }) => length));

const hashStep = (hash: number, byte: number): number => (Math.imul(hash, 31) + byte) | 0;

/** Finds a part by its hash, up to the last quote. Its size is the first at which no two parts collide. */
function tableOfParts(): Uint8Array {
  const hashes = PARTS.map((part) => part.subarray(0, -1).reduce(hashStep, 0));
  for (let slots = 256; ; slots *= 2) {
    const table = new Uint8Array(slots);
    hashes.forEach((hash, part) => {
      table[hash & (slots - 1)] = part;
    });
    if (hashes.every((hash, part) => table[hash & (slots - 1)] === part)) return table;
  }
}

const PART_BY_HASH = tableOfParts();
const HASH_MASK = PART_BY_HASH.length - 1;

/** The index in `PARTS` of the only part that can be at `from`. The caller compares whether it is. */
export function partAt(bytes: Uint8Array, from: number): number {
  let hash = 0;
  let quotes = 0;
  let at = from;
  for (; quotes < PART_QUOTES && at - from < PART_BYTES_MAX; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) quotes++;
    hash = hashStep(hash, byte);
  }
  return PART_BY_HASH[hash & HASH_MASK] as number;
}
