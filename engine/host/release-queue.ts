/**
 * Durable batches whose waiters have not all been released. At the end of a round, hundreds of long responses wait for
 * one batch. They are sent in short slices, one per turn of the event loop, so that other requests run in between.
 */
import type { Clock } from '../model/ports.js';
import type { OpenBatch } from './open-batch.js';
import type { SequencerOptions } from './sequencer-options.js';

const RELEASE_MS_MAX = 2;

interface ReleaseQueueOptions extends Pick<SequencerOptions, 'schedule'> {
  readonly clock: Clock;
  readonly onEmpty: () => void;
}

export class ReleaseQueue {
  readonly #batches: OpenBatch[] = [];
  #isScheduled = false;
  #isStopped = false;
  readonly #releaseLater: () => void;

  constructor(private readonly options: ReleaseQueueOptions) {
    this.#releaseLater = () => {
      this.#isScheduled = false;
      this.#release();
    };
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  push(batch: OpenBatch): void {
    this.#batches.push(batch);
    this.#release();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #release(): void {
    const { clock, schedule, onEmpty } = this.options;
    const untilMs = clock.monotonicMs() + RELEASE_MS_MAX;
    const shouldStop = (): boolean => this.#isStopped || clock.monotonicMs() >= untilMs;
    for (let batch = this.#batches[0]; batch?.releaseWaiters(shouldStop); batch = this.#batches[0]) {
      this.#batches.shift();
      if (this.#batches.length > 0 && shouldStop()) break;
    }
    if (this.#batches.length === 0) onEmpty();
    else if (!this.#isStopped && !this.#isScheduled) {
      this.#isScheduled = true;
      schedule(this.#releaseLater);
    }
  }
}
