/**
 * A process's way to the log: every question and answer takes its time, may be lost, may come twice, and vanishes
 * while the way is cut or the log has no quorum.
 */
import type { LeaseEntry, LogEntry } from '../../../persistence/replication/log/replicated-log.js';
import type { SharedLog } from '../../../persistence/replication/replicator.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { Scheduler } from '../machine/scheduler.js';
import type { SimLog } from './log.js';
import type { SimProcess } from './process.js';

const ANSWER_MS_MAX = 1_000;
/** Chances for a question or an answer; the second copy of a doubled question comes much later. */
const LOST = 0.03;
const LATE = 0.03;
const DOUBLED = 0.03;
const NEWS_LOST = 0.1;

export interface Way {
  isCutUp: boolean;
  isCutDown: boolean;
}

export class Network {
  isAvailable = true;
  isCalm = false;
  readonly #news = new Set<() => void>();
  readonly #released = new Set<() => void>();

  constructor(
    readonly log: SimLog,
    readonly bytesMax: number,
    private readonly scheduler: Scheduler,
    private readonly rng: Rng,
  ) {}

  client(process: SimProcess, way: Way): SharedLog {
    const { log } = this;
    const ask = <T>(work: () => T): Promise<T> => this.#ask(process, way, work);
    const told = (tells: Set<() => void>) => (tell: () => void) => {
      tells.add(() => this.#tell(process, way, tell));
    };
    return {
      bytesMax: this.bytesMax,
      append: (bytes, id, afterSequence) =>
        ask(() => {
          log.append(bytes, id, afterSequence);
          for (const tell of this.#news) tell();
        }),
      read: (sequence) => ask<LogEntry | null>(() => log.read(sequence)),
      bounds: () => ask(() => ({ first: log.first, last: log.entries.length })),
      deleteBefore: (sequence) => ask(() => log.deleteBefore(sequence)),
      readLease: () => ask<LeaseEntry | null>(() => log.lease),
      writeLease: (entry, revision) =>
        ask(() => {
          const written = log.writeLease(entry, revision);
          if (entry.isReleased) for (const tell of this.#released) tell();
          return written;
        }),
      onNews: told(this.#news),
      onReleased: told(this.#released),
      onHandOver: (_, tell) => process.onHandOver(tell),
      report: () => undefined,
      onReport: () => undefined,
    };
  }

  get isReached(): boolean {
    return this.isAvailable && !this.#happens(LOST);
  }

  #ask<T>(process: SimProcess, way: Way, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      process.after(ANSWER_MS_MAX, () => reject(new Error('no answer')));
      const copies = this.#happens(DOUBLED) ? 2 : 1;
      const { losses } = this.log;
      for (let copy = 0; copy < copies; copy++) {
        if (way.isCutUp || this.#happens(LOST)) continue;
        this.scheduler.after(this.#delayMs(copy), () => {
          if (!this.isAvailable || this.log.losses !== losses) return;
          const answer = outcomeOf(work, resolve, reject);
          if (way.isCutDown || this.#happens(LOST)) return;
          this.scheduler.after(this.#delayMs(0), () => process.deliver('message', answer));
        });
      }
    });
  }

  #tell(process: SimProcess, way: Way, tell: () => void): void {
    if (way.isCutDown || this.#happens(NEWS_LOST)) return;
    this.scheduler.after(this.#delayMs(0), () => process.deliver('message', tell));
  }

  #happens(probability: number): boolean {
    return this.rng.chance(probability) && !this.isCalm;
  }

  /** A second copy may come long after the first, whatever has happened since. */
  #delayMs(copy: number): number {
    if (copy > 0) return this.rng.integer(1, 8_000);
    return this.#happens(LATE) ? this.rng.integer(50, 1_500) : this.rng.integer(1, 5);
  }
}

function outcomeOf<T>(
  work: () => T,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): () => void {
  try {
    const value = work();
    return () => resolve(value);
  } catch (thrown) {
    return () => reject(thrown);
  }
}
