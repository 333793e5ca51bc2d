/** The house's own way from ticks to the fair share, by the modules that the server runs. */
import { fairShareE6 } from '../../engine/host/ticks/fair-share.js';
import { Volatility, YEARLY_VOLATILITY } from '../../engine/host/ticks/volatility.js';
import type { Asset } from '../../engine/model/domain.js';

export class Quoter {
  readonly #volatility: Volatility;
  #price = 0;

  constructor(asset: Asset) {
    this.#volatility = new Volatility(YEARLY_VOLATILITY[asset]);
  }

  tick(price: number, timeMs: number): void {
    this.#volatility.take(price, timeMs);
    this.#price = price;
  }

  /** UP's fair share in millionths. */
  fairShareE6(openPrice: number, leftMs: number): number {
    return fairShareE6(openPrice, this.#price, this.#volatility.varianceOver(leftMs));
  }
}
