/**
 * Finds the entries of `IdempotencyMemory` by their key's digest: open addressing in 1,024 small partitions. One that
 * fills up is rebuilt on its own, without its expired slots, so neither growing nor forgetting ever stalls an order
 * for longer than one partition takes. (A look-up in one table for each minute would cost eleven cache misses.)
 *
 * A digest is uniform and keyed, so its bits are a hash as they are: the lower ten choose the partition, 31 more are
 * the slot's tag, which says nearly always without a look at the entry whether the slot is another key's.
 */
import { must } from '../assert.js';

const PARTITIONS = 1024;
const PARTITION_MASK = PARTITIONS - 1;
const SLOTS_MIN = 16;
/** A slot is a tag, which is never 0 where the slot is in use, and the entry's number modulo 2^32. */
const SLOT_WORDS = 2;
const IN_USE = 0x8000_0000;

export class KeyIndex {
  readonly #partitions: Int32Array[] = Array.from({ length: PARTITIONS }, () => newPartition(SLOTS_MIN));
  readonly #slotsUsed = new Uint32Array(PARTITIONS);

  /** Place of the first slot that may be this key's, or -1. */
  first(keyLow: number): number {
    const partition = this.#partition(keyLow);
    const tag = tagOf(keyLow);
    return search(partition, tag, (tag * SLOT_WORDS) & (partition.length - 1));
  }

  /** Place of the next such slot after the one at `at`, or -1. */
  next(keyLow: number, at: number): number {
    const partition = this.#partition(keyLow);
    return search(partition, tagOf(keyLow), (at + SLOT_WORDS) & (partition.length - 1));
  }

  /** Offset of the slot's entry from number `firstNumber`, modulo 2^32: beyond the last entry where it was dropped. */
  offset(keyLow: number, at: number, firstNumber: number): number {
    return offsetOf(this.#partition(keyLow), at, firstNumber);
  }

  /** Adds entry `number`, the newest; entries before `firstNumber` are dropped. */
  add(keyLow: number, number: number, firstNumber: number): void {
    const p = keyLow & PARTITION_MASK;
    let partition = must(this.#partitions[p], 'partition');
    const slots = partition.length / SLOT_WORDS;
    if (((this.#slotsUsed[p] as number) + 1) * 4 > slots * 3) {
      partition = this.#rebuild(p, firstNumber, number - firstNumber);
    }
    insert(partition, tagOf(keyLow), number);
    this.#slotsUsed[p] = (this.#slotsUsed[p] as number) + 1;
  }

  #partition(keyLow: number): Int32Array {
    return must(this.#partitions[keyLow & PARTITION_MASK], 'partition');
  }

  /** Rebuilds one partition with the slots of the `count` entries that are held, at half load or less. */
  #rebuild(p: number, firstNumber: number, count: number): Int32Array {
    const partition = must(this.#partitions[p], 'partition');
    let live = 0;
    for (let at = 0; at < partition.length; at += SLOT_WORDS) {
      if (partition[at] !== 0 && offsetOf(partition, at, firstNumber) < count) live++;
    }
    let slots = SLOTS_MIN;
    while (slots < (live + 1) * 2) slots *= 2;
    const rebuilt = newPartition(slots);
    for (let at = 0; at < partition.length; at += SLOT_WORDS) {
      if (partition[at] === 0 || offsetOf(partition, at, firstNumber) >= count) continue;
      insert(rebuilt, partition[at] as number, partition[at + 1] as number);
    }
    this.#partitions[p] = rebuilt;
    this.#slotsUsed[p] = live;
    return rebuilt;
  }
}

function newPartition(slots: number): Int32Array {
  return new Int32Array(slots * SLOT_WORDS);
}

function tagOf(keyLow: number): number {
  return Math.floor(keyLow / PARTITIONS) | IN_USE;
}

/** Place of the first slot with this tag from `at` on, or -1 where an empty one comes before it. */
function search(partition: Int32Array, tag: number, from: number): number {
  const mask = partition.length - 1;
  let at = from;
  for (;;) {
    const found = partition[at];
    if (found === tag) return at;
    if (found === 0) return -1;
    at = (at + SLOT_WORDS) & mask;
  }
}

function offsetOf(partition: Int32Array, at: number, firstNumber: number): number {
  return ((partition[at + 1] as number) - (firstNumber | 0)) >>> 0;
}

function insert(partition: Int32Array, tag: number, number: number): void {
  const mask = partition.length - 1;
  let at = (tag * SLOT_WORDS) & mask;
  while (partition[at] !== 0) at = (at + SLOT_WORDS) & mask;
  partition[at] = tag;
  partition[at + 1] = number;
}
