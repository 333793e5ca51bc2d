/** What the engine's thread makes of a query. A refusal is thrown (`Refusal`). */

/**
 * The operators' thread is told once this command is durable. `all` waits for all work that is due now, settlements
 * included.
 */
export type After = number | 'all';

export interface Reply<T> {
  readonly result: T;
  readonly after: After;
}

/** A list: each slice is one turn's work, null if it has found nothing. It returns what the whole list waits for. */
export type Slices<T> = Generator<T | null, After, void>;
