/** How a bug is planted: a wrapper around a part that the simulation provides, or a method replaced for one run. */
import type { JournalStore } from '../../../engine/model/ports.js';
import type { SharedLimits } from '../../../http/limits/shared-limits.js';
import type { WorldConfig } from '../config.js';
import type { SimJournalWriter, WriterHost } from '../machine/journal-writer.js';

export interface Mutation {
  readonly name: string;
  /** The bug, in a few words. */
  readonly bug: string;
  readonly store?: (real: JournalStore) => JournalStore;
  readonly writer?: (store: JournalStore, host: WriterHost) => SimJournalWriter;
  /** What a gateway counts requests in, instead of what all of them share. */
  readonly limitsOf?: (shared: SharedLimits) => SharedLimits;
  /** Whether it can show in such a world; absent: in any. */
  readonly canShow?: (config: WorldConfig) => boolean;
  /** Seed of a run whose first worlds show it soon: others take longer than the suite has time for. Absent: any. */
  readonly seed?: number;
  /** Exchanges methods; returns what puts them back. */
  readonly install?: () => () => void;
}

/** A bug that shows once in so many times is harder to find than one that always shows. */
export const SELDOM = 40;

/** Exchanges a method of a class for one made from the real one. */
export function exchange<C extends object, K extends keyof C>(
  prototype: C,
  name: K,
  make: (real: C[K]) => C[K],
): () => void {
  const real = prototype[name];
  prototype[name] = make(real);
  return () => {
    prototype[name] = real;
  };
}

export const both =
  (...undo: readonly (() => void)[]): (() => void) =>
  () => {
    for (const run of undo) run();
  };
