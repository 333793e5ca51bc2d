/**
 * Keeps one connection to a price service: dials, hangs up where nothing new is heard, and dials again after a wait.
 * The waits double from a quarter of a second to half a minute, with jitter, so that servers that lost the same service
 * do not all come back at once. They begin anew only after a connection that has lasted: a service that accepts and
 * closes at once is not to be hammered. Nothing here has a timer: `poll` compares with the clock that it is given.
 */
import type { Clock } from '../../engine/model/ports.js';

const WAIT_MS_MIN = 250;
const WAIT_MS_MAX = 30_000;
/** The part of a wait that chance decides. */
const JITTER = 0.5;
/** Chance adds up to this part of a wait that the service asked for: nobody comes before it said. */
const ASKED_JITTER = 0.2;
/** No service may send us away for longer. */
const ASKED_MS_MAX = 600_000;
const LASTED_MS = 60_000;
/** Services send prices or heartbeats every second: after so long without a new one the connection is given up. */
const SILENCE_MS = 10_000;

export interface Ended {
  /** For people, without any secret. */
  readonly reason: string;
  /** How long the service asked to be left alone; 0 if it did not. */
  readonly askedMs: number;
}

export interface Listener {
  opened(): void;
  /** Something new keeps the connection from being hung up. */
  heard(): void;
}

/** One connection, from its beginning to its end. The signal hangs it up; nobody asks for the end then. */
export type Dial = (listener: Listener, signal: AbortSignal) => Promise<Ended>;

interface KeptOptions {
  readonly dial: Dial;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly random: () => number;
  readonly onOpened: () => void;
  readonly onEnded: (reason: string, waitMs: number) => void;
}

export interface ConnectionView {
  readonly state: 'stopped' | 'connecting' | 'connected' | 'waiting';
  readonly attempts: number;
  readonly lastEnd: string | null;
}

interface Call {
  readonly ending: AbortController;
  heardMs: number;
  openedMs: number | null;
}

export class KeptConnection {
  #call: Call | null = null;
  #isRunning = false;
  #dialAtMs = 0;
  #failures = 0;
  #attempts = 0;
  #lastEnd: string | null = null;

  constructor(private readonly options: KeptOptions) {}

  get view(): ConnectionView {
    return { state: this.#state(), attempts: this.#attempts, lastEnd: this.#lastEnd };
  }

  #state(): ConnectionView['state'] {
    if (!this.#isRunning) return 'stopped';
    if (this.#call === null) return 'waiting';
    return this.#call.openedMs === null ? 'connecting' : 'connected';
  }

  start(): void {
    this.#isRunning = true;
    this.poll();
  }

  /** Call many times a second. */
  poll(): void {
    if (!this.#isRunning) return;
    const nowMs = this.options.clock.monotonicMs();
    const call = this.#call;
    if (call === null) {
      if (nowMs >= this.#dialAtMs) this.#dial(nowMs);
    } else if (nowMs - call.heardMs > SILENCE_MS) {
      this.#end(call, { reason: `nothing new for ${SILENCE_MS / 1_000} s`, askedMs: 0 });
    }
  }

  stop(): void {
    this.#isRunning = false;
    this.#call?.ending.abort();
    this.#call = null;
  }

  #dial(nowMs: number): void {
    const { dial, clock, onOpened } = this.options;
    const call: Call = { ending: new AbortController(), heardMs: nowMs, openedMs: null };
    this.#call = call;
    this.#attempts++;
    const listener = {
      opened: () => {
        if (this.#call !== call) return;
        call.openedMs = clock.monotonicMs();
        onOpened();
      },
      heard: () => {
        call.heardMs = clock.monotonicMs();
      },
    };
    void dial(listener, call.ending.signal).then((end) => this.#end(call, end));
  }

  #end(call: Call, { reason, askedMs }: Ended): void {
    if (this.#call !== call) return;
    this.#call = null;
    call.ending.abort();
    const nowMs = this.options.clock.monotonicMs();
    if (call.openedMs !== null && nowMs - call.openedMs >= LASTED_MS) this.#failures = 0;
    const waitMs = this.#waitMs(Math.min(askedMs, ASKED_MS_MAX));
    this.#failures++;
    this.#dialAtMs = nowMs + waitMs;
    this.#lastEnd = reason;
    this.options.onEnded(reason, waitMs);
  }

  #waitMs(askedMs: number): number {
    const chance = this.options.random();
    const full = Math.min(WAIT_MS_MAX, WAIT_MS_MIN * 2 ** this.#failures);
    const own = full * (1 - JITTER * chance);
    return Math.round(Math.max(own, askedMs * (1 + ASKED_JITTER * chance)));
  }
}
