/** The root to which a Merkle path leads, for those who check the product's paths. */
import type { TreeHasher } from '../../../engine/proofs/merkle.js';

interface Inclusion {
  readonly leafIndex: number;
  readonly treeSize: number;
  /** The leaf's hash, with which the path begins. */
  readonly leaf: Uint8Array;
  readonly path: readonly Uint8Array[];
}

/** The root to which a path leads (RFC 9162, section 2.1.3.2); null if it is not the path of such a leaf. */
export function rootOfPath(
  { leafIndex, treeSize, leaf, path }: Inclusion,
  hasher: TreeHasher,
): Uint8Array | null {
  if (leafIndex >= treeSize) return null;
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
