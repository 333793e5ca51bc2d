/**
 * Blocks of runs, for all windows together: a run is a time and the number of requests counted then. A block is a
 * cache line of seven runs, in a doubly linked list of the blocks of its window. Freed blocks are reused before a new
 * one is touched.
 */
import { bytesOfWords, LINE_WORDS, type Memory } from './memory.js';

export const RUNS_PER_BLOCK = 7;
/** Words of a block: time and count of each run in turn, and its neighbours, 0 for none. */
export const NEXT = RUNS_PER_BLOCK * 2;
export const PREVIOUS = NEXT + 1;

/** Block 0 is none; its words say which blocks are free. */
const FREE = 0;
const TOUCHED = 1;

export class RunBlocks {
  static bytes(blocksMax: number): number {
    return bytesOfWords((blocksMax + 1) * LINE_WORDS);
  }

  /** Block `b` begins at word `b * LINE_WORDS`. */
  readonly words: Uint32Array;

  constructor(
    memory: Memory,
    private readonly blocksMax: number,
  ) {
    this.words = memory.lines(blocksMax + 1);
  }

  /** Blocks ever used: memory use grows with them. */
  get touched(): number {
    return this.words[TOUCHED] as number;
  }

  /** A block without neighbours, its runs uninitialised; 0 if all are in use. */
  take(): number {
    const { words } = this;
    let block = words[FREE] as number;
    if (block !== 0) {
      words[FREE] = words[block * LINE_WORDS + NEXT] as number;
    } else {
      const touched = words[TOUCHED] as number;
      if (touched === this.blocksMax) return 0;
      block = touched + 1;
      words[TOUCHED] = block;
    }
    words[block * LINE_WORDS + NEXT] = 0;
    words[block * LINE_WORDS + PREVIOUS] = 0;
    return block;
  }

  /** Gives back the chain of blocks from `first` to `last`. */
  giveBack(first: number, last: number): void {
    const { words } = this;
    words[last * LINE_WORDS + NEXT] = words[FREE] as number;
    words[FREE] = first;
  }
}
