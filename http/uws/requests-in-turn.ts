/**
 * Counts the requests of a turn of the event loop. The library reads on from a socket that fills its buffer, so a
 * client that sends requests faster than they are answered would hold up all others, without a key. The library does
 * not tell connections apart, but it closes one with a request behind an unanswered one: in a full turn all requests
 * are answered at its end.
 */

/** Takes some 5 ms. */
const REQUESTS_AT_ONCE = 512;

export class RequestsInTurn {
  #count = 0;
  readonly #endTurn = (): void => {
    this.#count = 0;
  };

  add(): void {
    this.#count += 1;
    if (this.#count === 1) setImmediate(this.#endTurn);
  }

  get isFull(): boolean {
    return this.#count > REQUESTS_AT_ONCE;
  }
}
