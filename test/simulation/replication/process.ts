/**
 * A process that may be stopped and continued, or end at any moment: nothing arrives after that. Messages and timers
 * that came while it was stopped are there when it goes on, in either order.
 */
import type { Timers } from '../../../persistence/replication/replicator.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { Scheduler } from '../machine/scheduler.js';

type Kind = 'timer' | 'message';

export class SimProcess {
  isAlive = true;
  #stoppedAtMs: number | null = null;
  #stoppedForMs = 0;
  #jumpedMs = 0;
  #held: { readonly kind: Kind; readonly run: () => void }[] = [];
  #handOver: ((to: string) => void) | null = null;

  constructor(
    readonly id: number,
    private readonly scheduler: Scheduler,
    private readonly rng: Rng,
  ) {}

  get isStopped(): boolean {
    return this.#stoppedAtMs !== null;
  }

  monotonicMs(): number {
    return this.scheduler.nowMs + this.#jumpedMs;
  }

  /** A clock that stands still with the process: no leader may judge by it. */
  runningMs(): number {
    return this.monotonicMs() - this.#stoppedForMs;
  }

  jump(ms: number): void {
    this.#jumpedMs += ms;
  }

  get timers(): Timers {
    return { monotonicMs: () => this.monotonicMs(), after: (ms, run) => this.after(ms, run) };
  }

  after(ms: number, run: () => void): () => void {
    let isOver = false;
    const once = (): void => {
      if (!isOver) run();
    };
    this.scheduler.after(ms, () => this.deliver('timer', once));
    return () => {
      isOver = true;
    };
  }

  post(run: () => void): void {
    this.scheduler.after(1, () => this.deliver('message', run));
  }

  deliver(kind: Kind, run: () => void): void {
    if (!this.isAlive) return;
    if (this.isStopped) this.#held.push({ kind, run });
    else run();
  }

  onHandOver(tell: (to: string) => void): () => void {
    this.#handOver = tell;
    return () => {
      this.#handOver = null;
    };
  }
  askToHandOver(to: string): void {
    this.deliver('message', () => this.#handOver?.(to));
  }

  stop(): void {
    this.#stoppedAtMs ??= this.scheduler.nowMs;
  }

  continue(): number {
    if (this.#stoppedAtMs === null) return 0;
    const forMs = this.scheduler.nowMs - this.#stoppedAtMs;
    this.#stoppedAtMs = null;
    this.#stoppedForMs += forMs;
    const first: Kind = this.rng.chance(0.5) ? 'timer' : 'message';
    const held = this.#held;
    this.#held = [];
    for (const isFirst of [true, false])
      for (const { kind, run } of held)
        if ((kind === first) === isFirst) this.scheduler.after(0, () => this.deliver(kind, run));
    return forMs;
  }

  end(): void {
    this.isAlive = false;
    this.#held = [];
  }
}
