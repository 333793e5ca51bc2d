/** How a bug is planted: a wrapper around a part that the simulation provides, or a method replaced for one run. */
import type { JournalStore } from '../../../engine/model/ports.js';
import type { SharedLimits } from '../../../http/limits/shared-limits.js';
import type { WorldConfig } from '../config.js';
import type { SimJournalWriter, WriterHost } from '../machine/journal-writer.js';

export interface Mutation {
  readonly name: string;
  readonly bug: string;
  readonly writer?: (store: JournalStore, host: WriterHost) => SimJournalWriter;
  readonly limitsOf?: (shared: SharedLimits) => SharedLimits;
  readonly canShow?: (config: WorldConfig) => boolean;
  /** The first worlds of this run show it soon; with others the suite has no time. Absent: any. */
  readonly seed?: number;
  readonly install?: () => () => void;
}

export const planted = (
  name: string,
  bug: string,
  install: () => () => void,
  more: Pick<Mutation, 'canShow' | 'seed'> = {},
): Mutation => ({ name, bug, install, ...more });

/** A bug that shows once in so many times is harder to find than one that always shows. */
export const SELDOM = 40;

type Given<M> = M extends (...args: infer A) => unknown ? A : never;
type Result<M> = M extends (...args: never[]) => infer R ? R : never;

export function exchange<C extends object, K extends keyof C>(
  prototype: C,
  name: K,
  change: (self: C, real: C[K], ...given: Given<C[K]>) => Result<C[K]>,
): () => void {
  const method = prototype[name];
  prototype[name] = function (this: C, ...given: Given<C[K]>) {
    const real = (...args: unknown[]): unknown => Reflect.apply(method as () => unknown, this, args);
    return change(this, real as C[K], ...given);
  } as C[K];
  return () => {
    prototype[name] = method;
  };
}

export const both =
  (...undo: readonly (() => void)[]): (() => void) =>
  () => {
    for (const run of undo) run();
  };
