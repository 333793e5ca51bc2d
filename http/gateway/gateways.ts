/**
 * All gateways, as the engine's thread sees them: those of the public port, and the operators'. The first public
 * gateway also accepts the connections and hands them out to all in turn, so that each has the same number and the port
 * is taken exclusively.
 */
import type { MessagePort, Worker } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import type { OperatorToken, Refusals } from '../../engine/model/operators.js';
import type { Rules } from '../../engine/model/rules.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { Link } from '../link/link.js';
import type { SendQuery } from '../operator/queries/query.js';
import type { RingPair } from '../rings/link.js';
import { ringMemory } from '../rings/ring.js';
import type { RingService } from '../rings/service.js';
import type { UwsAppDescriptor } from '../uws/library.js';
import {
  type FromGateway,
  type GatewaySetup,
  type OperatorSetup,
  type SharedSetup,
  type ToGateway,
  WAKE,
} from './messages.js';
import { startWorker } from './start.js';
import { GatewayHere, type GatewayPlace, GatewayThread } from './thread.js';
import { Ended, LET_GO, STOPPED_ACCEPTING } from './thread-end.js';

const REQUEST_CELLS = 1 << 16;
const REPLY_CELLS = 1 << 17;
/** Gateways have so long to let go of the network when the process ends at once. */
const HALT_MS_MAX = 2_000;

interface ForOperators {
  readonly answer: SendQuery;
  readonly onRefusals: (refusals: Refusals) => void;
}

export class Gateways {
  readonly #public: readonly GatewayPlace[];
  readonly #operators: GatewayThread;
  readonly #ended = new Ended();
  #onWake: () => void = () => undefined;
  readonly #opened: GatewayPlace[] = [];
  #acceptor: GatewayPlace | null = null;
  /** The apps that get connections to the public port. */
  #descriptors: readonly UwsAppDescriptor[] = [];
  #isOver = false;

