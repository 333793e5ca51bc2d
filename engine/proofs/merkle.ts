/**
 * Merkle trees over the hashes of a round's bets, by RFC 6962 (section 2.1): a leaf's hash is SHA-256 of 0x00 and its
 * data, a node's that of 0x01 and the hashes of its two subtrees, and the left subtree has the greatest power of two of
 * leaves that leaves something for the right one. A leaf's data are the 32 bytes of a `betHash`; the leaves are in the
 * order in which the bets joined their round.
 */
import { assert, must } from '../base/assert.js';

/** SHA-256, from the platform. The bytes that it returns stay as they are. */
export type Sha256 = (data: Uint8Array) => Uint8Array;

export const HASH_BYTES = 32;
const LEAF_PREFIX = 0;
const NODE_PREFIX = 1;

/** Computes hashes of leaves and nodes. It keeps its input's memory, so it allocates nothing but the hashes. */
export class TreeHasher {
  #leaf = new Uint8Array(1 + HASH_BYTES);
  readonly #node = new Uint8Array(1 + 2 * HASH_BYTES).fill(NODE_PREFIX, 0, 1);

  constructor(private readonly sha256: Sha256) {}

  leaf(data: Uint8Array): Uint8Array {
    if (this.#leaf.length !== 1 + data.length) this.#leaf = new Uint8Array(1 + data.length);
    this.#leaf[0] = LEAF_PREFIX;
    this.#leaf.set(data, 1);
    return this.sha256(this.#leaf);
  }

  node(left: Uint8Array, right: Uint8Array): Uint8Array {
    this.#node.set(left, 1);
    this.#node.set(right, 1 + HASH_BYTES);
    return this.sha256(this.#node);
  }

  /** The root of a tree without leaves: SHA-256 of nothing. */
  empty(): Uint8Array {
    return this.sha256(new Uint8Array(0));
  }
}

/** The root of a tree that grows leaf by leaf, of which only the complete subtrees are kept: at most one for each power of two. */
export class TreeStack {
  /** Complete subtrees from the left, each with more leaves than the one behind it. */
  readonly #subtrees: Uint8Array[] = [];
  #size = 0;

  constructor(private readonly hasher: TreeHasher) {}

  /** Number of leaves. */
  get size(): number {
    return this.#size;
  }

  add(data: Uint8Array): void {
    let hash = this.hasher.leaf(data);
    // A subtree is completed for each bit that the count carries over.
    for (let rest = this.#size; rest % 2 === 1; rest = (rest - 1) / 2) {
      hash = this.hasher.node(must(this.#subtrees.pop(), 'a complete subtree'), hash);
    }
    this.#subtrees.push(hash);
    this.#size += 1;
  }

  root(): Uint8Array {
    let root: Uint8Array | null = null;
    for (const subtree of this.#subtrees.toReversed()) {
      root = root === null ? subtree : this.hasher.node(subtree, root);
    }
    return root ?? this.hasher.empty();
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

  /** How many leaves it has by now. */
  get leaves(): number {
    return this.#leaves;
  }

  add(data: Uint8Array): void {
    assert(this.#leaves < this.size, 'a tree has as many leaves as its size says');
    let at = this.#leaves;
    this.#leaves += 1;
    let hash = this.hasher.leaf(data);
    for (let level = 0; ; level++) {
      must(this.#levels[level], 'a level').set(hash, at * HASH_BYTES);
      if (at % 2 === 0) return;
      hash = this.hasher.node(this.#complete(level, at - 1), hash);
      at = (at - 1) / 2;
    }
  }

  /** The hash of a leaf. */
  leaf(index: number): Uint8Array {
    assert(index >= 0 && index < this.#leaves, 'a leaf that was added');
    return this.#complete(0, index);
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

  /** Subtrees of the level, the last of which may lack leaves. */
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
    return must(this.#levels[level], 'a level').subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
  }
}

export interface Inclusion {
  readonly leafIndex: number;
  readonly treeSize: number;
  /** The hash that the path begins with: of the leaf. */
  readonly leaf: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/** The root to which a path leads (RFC 9162, section 2.1.3.2); null if it is not the path of such a leaf. */
export function rootOfPath(
  { leafIndex, treeSize, leaf, path }: Inclusion,
  hasher: TreeHasher,
): Uint8Array | null {
  const isLeaf = Number.isSafeInteger(leafIndex) && Number.isSafeInteger(treeSize) && leafIndex >= 0;
  if (!isLeaf || leafIndex >= treeSize) return null;
  let at = leafIndex;
  let last = treeSize - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      hash = hasher.node(sibling, hash);
      while (at % 2 === 0 && at !== 0) {
        at /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = hasher.node(hash, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hash : null;
}
