/**
 * Merkle trees over the hashes of a round's bets, by RFC 6962 (section 2.1): a leaf's hash is SHA-256 of 0x00 and its
 * data, a node's that of 0x01 and the hashes of its two subtrees, and the left subtree has the greatest power of two of
 * leaves that leaves something for the right one. A leaf's data are the 32 bytes of a `betHash`; the leaves are in the
 * order in which the bets joined their round.
 */
import { assert, must } from '../base/assert.js';

/** The platform's SHA-256. Writes the 32 bytes of the hash into `into`, from `at` on; text is hashed as UTF-8. */
export type Sha256 = (data: string | Uint8Array, into: Uint8Array, at: number) => void;

const HASH_BYTES = 32;
const LEAF_PREFIX = 0;
const NODE_PREFIX = 1;
const LEFT = 1;
const RIGHT = LEFT + HASH_BYTES;
const NODE_BYTES = RIGHT + HASH_BYTES;

/** A leaf's prefix, and room for its data from 1 on. */
export const newLeaf = (): Uint8Array => new Uint8Array(1 + HASH_BYTES).fill(LEAF_PREFIX, 0, 1);
const newNode = (): Uint8Array => new Uint8Array(NODE_BYTES).fill(NODE_PREFIX, 0, LEFT);

/** Methods return the bytes that the hash was written into: new ones where none are given. */
export class TreeHasher {
  readonly #leaf = newLeaf();
  readonly #node = newNode();

  constructor(private readonly sha256: Sha256) {}

  leaf(data: Uint8Array, into: Uint8Array = new Uint8Array(HASH_BYTES), at = 0): Uint8Array {
    this.#leaf.set(data, 1);
    return this.hash(this.#leaf, into, at);
  }

  node(
    left: Uint8Array,
    right: Uint8Array,
    into: Uint8Array = new Uint8Array(HASH_BYTES),
    at = 0,
  ): Uint8Array {
    this.#node.set(left, LEFT);
    this.#node.set(right, RIGHT);
    return this.hash(this.#node, into, at);
  }

  /** `data` begin with their prefix. */
  hash(data: Uint8Array, into: Uint8Array = new Uint8Array(HASH_BYTES), at = 0): Uint8Array {
    this.sha256(data, into, at);
    return into;
  }

  /** SHA-256 of nothing: the root of a tree without leaves. */
  empty(): Uint8Array {
    return this.hash(new Uint8Array(0));
  }
}

/**
 * The root of a tree that grows leaf by leaf, of which only the complete subtrees are kept: at most one for each power of two.
 * Each is written where the node above it is hashed from, so that a leaf allocates nothing.
 */
export class TreeStack {
  /** By height of its subtrees: the data of a node. The left one is there where the size has the bit of that height. */
  readonly #nodes: Uint8Array[] = [];
  #size = 0;

  constructor(private readonly hasher: TreeHasher) {}

  get size(): number {
    return this.#size;
  }

  /** `leaf` begins with its prefix (`newLeaf`). */
  add(leaf: Uint8Array): void {
    let rest = this.#size;
    this.hasher.hash(leaf, this.#node(0), rest % 2 === 0 ? LEFT : RIGHT);
    // A subtree is completed for each bit that the count carries over.
    for (let height = 0; rest % 2 === 1; height++) {
      rest = (rest - 1) / 2;
      this.hasher.hash(this.#node(height), this.#node(height + 1), rest % 2 === 0 ? LEFT : RIGHT);
    }
    this.#size += 1;
  }

  root(): Uint8Array {
    let root: Uint8Array | null = null;
    for (let height = 0, rest = this.#size; rest > 0; height++, rest = Math.floor(rest / 2)) {
      if (rest % 2 === 0) continue;
      const subtree = this.#node(height).slice(LEFT, RIGHT);
      root = root === null ? subtree : this.hasher.node(subtree, root);
    }
    return root ?? this.hasher.empty();
  }

  #node(height: number): Uint8Array {
    this.#nodes[height] ??= newNode();
    return this.#nodes[height];
  }
}

/**
 * A tree of a known size that keeps all its nodes, 64 bytes for a leaf. Once it is whole, a path costs a few hashes at most:
 * those of its right edge, where the size is no power of two.
 */
export class WholeTree {
  /** The hashes of complete subtrees, from the leaves up, each level's one after the other. */
  readonly #levels: Uint8Array[] = [];
  #leaves = 0;

  constructor(
    readonly size: number,
    private readonly hasher: TreeHasher,
  ) {
    for (let count = size; count > 0; count = Math.floor(count / 2))
      this.#levels.push(new Uint8Array(count * HASH_BYTES));
  }

  get leaves(): number {
    return this.#leaves;
  }

  add(data: Uint8Array): void {
    assert(this.#leaves < this.size, 'a tree has as many leaves as its size says');
    let at = this.#leaves;
    this.#leaves += 1;
    this.hasher.leaf(data, this.#level(0), at * HASH_BYTES);
    for (let level = 0; at % 2 === 1; level++) {
      const [left, right] = [this.#complete(level, at - 1), this.#complete(level, at)];
      at = (at - 1) / 2;
      this.hasher.node(left, right, this.#level(level + 1), at * HASH_BYTES);
    }
  }

  /** The tree must be whole. */
  root(): Uint8Array {
    return this.size === 0 ? this.hasher.empty() : this.#node(Math.ceil(Math.log2(this.size)), 0);
  }

  /** The hashes beside the way from leaf `index` to the root, from the leaf up (RFC 6962, section 2.1.1). */
  path(index: number): Uint8Array[] {
    assert(
      this.#leaves === this.size && index >= 0 && index < this.size,
      'a path begins at a leaf of a whole tree',
    );
    const path: Uint8Array[] = [];
    for (let level = 0, at = index; this.#count(level) > 1; level++, at = Math.floor(at / 2)) {
      const sibling = at % 2 === 0 ? at + 1 : at - 1;
      // The last of an odd number goes up as it is.
      if (sibling < this.#count(level)) path.push(this.#node(level, sibling));
    }
    return path;
  }

  /** The last of them may lack leaves. */
  #count(level: number): number {
    return Math.ceil(this.size / 2 ** level);
  }

  #node(level: number, at: number): Uint8Array {
    if ((at + 1) * 2 ** level <= this.size) return this.#complete(level, at);
    const left = this.#node(level - 1, 2 * at);
    const isAlone = 2 * at + 1 === this.#count(level - 1);
    return isAlone ? left : this.hasher.node(left, this.#node(level - 1, 2 * at + 1));
  }

  #complete(level: number, at: number): Uint8Array {
    return this.#level(level).subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
  }

  #level(level: number): Uint8Array {
    return must(this.#levels[level], 'a level');
  }
}
