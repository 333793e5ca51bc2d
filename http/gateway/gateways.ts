/**
 * All gateways, as the engine's thread sees them. The first of them also accepts the connections and hands them out to all
 * in turn, so that each has the same number and the port is taken exclusively.
 */
import { Worker } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import type { Rules } from '../../engine/model/rules.js';
import { ringMemory } from '../rings/ring.js';
import type { RingService } from '../rings/service.js';
import { type FromGateway, type SharedSetup, type ToGateway, WAKE } from './messages.js';

const REQUEST_CELLS = 1 << 16;
const REPLY_CELLS = 1 << 17;
/** How long gateways have to let go of the network when the process ends at once. */
const HALT_MS_MAX = 2_000;

export interface Listening {
  readonly port: number;
  /** Whether heads of requests can be seen exactly as they were sent. */
  readonly seesHeads: boolean;
}

type Said<K> = Extract<FromGateway, { readonly kind: K }>;

/** One gateway's thread. */
class GatewayThread {
  readonly #worker = new Worker(new URL('./worker.js', import.meta.url));
  readonly #awaited = new Map<string, (message: FromGateway) => void>();

  constructor(
    private readonly onWake: () => void,
    private readonly onFatal: (error: unknown) => void,
  ) {
    this.#worker.on('message', (message: FromGateway) => this.#onMessage(message));
    this.#worker.on('error', (error) => onFatal(error));
  }

  post(message: ToGateway): void {
    this.#worker.postMessage(message);
  }

  /** Resolves with the next message of one of these kinds. */
  next<K extends string>(...kinds: K[]): Promise<Said<K>> {
    return new Promise((resolve) => {
      for (const kind of kinds) this.#awaited.set(kind, (message) => resolve(message as Said<K>));
    });
  }

  #onMessage(message: FromGateway): void {
    if (message === WAKE) this.onWake();
    else if (message.kind === 'failed') this.onFatal(message.error);
    else this.#awaited.get(message.kind)?.(message);
  }
}

export class Gateways {
  readonly #threads: readonly GatewayThread[];
  readonly #halted = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #onWake: () => void = () => undefined;
  /** Threads that have been told to open their network. */
  #opened = 0;
  #isOver = false;

  /** Starts the threads, which load their code meanwhile. `onFatal` is for a programming error in one of them. */
  constructor(count: number, onFatal: (error: unknown) => void) {
    const onWake = (): void => this.#onWake();
    this.#threads = Array.from({ length: count }, () => new GatewayThread(onWake, onFatal));
    process.on('exit', () => this.#halt());
  }

  /** Takes the port; rejects if it is taken. */
  async listen(
    setup: Omit<SharedSetup, 'halted'>,
    service: RingService,
    host: string,
    port: number,
  ): Promise<Listening> {
    this.#onWake = () => service.drain();
    const halted = this.#halted.buffer as SharedArrayBuffer;
    const joining = this.#threads.map((thread, index) => {
      const rings = { requests: ringMemory(REQUEST_CELLS), replies: ringMemory(REPLY_CELLS) };
      service.add(rings, () => thread.post(WAKE));
      const joined = thread.next('joined');
      this.#opened += 1;
      thread.post({ kind: 'open', setup: { ...setup, halted, index, rings } });
      return joined;
    });
    const joined = await Promise.all(joining);
    const first = must(this.#threads[0], 'the first gateway');
    const answer = first.next('listening', 'refused');
    first.post({ kind: 'accept', descriptors: joined.map(({ descriptor }) => descriptor), host, port });
    const said = await answer;
    if (said.kind === 'refused') throw new Error(said.reason);
    return { port: said.port, seesHeads: joined.every(({ seesHeads }) => seesHeads) };
  }

  /** Requests are answered from now on. */
  serve(rules: Rules): void {
    this.#post({ kind: 'serve', rules });
  }

  /** For the documents that show them. */
  setRules(rules: Rules): void {
    this.#post({ kind: 'rules', rules });
  }

  /** Takes no new connections; resolves once what waits is answered. */
  async close(): Promise<void> {
    const closed = this.#threads.map((thread) => thread.next('closed'));
    this.#post({ kind: 'close' });
    await Promise.all(closed);
    this.#isOver = true;
  }

  /**
   * Right before the process ends, and without giving anything else a turn: a thread that ended with open connections
   * would abort the process.
   */
  #halt(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#post({ kind: 'halt' });
    const untilMs = performance.now() + HALT_MS_MAX;
    for (;;) {
      const halted = Atomics.load(this.#halted, 0);
      if (halted === this.#opened) return;
      if (Atomics.wait(this.#halted, 0, halted, untilMs - performance.now()) === 'timed-out') return;
    }
  }

  #post(message: ToGateway): void {
    for (const thread of this.#threads) thread.post(message);
  }
}
