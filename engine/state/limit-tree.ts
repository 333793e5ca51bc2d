/**
 * The resting orders of one side of a round as an AVL tree, ordered by limit, then by number, which is time. Each node
 * knows the least stake and the first end below it: a search leaves out trees in which every stake is too large for the
 * lowest limit, and finds orders whose time is over as quickly. Its result depends on the orders alone: a tree
 * that was built in another order, from a snapshot, behaves alike.
 */
import { fail } from '../base/assert.js';
import type { LimitTable } from './limit-table.js';

/** Both conditions are asked in the tree's order. */
export interface LimitSearch {
  /** False if no order with this limit or a higher one, and this stake or a larger one, fits: such trees are left out. */
  mayFit(limitOddsE4: number, stakeCents: number): boolean;
  /** Asked where `mayFit` is true for the order in this row. */
  fits(row: number): boolean;
}

type Side = 'left' | 'right';

export class LimitTree {
  constructor(private readonly table: LimitTable) {}

  /** Returns the root. */
  insert(root: number, row: number): number {
    const { table } = this;
    if (root === 0) {
      const chunk = table.chunk(row);
      const i = table.index(row);
      chunk.left[i] = 0;
      chunk.right[i] = 0;
      return this.#measured(row);
    }
    const chunk = table.chunk(root);
    const i = table.index(root);
    if (this.isBefore(row, root)) chunk.left[i] = this.insert(chunk.left[i] as number, row);
    else chunk.right[i] = this.insert(chunk.right[i] as number, row);
    return this.#balanced(root);
  }

  /** `row` must be in the tree. Returns the root. */
  remove(root: number, row: number): number {
    if (root === 0) fail(`limit order ${row} is not in its tree`);
    const chunk = this.table.chunk(root);
    const i = this.table.index(root);
    const left = chunk.left[i] as number;
    const right = chunk.right[i] as number;
    if (root !== row) {
      if (this.isBefore(row, root)) chunk.left[i] = this.remove(left, row);
      else chunk.right[i] = this.remove(right, row);
      return this.#balanced(root);
    }
    if (right === 0) return left;
    const next = this.first(right);
    const rest = this.remove(right, next);
    const nextChunk = this.table.chunk(next);
    const at = this.table.index(next);
    nextChunk.left[at] = left;
    nextChunk.right[at] = rest;
    return this.#balanced(next);
  }

  /** The tree must not be empty. */
  first(root: number): number {
    let row = root;
    for (;;) {
      const left = this.table.chunk(row).left[this.table.index(row)] as number;
      if (left === 0) return row;
      row = left;
    }
  }

  /** Infinity if no order ends. */
  firstEndMs(root: number): number {
    return root === 0
      ? Number.POSITIVE_INFINITY
      : (this.table.chunk(root).firstEndMs[this.table.index(root)] as number);
  }

  /** 0 if none has ended by then. */
  firstEnded(root: number, timeMs: number): number {
    if (this.firstEndMs(root) >= timeMs) return 0;
    const chunk = this.table.chunk(root);
    const i = this.table.index(root);
    const before = this.firstEnded(chunk.left[i] as number, timeMs);
    if (before !== 0) return before;
    return (chunk.validUntilMs[i] as number) < timeMs
      ? root
      : this.firstEnded(chunk.right[i] as number, timeMs);
  }

  find(root: number, search: LimitSearch): number {
    if (root === 0) return 0;
    const first = this.first(root);
    return this.#find(root, this.table.chunk(first).limitOddsE4[this.table.index(first)] as number, search);
  }

  /** No limit in the tree is below `lowestE4`. */
  #find(root: number, lowestE4: number, search: LimitSearch): number {
    if (root === 0) return 0;
    const chunk = this.table.chunk(root);
    const i = this.table.index(root);
    if (!search.mayFit(lowestE4, chunk.leastCents[i] as number)) return 0;
    const before = this.#find(chunk.left[i] as number, lowestE4, search);
    if (before !== 0) return before;
    const limitOddsE4 = chunk.limitOddsE4[i] as number;
    if (search.mayFit(limitOddsE4, chunk.stakeCents[i] as number) && search.fits(root)) return root;
    return this.#find(chunk.right[i] as number, limitOddsE4, search);
  }

  isBefore(row: number, other: number): boolean {
    const { table } = this;
    const one = table.chunk(row);
    const two = table.chunk(other);
    const i = table.index(row);
    const j = table.index(other);
    const oddsE4 = (one.limitOddsE4[i] as number) - (two.limitOddsE4[j] as number);
    return oddsE4 === 0 ? (one.bet[i] as number) < (two.bet[j] as number) : oddsE4 < 0;
  }

  #height(row: number): number {
    return row === 0 ? 0 : (this.table.chunk(row).height[this.table.index(row)] as number);
  }

  #least(row: number): number {
    return row === 0
      ? Number.POSITIVE_INFINITY
      : (this.table.chunk(row).leastCents[this.table.index(row)] as number);
  }

  #measured(row: number): number {
    const chunk = this.table.chunk(row);
    const i = this.table.index(row);
    const left = chunk.left[i] as number;
    const right = chunk.right[i] as number;
    chunk.height[i] = 1 + Math.max(this.#height(left), this.#height(right));
    chunk.leastCents[i] = Math.min(chunk.stakeCents[i] as number, this.#least(left), this.#least(right));
    const endMs = chunk.validUntilMs[i] as number;
    chunk.firstEndMs[i] = Math.min(endMs, this.firstEndMs(left), this.firstEndMs(right));
    return row;
  }

  /** Measures the row and turns it where one side is higher by two. Returns the tree's root. */
  #balanced(row: number): number {
    const chunk = this.table.chunk(row);
    const i = this.table.index(row);
    const lean = this.#height(chunk.left[i] as number) - this.#height(chunk.right[i] as number);
    if (lean > 1) return this.#lowered(row, 'left', 'right');
    return lean < -1 ? this.#lowered(row, 'right', 'left') : this.#measured(row);
  }

  #lowered(row: number, high: Side, low: Side): number {
    const { table } = this;
    const chunk = table.chunk(row);
    const i = table.index(row);
    const child = chunk[high][i] as number;
    const ofChild = table.chunk(child);
    const at = table.index(child);
    if (this.#height(ofChild[high][at] as number) < this.#height(ofChild[low][at] as number))
      chunk[high][i] = this.#turned(child, low, high);
    return this.#turned(row, high, low);
  }

  /** The child on side `from` takes the row's place, and the row becomes its child on side `to`. */
  #turned(row: number, from: Side, to: Side): number {
    const chunk = this.table.chunk(row);
    const i = this.table.index(row);
    const child = chunk[from][i] as number;
    const ofChild = this.table.chunk(child);
    const at = this.table.index(child);
    chunk[from][i] = ofChild[to][at] as number;
    ofChild[to][at] = this.#measured(row);
    return this.#measured(child);
  }
}
