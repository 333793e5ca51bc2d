/** Writes on the board how far the journal is, on the engine's thread. */

import { DURABLE_SEQ } from './markets.js';
import type { SharedRows } from './shared-rows.js';

export class JournalPosition {
  readonly #row = new Float64Array(1);

  constructor(private readonly facts: SharedRows) {
    this.#row[DURABLE_SEQ] = Number.NaN;
  }

  /** `seq` is the number of the last durable command. */
  write(seq: number): void {
    if (seq === this.#row[DURABLE_SEQ]) return;
    this.#row[DURABLE_SEQ] = seq;
    this.facts.write(0, this.#row);
  }
}
