/**
 * Rows of the archive, read in their order beside a replay that produces them in the same order, so each block of them is
 * read once.
 */
import type { Cell } from '../../../engine/base/rows-text.js';

type Row = readonly Cell[];

export class RowsInOrder {
  #rows: Iterator<Cell[]> | null = null;
  #head: Cell[] | null = null;

  /** Rows are in the order of `keyOf`; `readFrom` reads them from its row's key on. */
  constructor(
    private readonly keyOf: (row: Row) => readonly number[],
    private readonly readFrom: (row: Row) => Iterable<Cell[]>,
  ) {}

  /** Keys must be asked for in ascending order. */
  get(row: Row): Cell[] | undefined {
    if (this.#rows === null) {
      this.#rows = this.readFrom(row)[Symbol.iterator]();
      this.#next();
    }
    const key = this.keyOf(row);
    while (this.#head !== null && compare(this.keyOf(this.#head), key) < 0) this.#next();
    const head = this.#head;
    if (head === null || compare(this.keyOf(head), key) > 0) return undefined;
    this.#next();
    return head;
  }

  #next(): void {
    const next = this.#rows?.next();
    this.#head = next === undefined || next.done === true ? null : next.value;
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [place, number] of one.entries()) {
    const difference = number - (other[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
