/** Which of a table's windows are open: those from `first` on, `places` of them. A closed one is opened again first. */
import { LINE_BYTES, LINE_WORDS, type Memory } from './memory.js';
import type { SlidingWindows } from './sliding-windows.js';
import { OLDER } from './window-record.js';

const SIZE = 0;
/** How many were ever open. */
const TOUCHED = 1;
const FREE = 2;

export class WindowPlaces {
  static readonly BYTES = LINE_BYTES;

  readonly #state: Uint32Array;

  constructor(
    memory: Memory,
    private readonly windows: SlidingWindows,
    private readonly first: number,
    private readonly places: number,
  ) {
    this.#state = memory.lines(1);
  }

  /** Windows that are open. */
  get size(): number {
    return this.#state[SIZE] as number;
  }

  /** Windows that can still be opened. */
  get left(): number {
    return this.places - this.size;
  }

  /** All that were ever open are below this one. */
  get end(): number {
    return this.first + (this.#state[TOUCHED] as number);
  }

  /** Opens an empty window; there is a place. */
  open(): number {
    const state = this.#state;
    const { records } = this.windows;
    state[SIZE] = this.size + 1;
    let window = state[FREE] as number;
    if (window === 0) {
      window = this.end;
      state[TOUCHED] = (state[TOUCHED] as number) + 1;
    } else {
      state[FREE] = records[window * LINE_WORDS + OLDER] as number;
    }
    this.windows.open(window);
    return window;
  }

  close(window: number): void {
    const state = this.#state;
    this.windows.clear(window);
    this.windows.records[window * LINE_WORDS + OLDER] = state[FREE] as number;
    state[FREE] = window;
    state[SIZE] = this.size - 1;
  }
}
