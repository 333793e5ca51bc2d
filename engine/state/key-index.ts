/**
 * Finds the entries of `IdempotencyMemory` by their key's digest: open addressing in 1,024 small partitions. One that
 * fills up is rebuilt on its own, without its expired slots, so neither growing nor forgetting ever stalls an order
 * for longer than one partition takes. (A look-up in one table for each minute would cost eleven cache misses.)
 *
 * Partitions of a size lie in one array, their level, so that a look-up reads one place in memory that is not in the
 * cache: the slot. Digests are uniform, so all partitions move up to the next level at nearly the same time.
 *
 * A digest is keyed, too, so its bits are a hash as they are: the lower ten choose the partition, 31 more are the
 * slot's tag, which says nearly always without a look at the entry whether the slot is another key's.
 */
import { must } from '../base/assert.js';

const PARTITIONS = 1024;
const PARTITION_MASK = PARTITIONS - 1;
/** A slot is a tag, which is never 0 where the slot is in use, and the entry's number modulo 2^32. */
const SLOT_WORDS = 2;
const IN_USE = 0x8000_0000;
/** A partition of level 0 has 2^4 slots; each level doubles them. */
const WORD_BITS_MIN = 5;

export class KeyIndex {
  /** Partitions by level, one behind the other; null where no partition is of that level. */
  readonly #levels: (Int32Array | null)[] = [newLevel(0)];
  /** How many partitions are of each level. */
  readonly #partitionsOf: number[] = [PARTITIONS];
  readonly #levelOf = new Uint8Array(PARTITIONS);
  readonly #slotsUsed = new Uint32Array(PARTITIONS);
  /** Tags and numbers of the partition that is rebuilt. */
  #moving = new Int32Array(0);

  /** Place of the first slot that may be this key's, or -1. */
  first(keyLow: number): number {
    const tag = tagOf(keyLow);
    return this.#search(keyLow, tag, tag * SLOT_WORDS);
  }

  /** Place of the next such slot after the one at `at`, or -1. */
  next(keyLow: number, at: number): number {
    return this.#search(keyLow, tagOf(keyLow), at + SLOT_WORDS);
  }

  /** Offset of the slot's entry from number `firstNumber`, modulo 2^32: beyond the last entry where it was dropped. */
  offset(keyLow: number, at: number, firstNumber: number): number {
    return offsetOf(this.#levelWith(keyLow & PARTITION_MASK), at, firstNumber);
  }

  /** Adds entry `number`, the newest; entries before `firstNumber` are dropped. */
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

  /** Place of the first slot with this tag from `from` on, modulo the partition, or -1 where an empty one comes before it. */
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

  /** Rebuilds one partition with the slots of the `count` entries that are held, at half load or less. */
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

  /** Copies the partition's slots of entries that are held to `#moving` and returns how many they are. */
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

/** The memory of a level is the operating system's until a partition writes to it. */
function newLevel(level: number): Int32Array {
  return new Int32Array(PARTITIONS << (level + WORD_BITS_MIN));
}

function tagOf(keyLow: number): number {
  return Math.floor(keyLow / PARTITIONS) | IN_USE;
}

function offsetOf(level: Int32Array, at: number, firstNumber: number): number {
  return ((level[at + 1] as number) - (firstNumber | 0)) >>> 0;
}

/*
 * Each entry is moved once or twice in its life, so the two loops over a partition have all that they need in
 * variables of their own.
 */

/** Copies the slots in use from `begin` up to `end` whose entries are among the `count` from `firstNumber` on; returns how many. */
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

/** Puts `count` slots into the empty partition at `begin`, each where its tag belongs or in the next free place. */
function putAll(level: Int32Array, begin: number, mask: number, slots: Int32Array, count: number): void {
  for (let from = 0; from < count * SLOT_WORDS; from += SLOT_WORDS) {
    const tag = slots[from] as number;
    let at = (tag << 1) & mask;
    while (level[begin + at] !== 0) at = (at + SLOT_WORDS) & mask;
    level[begin + at] = tag;
    level[begin + at + 1] = slots[from + 1] as number;
  }
}
