/** The resting orders of all rounds: for each round that has some, a tree for either side, and their number. */
import { must } from '../base/assert.js';
import type { LimitTable } from './limit-table.js';
import { type LimitSearch, LimitTree } from './limit-tree.js';
import type { Round } from './rounds.js';

interface Book {
  /** The trees' roots, by side. */
  readonly roots: [up: number, down: number];
  orders: number;
}

const NO_ROOTS: Book['roots'] = [0, 0];

export class LimitBooks {
  readonly #tree: LimitTree;
  readonly #books = new Map<Round, Book>();
  #orders = 0;
  #reservedCents = 0;

  constructor(private readonly table: LimitTable) {
    this.#tree = new LimitTree(table);
  }

  get orders(): number {
    return this.#orders;
  }
  get reservedCents(): number {
    return this.#reservedCents;
  }
  get rounds(): IterableIterator<Round> {
    return this.#books.keys();
  }

  ordersOf(round: Round): number {
    return this.#books.get(round)?.orders ?? 0;
  }

  add(round: Round, side: number, row: number): void {
    let book = this.#books.get(round);
    if (book === undefined) {
      book = { roots: [0, 0], orders: 0 };
      this.#books.set(round, book);
    }
    book.roots[side] = this.#tree.insert(book.roots[side] as number, row);
    this.#count(book, 1, row);
  }

  remove(round: Round, side: number, row: number): void {
    const book = must(this.#books.get(round), 'the resting orders of a round');
    book.roots[side] = this.#tree.remove(book.roots[side] as number, row);
    this.#count(book, -1, row);
    if (book.orders === 0) this.#books.delete(round);
  }

  #count(book: Book, orders: number, row: number): void {
    book.orders += orders;
    this.#orders += orders;
    this.#reservedCents += orders * (this.table.chunk(row).stakeCents[this.table.index(row)] as number);
  }

  /** The first of the round's orders by limit and number that fits on its side, or 0. */
  find(round: Round, up: LimitSearch, down: LimitSearch): number {
    const [upRoot, downRoot] = this.#rootsOf(round);
    const ofUp = this.#tree.find(upRoot, up);
    const ofDown = this.#tree.find(downRoot, down);
    if (ofUp === 0 || ofDown === 0) return ofUp + ofDown;
    return this.#tree.isBefore(ofUp, ofDown) ? ofUp : ofDown;
  }

  /** The first of the round's orders, those on UP before those on DOWN; 0 if it has none. */
  first(round: Round): number {
    const [up, down] = this.#rootsOf(round);
    return up + down === 0 ? 0 : this.#tree.first(up === 0 ? down : up);
  }

  /** The first of them that has ended by then, likewise; 0 if none has. */
  firstEnded(round: Round, timeMs: number): number {
    const [up, down] = this.#rootsOf(round);
    return this.#tree.firstEnded(up, timeMs) || this.#tree.firstEnded(down, timeMs);
  }

  /** The last millisecond in which all of them may rest; Infinity where only the round ends them. */
  lastValidMs(round: Round): number {
    const [up, down] = this.#rootsOf(round);
    return Math.min(this.#tree.firstEndMs(up), this.#tree.firstEndMs(down));
  }

  #rootsOf(round: Round): Book['roots'] {
    return this.#books.get(round)?.roots ?? NO_ROOTS;
  }
}
