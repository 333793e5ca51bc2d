/**
 * The house's earnings in each hour, by market. The archive is read an hour at a time, so that nothing waits long for
 * its reader, and hours whose rounds are all settled are kept: they never change.
 */
import type { ArchiveReads, EarningsAnswer } from '../../../engine/model/archive-reads.js';
import { readArchive } from '../../kit/refused.js';
import type { OpenRounds } from '../queries/reads.js';

export const HOUR_MS = 3_600_000;
/** Two months. */
const KEPT_MAX = 1_500;

export class EarningsCache {
  /** By the start of the hour, in the order in which they were kept. */
  readonly #hours = new Map<number, EarningsAnswer>();

  async read(
    archive: ArchiveReads,
    fromMs: number,
    toMs: number,
    { rounds, lifecycleSeq: reachedSeq, timeMs }: OpenRounds,
  ): Promise<ReadonlyMap<number, EarningsAnswer>> {
    // Rounds that ended before are settled, and no round begins in the past.
    const finalMs = Math.min(timeMs, ...rounds.map(({ endTimeMs }) => endTimeMs));
    const found = new Map<number, EarningsAnswer>();
    for (let hourMs = fromMs; hourMs < toMs && hourMs <= timeMs; hourMs += HOUR_MS) {
      const endMs = hourMs + HOUR_MS;
      const sums =
        this.#hours.get(hourMs) ??
        (await readArchive(archive.earnings, { fromMs: hourMs, toMs: endMs, reachedSeq }));
      found.set(hourMs, sums);
      // A round that ends with its hour is one of the next.
      if (endMs <= finalMs) this.#keep(hourMs, sums);
    }
    return found;
  }

  #keep(hourMs: number, sums: EarningsAnswer): void {
    this.#hours.set(hourMs, sums);
    const [oldest] = this.#hours.keys();
    if (this.#hours.size > KEPT_MAX && oldest !== undefined) this.#hours.delete(oldest);
  }
}
