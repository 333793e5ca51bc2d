/**
 * How long orders took, without looking at any of them: a commit's orders are counted together, with the time from when
 * the first was taken until the last answer had gone out. An order's own time is that at most.
 */

const STEPS_PER_DOUBLING = 8;
const SHORTEST_MS = 1 / 16;
/** Up to about a minute; longer times count as that. */
const STEPS = 20 * STEPS_PER_DOUBLING;

export class OrderTimes {
  /** By the binary logarithm of the time, in steps. */
  readonly #counts = new Float64Array(STEPS + 1);
  #orders = 0;

  add(orders: number, tookMs: number): void {
    const step = Math.ceil(Math.log2(tookMs / SHORTEST_MS) * STEPS_PER_DOUBLING);
    const at = Math.min(Math.max(step, 0), STEPS);
    this.#counts[at] = (this.#counts[at] ?? 0) + orders;
    this.#orders += orders;
  }

  /** `p99Ms` is rounded up by less than a tenth; null without orders. */
  take() {
    const orders = this.#orders;
    const figures = { orders, p99Ms: orders === 0 ? null : this.#p99Ms() };
    this.#counts.fill(0);
    this.#orders = 0;
    return figures;
  }

  #p99Ms(): number {
    const wanted = Math.ceil(this.#orders * 0.99);
    let counted = 0;
    const at = this.#counts.findIndex((count) => {
      counted += count;
      return counted >= wanted;
    });
    return SHORTEST_MS * 2 ** (at / STEPS_PER_DOUBLING);
  }
}
