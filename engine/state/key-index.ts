/**
 * An index of `IdempotencyMemory`'s entries by key digest: open addressing in 1,024 small partitions. A full partition
 * is rebuilt alone, without its expired slots, so neither growth nor expiry stalls an order for longer than that takes.
 * Partitions of one size are in one array, their level, so a look-up misses the cache once, at the slot. (One table per
 * minute would miss it for each.)
 *
 * Digests are keyed and uniform, so their bits serve as a hash: the lower ten select the partition; 31 more are the
 * slot's tag, which nearly always decides without reading the entry. All partitions reach the next level at nearly the
 * same time.
 */
import { must } from '../base/assert.js';

const PARTITIONS = 1024;
const PARTITION_MASK = PARTITIONS - 1;
/** A slot is a tag, 0 if the slot is empty, and the entry's number modulo 2^32. */
const SLOT_WORDS = 2;
const IN_USE = 0x8000_0000;
/** A partition of level 0 has 2^4 slots; each level doubles them. */
const WORD_BITS_MIN = 5;

export class KeyIndex {
  /** Partitions by level, contiguous; null if no partition has that level. */
  readonly #levels: (Int32Array | null)[] = [newLevel(0)];
  readonly #partitionsOf: number[] = [PARTITIONS];
  readonly #levelOf = new Uint8Array(PARTITIONS);
  readonly #slotsUsed = new Uint32Array(PARTITIONS);
  #moving = new Int32Array(0);

  /** Position of the first slot that may be this key's, or -1. */
  first(keyLow: number): number {
    const tag = tagOf(keyLow);
    return this.#search(keyLow, tag, tag * SLOT_WORDS);
  }

  /** -1 if there is none after `at`. */
  next(keyLow: number, at: number): number {
    return this.#search(keyLow, tagOf(keyLow), at + SLOT_WORDS);
  }

  /** Offset of the slot's entry from number `firstNumber`, modulo 2^32; past the last entry if it was dropped. */
  offset(keyLow: number, at: number, firstNumber: number): number {
    const level = this.#levelWith(keyLow & PARTITION_MASK);
    return ((level[at + 1] as number) - (firstNumber | 0)) >>> 0;
  }

  /** Adds entry `number`, the newest. Entries before `firstNumber` have been dropped. */
  add(keyLow: number, number: number, firstNumber: number): void {
    const p = keyLow & PARTITION_MASK;
    const level = this.#levelOf[p] as number;
    const used = this.#slotsUsed[p] as number;
    const slots = 1 << (level + WORD_BITS_MIN - 1);
    if ((used + 1) * 4 > slots * 3) this.#rebuild(p, firstNumber, number - firstNumber);
    this.#insert(p, tagOf(keyLow), number);
  }

  #levelWith(p: number): Int32Array {
    return must(this.#levels[this.#levelOf[p] as number], 'level of a partition');
  }

  /** Position of the first slot with this tag from `from` on, wrapping around, or -1 if an empty slot comes first. */
  #search(keyLow: number, tag: number, from: number): number {
    const p = keyLow & PARTITION_MASK;
    const level = this.#levelWith(p);
    const wordBits = (this.#levelOf[p] as number) + WORD_BITS_MIN;
    const mask = (1 << wordBits) - 1;
    const begin = p << wordBits;
    let at = begin + (from & mask);
    for (;;) {
      const found = level[at];
      if (found === tag) return at;
      if (found === 0) return -1;
      at = begin + ((at + SLOT_WORDS) & mask);
    }
  }

  #insert(p: number, tag: number, number: number): void {
    const level = this.#levelWith(p);
    const wordBits = (this.#levelOf[p] as number) + WORD_BITS_MIN;
    const mask = (1 << wordBits) - 1;
    const begin = p << wordBits;
    let at = begin + ((tag * SLOT_WORDS) & mask);
    while (level[at] !== 0) at = begin + ((at + SLOT_WORDS) & mask);
    level[at] = tag;
    level[at + 1] = number;
    this.#slotsUsed[p] = (this.#slotsUsed[p] as number) + 1;
  }

  /** Rebuilds a partition with only the slots of the `count` live entries, at half load or less. */
  #rebuild(p: number, firstNumber: number, count: number): void {
    const live = this.#takeLive(p, firstNumber, count);
    let newLevelOf = 0;
    while (1 << (newLevelOf + WORD_BITS_MIN - 1) < (live + 1) * 2) newLevelOf++;
    this.#moveTo(p, newLevelOf);
    const wordBits = newLevelOf + WORD_BITS_MIN;
    const level = this.#levelWith(p);
    const begin = p << wordBits;
    level.fill(0, begin, begin + (1 << wordBits));
    putAll(level, begin, (1 << wordBits) - 1, this.#moving, live);
    this.#slotsUsed[p] = live;
  }

  #takeLive(p: number, firstNumber: number, count: number): number {
    const wordBits = (this.#levelOf[p] as number) + WORD_BITS_MIN;
    if (this.#moving.length < 1 << wordBits) this.#moving = new Int32Array(1 << wordBits);
    const begin = p << wordBits;
    const end = begin + (1 << wordBits);
    return takeAll(this.#levelWith(p), begin, end, firstNumber | 0, count, this.#moving);
  }

  #moveTo(p: number, level: number): void {
    const before = this.#levelOf[p] as number;
    if (level === before) return;
    this.#levels[level] ??= newLevel(level);
    this.#partitionsOf[level] = (this.#partitionsOf[level] ?? 0) + 1;
    const left = (this.#partitionsOf[before] ?? 0) - 1;
    this.#partitionsOf[before] = left;
    if (left === 0) this.#levels[before] = null;
    this.#levelOf[p] = level;
  }
}

/** The operating system allocates a level's memory only as partitions write to it. */
function newLevel(level: number): Int32Array {
  return new Int32Array(PARTITIONS << (level + WORD_BITS_MIN));
}

function tagOf(keyLow: number): number {
  return Math.floor(keyLow / PARTITIONS) | IN_USE;
}

/* Each entry is moved once or twice in its life, so these two loops work on local variables alone. */

/** For slots in [`begin`, `end`) whose entries are among the `count` from `firstNumber` on. Returns their number. */
function takeAll(
  level: Int32Array,
  begin: number,
  end: number,
  firstNumber: number,
  count: number,
  taken: Int32Array,
): number {
  let words = 0;
  for (let at = begin; at < end; at += SLOT_WORDS) {
    const tag = level[at] as number;
    if (tag === 0) continue;
    const number = level[at + 1] as number;
    if ((number - firstNumber) >>> 0 >= count) continue;
    taken[words] = tag;
    taken[words + 1] = number;
    words += SLOT_WORDS;
  }
  return words / SLOT_WORDS;
}

/** The partition at `begin` is empty. */
function putAll(level: Int32Array, begin: number, mask: number, slots: Int32Array, count: number): void {
  for (let from = 0; from < count * SLOT_WORDS; from += SLOT_WORDS) {
    const tag = slots[from] as number;
    let at = (tag << 1) & mask;
    while (level[begin + at] !== 0) at = (at + SLOT_WORDS) & mask;
    level[begin + at] = tag;
    level[begin + at + 1] = slots[from + 1] as number;
  }
}