  /**
   * Starts `count` threads for the public port, which load their code meanwhile, beside the operators'. With a count of
   * 0 this thread serves the public port, by `nearLink`. `onFatal` is for a programming error in one of them.
   */
  constructor(
    private readonly count: number,
    operators: Worker,
    nearLink: Link,
    onFatal: (error: unknown) => void,
  ) {
    const onWake = (): void => this.#onWake();
    const threads = Array.from(
      { length: count },
      () => new GatewayThread(startWorker('public'), onWake, onFatal),
    );
    this.#public = count === 0 ? [new GatewayHere(nearLink, onWake, onFatal)] : threads;
    this.#operators = new GatewayThread(operators, () => undefined, onFatal);
    process.on('exit', () => this.#halt());
  }

  async listen(
    setup: Omit<SharedSetup, 'ended'>,
    figures: readonly SharedArrayBuffer[],
    service: RingService,
    host: string,
    port: number,
  ): Promise<number> {
    this.#onWake = () => service.drain();
    const ended = this.#ended.memory;
    const joining = this.#public.map((thread, index) => {
      const rings = this.count === 0 ? null : ringsOf(service, thread);
      const joined = thread.next('joined', 'refused');
      const sheet = must(figures[index], 'a sheet');
      this.#open(thread, { ...setup, role: 'public', ended, index, rings, figures: sheet });
      return joined;
    });
    const joined = (await Promise.all(joining)).map(unrefused);
    this.#descriptors = joined.map(({ descriptor }) => descriptor);
    const first = must(this.#public[0], 'the first gateway');
    const answer = first.next('listening', 'refused');
    this.#acceptor = first;
    first.post({ kind: 'accept', descriptors: this.#descriptors, host, port });
    return unrefused(await answer).port;
  }

  /** Tell the public gateways of news, in the order of their numbers. */
  get newsOf(): readonly (() => void)[] {
    return this.#public.map((gateway) => () => gateway.tellNews());
  }

  async listenForOperators(setup: Omit<OperatorSetup, 'role' | 'ended'>): Promise<number> {
    const answer = this.#operators.next('listening', 'refused');
    this.#open(this.#operators, { ...setup, role: 'operator', ended: this.#ended.memory });
    return unrefused(await answer).port;
  }

  /**
   * Has the threads of the port read their certificate anew, for connections to come. Rejects if the library refuses
   * it: then all stays as it was. Not to be called again before it has settled.
   */
  async renew(port: 'public' | 'operator'): Promise<void> {
    const threads = port === 'public' ? this.#public : [this.#operators];
    const renewing = threads.map((thread) => thread.next('renewed', 'refused'));
    for (const thread of threads) thread.post({ kind: 'renew' });
    const renewed = (await Promise.all(renewing)).map(unrefused);
    if (port === 'operator') return;
    const after = renewed.map(({ descriptor }) => descriptor);
    this.#public[0]?.post({ kind: 'swapApps', before: this.#descriptors, after });
    this.#descriptors = after;
  }

  #open(thread: GatewayPlace, setup: GatewaySetup | OperatorSetup): void {
    this.#opened.push(thread);
    thread.post({ kind: 'open', setup });
  }

  /**
   * The held requests are answered from now on, and all that follow. `newArchivePort` gives each gateway its way to the
   * archive's reader.
   */
  serve(rules: Rules, { answer, onRefusals }: ForOperators, newArchivePort: () => MessagePort): void {
    const operators = this.#operators;
    operators.on('refusals', ({ refusals }) => onRefusals(refusals));
    operators.on('asked', ({ id, query }) =>
      answer(query, (message) => operators.post({ kind: 'answered', id, message })),
    );
    for (const thread of [...this.#public, operators]) {
      const archive = newArchivePort();
      thread.post({ kind: 'serve', rules, archive }, [archive]);
    }
  }

  setRules(rules: Rules): void {
    for (const thread of this.#public) thread.post({ kind: 'rules', rules });
  }

  /** The journal's newest signed head. Not to be called before `serve`. */
  setHead(head: SignedHead): void {
    for (const thread of this.#public) thread.post({ kind: 'head', head });
  }

  setOperatorTokens(tokens: readonly OperatorToken[]): void {
    this.#operators.post({ kind: 'tokens', tokens });
  }

  /**
   * Takes no new connections; resolves once all requests are answered. A connection that is handed to a thread which
   * has ended would crash the process, so all threads go on until the acceptor has stopped.
   */
  async close(): Promise<void> {
    if (this.#acceptor !== null) {
      const stopped = this.#acceptor.next('stoppedAccepting');
      this.#acceptor.post({ kind: 'stopAccepting' });
      await stopped;
    }
    const closed = this.#opened.map((thread) => thread.next('closed'));
    this.#post({ kind: 'close' });
    await Promise.all(closed);
    this.#isOver = true;
  }

  /**
   * Right before the process ends, and without giving anything else on this thread a turn: a thread that ended with
   * open connections would abort the process.
   */
  #halt(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const untilMs = performance.now() + HALT_MS_MAX;
    if (this.#acceptor !== null) {
      this.#acceptor.post({ kind: 'stopAccepting' });
      this.#ended.wait(STOPPED_ACCEPTING, 1, untilMs);
    }
    this.#post({ kind: 'halt' });
    this.#ended.wait(LET_GO, this.#opened.length, untilMs);
  }

  #post(message: ToGateway): void {
    for (const thread of this.#opened) thread.post(message);
  }
}

function ringsOf(service: RingService, thread: GatewayPlace): RingPair {
  const rings = { requests: ringMemory(REQUEST_CELLS), replies: ringMemory(REPLY_CELLS) };
  service.add(rings, () => thread.post(WAKE));
  return rings;
}

/** Throws the reason if the thread could not do what it was told. */
function unrefused<T extends Exclude<FromGateway, typeof WAKE>>(
  said: T,
): Exclude<T, { readonly kind: 'refused' }> {
  if (said.kind === 'refused') throw new Error(said.reason);
  return said as Exclude<T, { readonly kind: 'refused' }>;
}
