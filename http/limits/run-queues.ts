/**
 * The older runs of each window: a queue in a list of blocks. Times are stored modulo 2^32, which is unambiguous
 * because those of a window are within minutes.
 */
import { LINE_WORDS } from './memory.js';
import { NEXT, PREVIOUS, RUNS_PER_BLOCK, type RunBlocks } from './run-blocks.js';
import { HEAD_BLOCK, HEAD_RUN, TAIL_BLOCK, TAIL_END } from './window-record.js';

export class RunQueues {
  readonly #runs: Uint32Array;

  /** The queue of a window stands in its record, which begins at the word `at` of `records`. */
  constructor(
    private readonly records: Uint32Array,
    private readonly blocks: RunBlocks,
  ) {
    this.#runs = blocks.words;
  }

  isEmpty(at: number): boolean {
    return this.records[at + HEAD_BLOCK] === 0;
  }

  /** Time of the oldest run, which is not after `nowMs`. */
  oldestMs(at: number, nowMs: number): number {
    return this.#timeMs(this.#first(at), nowMs);
  }

  /** Appends a run; false if that needs a block and none is left. */
  push(at: number, timeMs: number, count: number): boolean {
    const { records } = this;
    const tail = records[at + TAIL_BLOCK] as number;
    const end = records[at + TAIL_END] as number;
    const isInTail = tail !== 0 && end < RUNS_PER_BLOCK;
    const block = isInTail ? tail : this.blocks.take();
    if (block === 0) return false;
    const run = isInTail ? end : 0;
    if (!isInTail) this.#append(at, tail, block);
    const word = block * LINE_WORDS + run * 2;
    this.#runs[word] = timeMs;
    this.#runs[word + 1] = count;
    records[at + TAIL_END] = run + 1;
    return true;
  }

  /** Merges every two runs of the last block, at the later of their times; false if there is no block. */
  thin(at: number): boolean {
    const { records } = this;
    const runs = this.#runs;
    const tail = records[at + TAIL_BLOCK] as number;
    if (tail === 0) return false;
    const block = tail * LINE_WORDS;
    const end = records[at + TAIL_END] as number;
    let from = 0;
    if (tail === records[at + HEAD_BLOCK]) {
      from = records[at + HEAD_RUN] as number;
      records[at + HEAD_RUN] = 0;
    }
    let kept = 0;
    for (; from < end; from += 2, kept++) {
      const later = Math.min(from + 1, end - 1);
      const count = runs[block + from * 2 + 1] as number;
      const laterCount = later === from ? 0 : (runs[block + later * 2 + 1] as number);
      runs[block + kept * 2] = runs[block + later * 2] as number;
      runs[block + kept * 2 + 1] = count + laterCount;
    }
    records[at + TAIL_END] = kept;
    return true;
  }

  /** Removes runs at least `ageMs` old at `nowMs`, and returns the number of their requests. */
  expire(at: number, nowMs: number, ageMs: number): number {
    const { records } = this;
    const runs = this.#runs;
    let count = 0;
    while (records[at + HEAD_BLOCK] !== 0) {
      const word = this.#first(at);
      if (nowMs - this.#timeMs(word, nowMs) < ageMs) break;
      count += runs[word + 1] as number;
      this.#dropFirst(at);
    }
    return count;
  }

  /** Removes all runs. */
  clear(at: number): void {
    const { records } = this;
    const head = records[at + HEAD_BLOCK] as number;
    if (head !== 0) this.blocks.giveBack(head, records[at + TAIL_BLOCK] as number);
    records[at + HEAD_BLOCK] = 0;
    records[at + HEAD_RUN] = 0;
    records[at + TAIL_BLOCK] = 0;
    records[at + TAIL_END] = 0;
  }

  /** Time of the run with which the `count`th of the oldest requests leaves; Infinity where the queue has fewer. */
  oldMs(at: number, count: number, nowMs: number): number {
    const { records } = this;
    const tail = records[at + TAIL_BLOCK] as number;
    let run = records[at + HEAD_RUN] as number;
    let left = count;
    for (let block = records[at + HEAD_BLOCK] as number; block !== 0; run = 0) {
      const end = block === tail ? (records[at + TAIL_END] as number) : RUNS_PER_BLOCK;
      for (; run < end; run++) {
        const word = block * LINE_WORDS + run * 2;
        left -= this.#runs[word + 1] as number;
        if (left <= 0) return this.#timeMs(word, nowMs);
      }
      block = this.#runs[block * LINE_WORDS + NEXT] as number;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** Time of the run in which the `count`th of the newest requests stands; -Infinity where the queue has fewer. */
  newMs(at: number, count: number, nowMs: number): number {
    const { records } = this;
    const head = records[at + HEAD_BLOCK] as number;
    let run = (records[at + TAIL_END] as number) - 1;
    let left = count;
    for (let block = records[at + TAIL_BLOCK] as number; block !== 0; run = RUNS_PER_BLOCK - 1) {
      const first = block === head ? (records[at + HEAD_RUN] as number) : 0;
      for (; run >= first; run--) {
        const word = block * LINE_WORDS + run * 2;
        left -= this.#runs[word + 1] as number;
        if (left <= 0) return this.#timeMs(word, nowMs);
      }
      block = this.#runs[block * LINE_WORDS + PREVIOUS] as number;
    }
    return Number.NEGATIVE_INFINITY;
  }

  /** Where the oldest run stands. */
  #first(at: number): number {
    const { records } = this;
    return (records[at + HEAD_BLOCK] as number) * LINE_WORDS + (records[at + HEAD_RUN] as number) * 2;
  }

  #timeMs(word: number, nowMs: number): number {
    return nowMs - (((nowMs >>> 0) - (this.#runs[word] as number)) >>> 0);
  }

  #append(at: number, tail: number, block: number): void {
    const { records } = this;
    if (tail === 0) {
      records[at + HEAD_BLOCK] = block;
      records[at + HEAD_RUN] = 0;
    } else {
      this.#runs[tail * LINE_WORDS + NEXT] = block;
      this.#runs[block * LINE_WORDS + PREVIOUS] = tail;
    }
    records[at + TAIL_BLOCK] = block;
  }

  #dropFirst(at: number): void {
    const { records } = this;
    const head = records[at + HEAD_BLOCK] as number;
    const run = (records[at + HEAD_RUN] as number) + 1;
    const isTail = head === records[at + TAIL_BLOCK];
    if (run < (isTail ? (records[at + TAIL_END] as number) : RUNS_PER_BLOCK)) {
      records[at + HEAD_RUN] = run;
      return;
    }
    if (isTail) {
      this.clear(at);
      return;
    }
    const next = this.#runs[head * LINE_WORDS + NEXT] as number;
    this.#runs[next * LINE_WORDS + PREVIOUS] = 0;
    records[at + HEAD_BLOCK] = next;
    records[at + HEAD_RUN] = 0;
    this.blocks.giveBack(head, head);
  }
}
