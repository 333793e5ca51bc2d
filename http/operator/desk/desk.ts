/**
 * What the engine's thread does with the operators' questions. Each turn of the event loop has one of them, or one slice
 * of a list: whatever operators ask for, an order waits for no more than that.
 */
import type { Lifecycle } from '../../../engine/host/lifecycle.js';
import { Refused } from '../../kit/refused.js';
import { AccountDesk } from './accounts.js';
import { ControlDesk } from './control.js';
import type { Asked, AskOf, FactsOf, Kind, Question, Told } from './dealings.js';
import { confirmPrice, type HeldPriceOptions } from './held-prices.js';
import { KeyDesk } from './keys.js';
import { ListDesk } from './lists.js';
import { pulse } from './pulse.js';
import { type After, type Facts, type Reply, Slices } from './reply.js';
import { moveClock, pushPrices, type SandboxOptions } from './sandbox.js';
import { type StatusSources, statusOf } from './status.js';
import { Submitter } from './submitter.js';

export interface OperatorDeskOptions extends SandboxOptions, HeldPriceOptions {
  readonly lifecycle: Lifecycle;
  /** null for a server that does not run in a process of its own, as in tests. */
  readonly status: StatusSources | null;
  /** Called before each answer: what it speaks of can be seen by then. */
  readonly beforeTelling: () => void;
  /** Runs the function at the end of this turn of the event loop. */
  readonly schedule: (run: () => void) => void;
  /** A programming error: the state can no longer be trusted. */
  readonly onFatal: (error: unknown) => void;
}

type Tell = (told: Told) => void;
type Handlers = { readonly [K in Kind]: (ask: AskOf<K>) => Reply<FactsOf<K>> };

export class OperatorDesk {
  readonly #submitter: Submitter;
  readonly #handlers: Handlers;
  /** One turn's work each. */
  readonly #steps: (() => void)[] = [];
  #isScheduled = false;

  constructor(private readonly options: OperatorDeskOptions) {
    this.#submitter = new Submitter(options.sequencer);
    this.#handlers = handlersOf(options, this.#submitter);
  }

  /** Answers once what it tells is durable. */
  readonly ask = (question: Asked, tell: Tell): void => this.#later(() => this.#begin(question, tell));

  #later(step: () => void): void {
    this.#steps.push(step);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.options.schedule(() => {
      this.#isScheduled = false;
      this.#guarded(() => this.#steps.shift()?.());
      if (this.#steps.length > 0) this.#schedule();
    });
  }

  #begin(question: Asked, tell: Tell): void {
    const reply = this.#submitter.inNameOf(question.by, () => this.#replyTo(question));
    if (reply instanceof Slices) this.#continue(reply, tell);
    else if (!(reply instanceof Promise)) this.#end(reply, tell);
    else {
      reply.then(
        (later) => this.#guarded(() => this.#end(later, tell)),
        (error: unknown) => this.options.onFatal(error),
      );
    }
  }

  #replyTo<K extends Kind>({ kind, ask }: Question<K>): Reply<FactsOf<K>> {
    return this.#handlers[kind](ask);
  }

  #continue(list: Slices<FactsOf<Kind>>, tell: Tell): void {
    const next = list.rest.next();
    if (next.done === true) {
      this.#tellAfter(next.value, { kind: 'done', facts: [] }, tell);
      return;
    }
    if (next.value !== null) tell({ kind: 'part', facts: [next.value] });
    this.#later(() => this.#continue(list, tell));
  }

  #end(reply: Facts<FactsOf<Kind>> | Refused, tell: Tell): void {
    if (!(reply instanceof Refused)) {
      this.#tellAfter(reply.after, { kind: 'done', facts: [reply.facts] }, tell);
      return;
    }
    this.options.beforeTelling();
    tell({ kind: 'refused', code: reply.code, detail: reply.detail });
  }

  #tellAfter(after: After, told: Told, tell: Tell): void {
    const { lifecycle, sequencer, beforeTelling } = this.options;
    const release = (): void => {
      beforeTelling();
      tell(told);
    };
    if (after === 'all') lifecycle.whenQuiet(release);
    else sequencer.whenDurable(after, release);
  }

  #guarded(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.options.onFatal(error);
    }
  }
}

function handlersOf(options: OperatorDeskOptions, submitter: Submitter): Handlers {
  const { sequencer } = options;
  const accounts = new AccountDesk(submitter);
  const keys = new KeyDesk(submitter);
  const control = new ControlDesk(submitter);
  const lists = new ListDesk(sequencer);
  return {
    hasAccount: (ask) => accounts.has(ask),
    hasKey: (ask) => keys.has(ask),
    account: (ask) => accounts.get(ask),
    accounts: (ask) => accounts.list(ask),
    createAccount: (ask) => accounts.create(ask),
    updateAccount: (ask) => accounts.update(ask),
    transfer: (ask) => accounts.transfer(ask),
    keys: (ask) => keys.list(ask),
    createKey: (ask) => keys.create(ask),
    updateKey: (ask) => keys.update(ask),
    expireKey: (ask) => keys.expire(ask),
    rotateKey: (ask) => keys.rotate(ask),
    openRounds: () => lists.openRounds(),
    betsOfAccount: (ask) => lists.bets(ask),
    accountSeq: (ask) => lists.accountSeq(ask),
    transfers: (ask) => lists.transfers(ask),
    setTrading: (ask) => control.setTrading(ask),
    suspendMarket: (ask) => control.suspendMarket(ask),
    voidRound: (ask) => control.voidRound(ask),
    house: () => control.house(),
    rules: () => control.rules(),
    configure: (ask) => control.configure(ask),
    transferHouse: (ask) => control.transferHouse(ask),
    lastAction: () => control.lastAction(),
    recordRefusals: (ask) => control.recordRefusals(ask),
    pushPrices: (ask) => pushPrices(options, ask),
    confirmPrice: (ask) => confirmPrice(options, submitter, ask),
    moveClock: (ask) => moveClock(options, ask, submitter),
    pulse: () => pulse(options, options.status?.replicatedLog() ?? null),
    status: statusOf(options.status),
  };
}
