/** The resting orders of all rounds: for each round that has some, a tree for either side, and their number. */
import { must } from '../base/assert.js';
import { UP } from '../model/domain.js';
import type { LimitTable } from './limit-table.js';
import { type LimitSearch, LimitTree } from './limit-tree.js';
import type { Round } from './rounds.js';

interface Book {
  upRoot: number;
  downRoot: number;
  orders: number;
}

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
    return this.#orders === 0 ? 0 : (this.#books.get(round)?.orders ?? 0);
  }

  add(round: Round, side: number, row: number): void {
    let book = this.#books.get(round);
    if (book === undefined) {
      book = { upRoot: 0, downRoot: 0, orders: 0 };
      this.#books.set(round, book);
    }
    if (side === UP) book.upRoot = this.#tree.insert(book.upRoot, row);
    else book.downRoot = this.#tree.insert(book.downRoot, row);
    book.orders++;
    this.#orders++;
    this.#reservedCents += this.#stakeCents(row);
  }

  remove(round: Round, side: number, row: number): void {
    const book = must(this.#books.get(round), 'the resting orders of a round');
    if (side === UP) book.upRoot = this.#tree.remove(book.upRoot, row);
    else book.downRoot = this.#tree.remove(book.downRoot, row);
    book.orders--;
    this.#orders--;
    this.#reservedCents -= this.#stakeCents(row);
    if (book.orders === 0) this.#books.delete(round);
  }

  /** The first of the round's orders by limit and number that fits on its side, or 0. */
  find(round: Round, up: LimitSearch, down: LimitSearch): number {
    const book = this.#books.get(round);
    if (book === undefined) return 0;
    const ofUp = this.#tree.find(book.upRoot, up);
    const ofDown = this.#tree.find(book.downRoot, down);
    if (ofUp === 0 || ofDown === 0) return ofUp + ofDown;
    return this.#tree.isBefore(ofUp, ofDown) ? ofUp : ofDown;
  }

  /** The first of the round's orders, those on UP before those on DOWN; 0 if it has none. */
  first(round: Round): number {
    const book = this.#books.get(round);
    if (book === undefined) return 0;
    return this.#tree.first(book.upRoot === 0 ? book.downRoot : book.upRoot);
  }

  /** The first of them that has ended by then, likewise; 0 if none has. */
  firstEnded(round: Round, timeMs: number): number {
    const book = this.#books.get(round);
    if (book === undefined) return 0;
    return this.#tree.firstEnded(book.upRoot, timeMs) || this.#tree.firstEnded(book.downRoot, timeMs);
  }

  /** The last millisecond in which all of them may rest; Infinity where only the round ends them. */
  lastValidMs(round: Round): number {
    const book = this.#books.get(round);
    if (book === undefined) return Number.POSITIVE_INFINITY;
    return Math.min(this.#tree.firstEndMs(book.upRoot), this.#tree.firstEndMs(book.downRoot));
  }

  #stakeCents(row: number): number {
    return this.table.chunk(row).stakeCents[this.table.index(row)] as number;
  }
}
