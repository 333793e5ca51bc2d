/**
 * Looks for another clock while this machine's has to be confirmed: live prices have the time at which their service
 * published them, and the machine's time service knows whether it has compared the clock with others. Pushed prices are
 * no such clock, since they may have the time from this machine. Nor are NATS servers: one of them may run on this
 * machine.
 */
import type { Sequencer } from '../engine/host/sequencer.js';
import type { Clock } from '../engine/model/ports.js';
import type { Log } from '../process/log/log.js';

/** Clocks that differ by no more agree: a price is some seconds old when it is looked at. */
const AGREE_MS = 10_000;
const ASK_EVERY_MS = 10_000;

interface SecondClockOptions {
  readonly sequencer: { readonly wallClock: Pick<Sequencer['wallClock'], 'condition' | 'believe'> };
  readonly clock: Clock;
  readonly liveFeeds: readonly { readonly name: string; readonly newestMs: number }[];
  readonly isSynchronised: () => Promise<boolean>;
  readonly log: Pick<Log, 'write'>;
}

export class SecondClock {
  /** By feed: an older time says nothing of now. */
  readonly #seenMs: number[] = [];
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: SecondClockOptions) {}

  /** Call several times a second. */
  look(): void {
    if (!this.#isAwaited) return;
    const { clock, liveFeeds, isSynchronised } = this.options;
    for (const [place, { name, newestMs }] of liveFeeds.entries()) {
      const isNews = newestMs > (this.#seenMs[place] ?? 0);
      this.#seenMs[place] = newestMs;
      if (isNews && Math.abs(newestMs - clock.nowMs()) <= AGREE_MS) this.#agrees(name);
    }
    if (clock.monotonicMs() - this.#askedMs < ASK_EVERY_MS) return;
    this.#askedMs = clock.monotonicMs();
    void isSynchronised().then((isRight) => {
      if (isRight) this.#agrees("the machine's time service");
    });
  }

  get #isAwaited(): boolean {
    return this.options.sequencer.wallClock.condition === 'unconfirmed';
  }

  #agrees(by: string): void {
    if (!this.#isAwaited) return;
    this.options.sequencer.wallClock.believe();
    this.options.log.write('clock_confirmed', { by });
  }
}
