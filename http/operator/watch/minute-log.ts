/** Logs a line every minute: the orders served, and how far shadow and archive are behind. */
import type { OrderTimes } from '../../../engine/host/order-times.js';
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { Log } from '../../../process/log/log.js';
import type { ShadowView } from '../queries/status.js';

const MINUTE_MS = 60_000;

export interface MinuteLogOptions {
  readonly sequencer: Pick<Sequencer, 'backlogCommands' | 'durableSeq'>;
  readonly orderTimes: OrderTimes;
  readonly shadow: () => Pick<ShadowView, 'appliedSeq' | 'archiveSeq'>;
  /** Milliseconds that never go backwards. */
  readonly steadyNowMs: () => number;
  readonly log: Log;
}

export class MinuteLog {
  #sinceMs: number;

  constructor(private readonly options: MinuteLogOptions) {
    this.#sinceMs = options.steadyNowMs();
  }

  /** To be called about once a second. A manual clock may skip minutes; one line then covers them all. */
  check(): void {
    const { sequencer, orderTimes, shadow, steadyNowMs, log } = this.options;
    const elapsedMs = steadyNowMs() - this.#sinceMs;
    if (elapsedMs < MINUTE_MS) return;
    this.#sinceMs += elapsedMs;
    const { orders, p99Ms } = orderTimes.take();
    const { durableSeq, backlogCommands } = sequencer;
    const { appliedSeq, archiveSeq } = shadow();
    log.write('minute', {
      seconds: rounded(elapsedMs / 1_000),
      orders,
      ordersPerSecond: rounded((orders / elapsedMs) * 1_000),
      p99Ms: p99Ms === null ? null : rounded(p99Ms),
      sequence: durableSeq,
      backlog: backlogCommands,
      shadowLag: Math.max(0, durableSeq - appliedSeq),
      archiveLag: Math.max(0, durableSeq - archiveSeq),
    });
  }
}

/** Two decimals. */
const rounded = (value: number): number => Math.round(value * 100) / 100;
