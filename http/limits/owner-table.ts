/**
 * A hash table from an owner to a number that is not 0: open addressing with linear probing, at most half full. Owners
 * are compared in full, so no two share an entry. The hash is seeded: otherwise an owner of many addresses could choose
 * colliding ones, and each look-up would probe all of them.
 */
import { Kind, type Owner } from './owner.js';
import { bytesOfWords, type Memory } from './shared-memory.js';

/** The three words of the owner, of which the first is not 0, and the value. */
const WORDS = 4;
const VALUE = 3;

/** A power of two. */
const entriesFor = (ownersMax: number): number => 2 ** Math.ceil(Math.log2(ownersMax * 2));

export class OwnerTable {
  static bytes(ownersMax: number): number {
    return bytesOfWords(entriesFor(ownersMax) * WORDS);
  }

  readonly #words: Uint32Array;
  readonly #mask: number;
  readonly #factor: number;

  /** `seed`: 32 random bits, the same for all threads. The caller keeps no more than `ownersMax` owners. */
  constructor(
    memory: Memory,
    ownersMax: number,
    private readonly seed: number,
  ) {
    const entries = entriesFor(ownersMax);
    this.#words = memory.words(entries * WORDS);
    this.#mask = entries - 1;
    this.#factor = (Math.imul(seed, 0x9e3779b1) | 1) >>> 0;
  }

  get({ kind, high, low }: Owner): number {
    return this.#words[this.#find(kind, high, low) * WORDS + VALUE] as number;
  }

  set({ kind, high, low }: Owner, value: number): void {
    this.#write(this.#find(kind, high, low) * WORDS, kind, high, low, value);
  }

  /** The owner must be known. Entries behind it that it had displaced move up. */
  delete(owner: Owner): void {
    const words = this.#words;
    let gap = this.#find(owner.kind, owner.high, owner.low);
    for (let entry = (gap + 1) & this.#mask; words[entry * WORDS] !== 0; entry = (entry + 1) & this.#mask) {
      const at = entry * WORDS;
      const kind = words[at] as number;
      const high = words[at + 1] as number;
      const low = words[at + 2] as number;
      const home = this.#home(kind, high, low);
      if (((entry - home) & this.#mask) < ((entry - gap) & this.#mask)) continue;
      this.#write(gap * WORDS, kind, high, low, words[at + VALUE] as number);
      gap = entry;
    }
    this.#write(gap * WORDS, 0, 0, 0, 0);
  }

  #write(at: number, kind: number, high: number, low: number, value: number): void {
    const words = this.#words;
    words[at] = kind;
    words[at + 1] = high;
    words[at + 2] = low;
    words[at + VALUE] = value;
  }

  #find(kind: number, high: number, low: number): number {
    const words = this.#words;
    let entry = this.#home(kind, high, low);
    for (; ; entry = (entry + 1) & this.#mask) {
      const at = entry * WORDS;
      if (words[at] === 0) return entry;
      if (words[at + 2] === low && words[at + 1] === high && words[at] === kind) return entry;
    }
  }

  #home(kind: number, high: number, low: number): number {
    // Numbers are given in sequence: side by side they take little memory, and no client can choose them.
    if (kind >= Kind.keyReads) return (low * 3 + kind) & this.#mask;
    let hash = Math.imul(high ^ this.seed, this.#factor) + kind;
    hash = Math.imul(hash ^ (hash >>> 15) ^ low, this.#factor);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) & this.#mask;
  }
}
