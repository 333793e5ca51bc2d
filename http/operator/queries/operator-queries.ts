/**
 * Answers the operators' queries on the engine's thread. Each turn of the event loop has one of them, or one slice of a
 * list, and an order waits for no more than that.
 */
import type { Lifecycle } from '../../../engine/host/lifecycle.js';
import { LOST } from '../../../engine/host/sequencer.js';
import { internalError, Refused } from '../../kit/refused.js';
import { type CommandOptions, OperatorCommands } from './commands.js';
import type { Handlers, OperatorQuery, QueryKind, QueryMessage, ResultOf } from './query.js';
import { type After, OperatorReads, type Reply, type Slices } from './reads.js';
import { StatusReads, type StatusSources } from './status.js';

interface OperatorQueriesOptions extends CommandOptions {
  readonly lifecycle: Lifecycle;
  /** null for a server that does not run in a process of its own, as in tests. */
  readonly status: StatusSources | null;
  /** Called before each answer, so that its effects are visible by then. */
  readonly beforeTelling: () => void;
  /** At the end of this turn of the event loop. */
  readonly schedule: (run: () => void) => void;
  /** Reports a programming error at a query that has changed nothing. Returns the id with which it was logged. */
  readonly onFault: (error: unknown, kind: QueryKind) => string;
  /** Reports a programming error after which the state can no longer be trusted. */
  readonly onFatal: (error: unknown) => void;
}

type OnMessage = (message: QueryMessage) => void;
type AnyReply = Reply<ResultOf<QueryKind>>;
type AnySlices = Slices<ResultOf<QueryKind>>;

export class OperatorQueries {
  readonly #commands: OperatorCommands;
  readonly #handlers: Handlers;
  readonly #steps: (() => void)[] = [];
  #isScheduled = false;

  constructor(private readonly options: OperatorQueriesOptions) {
    this.#commands = new OperatorCommands(options);
    this.#handlers = {
      ...this.#commands,
      ...new OperatorReads(options.sequencer),
      ...new StatusReads(options, options.status),
    };
  }

  /** Answers once everything in the answer is durable. */
  readonly answer = (query: OperatorQuery, onMessage: OnMessage): void =>
    this.#later(() => this.#begin(query, onMessage), query, onMessage);

  #later(step: () => void, query: OperatorQuery, onMessage: OnMessage): void {
    this.#steps.push(() => this.#guarded(step, query, onMessage));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.options.schedule(() => {
      this.#isScheduled = false;
      this.#steps.shift()?.();
      if (this.#steps.length > 0) this.#schedule();
    });
  }

  #begin(query: OperatorQuery, onMessage: OnMessage): void {
    try {
      // A question goes to the handler of its kind, which the compiler cannot follow.
      const handler = this.#handlers[query.kind] as (
        query: OperatorQuery,
      ) => AnyReply | Promise<AnyReply> | AnySlices;
      const reply = handler(query);
      if (reply instanceof Promise)
        reply.then((later) => this.#end(later, query, onMessage)).catch(this.options.onFatal);
      else if ('next' in reply) this.#continue(reply, query, onMessage);
      else this.#end(reply, query, onMessage);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { code, detail } = error;
      this.options.beforeTelling();
      onMessage({ kind: 'refused', code, detail });
    }
  }

  #continue(slices: AnySlices, query: OperatorQuery, onMessage: OnMessage): void {
    const next = slices.next();
    if (next.done === true) {
      this.#tellAfter(next.value, { kind: 'done', results: [] }, query, onMessage);
      return;
    }
    if (next.value !== null) onMessage({ kind: 'part', results: [next.value] });
    this.#later(() => this.#continue(slices, query, onMessage), query, onMessage);
  }

  #end({ result, after }: AnyReply, query: OperatorQuery, onMessage: OnMessage): void {
    this.#tellAfter(after, { kind: 'done', results: [result] }, query, onMessage);
  }

  #tellAfter(after: After, message: QueryMessage, query: OperatorQuery, onMessage: OnMessage): void {
    const { lifecycle, sequencer, beforeTelling } = this.options;
    const release = (): void => {
      beforeTelling();
      this.#guarded(() => onMessage(message), query, onMessage);
    };
    const refuse = (): void => onMessage({ kind: 'refused', code: LOST.code, detail: LOST.detail });
    if (after === 'all') lifecycle.whenQuiet(release, refuse);
    else sequencer.whenDurable(after, release, refuse);
  }

  /** An exception at a query that only reads ends that query alone; a command is left half done. */
  #guarded(run: () => void, { kind }: OperatorQuery, onMessage: OnMessage): void {
    try {
      run();
    } catch (error) {
      if (kind in this.#commands) {
        this.options.onFatal(error);
        return;
      }
      const { code, detail } = internalError(this.options.onFault(error, kind));
      onMessage({ kind: 'refused', code, detail });
    }
  }
}
