/**
 * Rounds to bet on, recorded: what bettors and the house know at each moment at which bets may come. Bets move no
 * prices, so that every strategy can play the same rounds.
 */
import { TIME_FRAME_MS } from '../../engine/model/domain.js';
import type { PricePath } from './paths.js';
import type { Quoter } from './quoter.js';

/** Moments of a round at which bets may come. */
const MOMENTS = 136;
/** The last of them is so long before betting closes. */
const LAST_MOMENT_MS = 1_000;
/** How late the house hears prices. Where ticks come less often than that, a lateness is passed over. */
export const LATENESS_MS: readonly number[] = [0, 250, 1_000, 5_000];
/** Of ticks, before the first round. */
const WARM_UP_MS = 2 * 3_600_000;

export interface Tape {
  readonly openPrice: number;
  readonly closePrice: number;
  /** By moment: milliseconds since the round's begin. */
  readonly timesMs: readonly number[];
  readonly prices: Float64Array;
  /** The true probabilities that UP wins, which nobody knows in real life. */
  readonly probabilitiesUp: Float64Array;
  /** UP's fair share by the house, in millionths: by lateness, then by moment. */
  readonly fairSharesE6: readonly Int32Array[];
}

export interface Recording {
  readonly frame: number;
  readonly path: PricePath;
  readonly newQuoter: () => Quoter;
  /** Time between the end of betting and the end of the round. */
  readonly closedMs: number;
}

/** Records rounds one after the other, as a market has them. */
export class Recorder {
  readonly #quoters: readonly Quoter[];
  /** The last prices, for those who hear them late: that of tick i at i modulo the length. */
  readonly #heard: Float64Array;
  readonly #latenessTicks: readonly number[];
  readonly #path: PricePath;
  readonly #frameMs: number;
  readonly #momentsMs: readonly number[];
  #tick = 0;
  #price = 0;

  constructor({ frame, path, newQuoter, closedMs }: Recording) {
    this.#path = path;
    this.#latenessTicks = LATENESS_MS.map((ms) => Math.floor(ms / path.tickMs));
    this.#heard = new Float64Array(Math.max(...this.#latenessTicks) + 1);
    this.#quoters = LATENESS_MS.map(() => newQuoter());
    this.#frameMs = TIME_FRAME_MS[frame] as number;
    this.#momentsMs = momentsMs(this.#frameMs - closedMs, path.tickMs);
    for (let ms = 0; ms < WARM_UP_MS; ms += path.tickMs) this.#next();
  }

  record(): Tape {
    const count = this.#momentsMs.length;
    const tape = {
      openPrice: this.#price,
      timesMs: this.#momentsMs,
      prices: new Float64Array(count),
      probabilitiesUp: new Float64Array(count),
      fairSharesE6: LATENESS_MS.map(() => new Int32Array(count)),
    };
    let moment = 0;
    for (let sinceMs = 0; sinceMs < this.#frameMs; sinceMs += this.#path.tickMs) {
      if (sinceMs === this.#momentsMs[moment]) this.#note(tape, moment++, this.#frameMs - sinceMs);
      this.#next();
    }
    return { ...tape, closePrice: this.#price };
  }

  #note(tape: Omit<Tape, 'closePrice'>, moment: number, leftMs: number): void {
    tape.prices[moment] = this.#price;
    tape.probabilitiesUp[moment] = this.#path.probabilityUp(tape.openPrice, leftMs);
    this.#quoters.forEach((quoter, i) => {
      const shares = tape.fairSharesE6[i] as Int32Array;
      shares[moment] = quoter.fairShareE6(tape.openPrice, leftMs);
    });
  }

  #next(): void {
    this.#tick++;
    this.#price = this.#path.next();
    const places = this.#heard.length;
    this.#heard[this.#tick % places] = this.#price;
    this.#latenessTicks.forEach((late, i) => {
      const tick = this.#tick - late;
      if (tick > 0) this.#quoters[i]?.tick(this.#heard[tick % places] as number, tick * this.#path.tickMs);
    });
  }
}

/** Evenly spread over the time in which bets are taken, each at a tick. */
function momentsMs(bettingMs: number, tickMs: number): number[] {
  const lastTick = Math.floor((bettingMs - LAST_MOMENT_MS) / tickMs);
  const ticks = Array.from({ length: MOMENTS }, (_, i) => Math.round((i * lastTick) / (MOMENTS - 1)));
  return [...new Set(ticks)].map((tick) => tick * tickMs);
}
