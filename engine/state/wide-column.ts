/**
 * Integers from 0 to 2^53 by row. Those of one chunk nearly always share their upper bits (times of seven weeks, amounts
 * below 42 million dollars), and then take 32 bits each.
 */
const WORD = 2 ** 32;

export class WideColumn {
  readonly #lows: Uint32Array;
  /** All rows have it, until two differ. */
  #high = -1;
  #highs: Uint32Array | null = null;

  constructor(rows: number) {
    this.#lows = new Uint32Array(rows);
  }

  at(row: number): number {
    const high = this.#highs === null ? this.#high : (this.#highs[row] as number);
    return high * WORD + (this.#lows[row] as number);
  }

  set(row: number, value: number): void {
    const high = (value / WORD) | 0;
    this.#lows[row] = value;
    if (this.#highs !== null) this.#highs[row] = high;
    else if (this.#high !== high) this.#differ(row, high);
  }

  #differ(row: number, high: number): void {
    if (this.#high < 0) this.#high = high;
    else {
      this.#highs = new Uint32Array(this.#lows.length).fill(this.#high);
      this.#highs[row] = high;
    }
  }
}
