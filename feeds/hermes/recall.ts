/**
 * The prices that Hermes had at boundaries which passed while the server was away, so that their rounds are settled and not
 * voided. `/v2/updates/price/T` answers with each asset's first update from T on, so the last one at or before a boundary
 * is found by asking for the boundary's second, then for the seconds before it.
 */
import { must } from '../../engine/base/assert.js';
import { ASSETS } from '../../engine/model/domain.js';
import { getWholeText } from '../live/http-text.js';
import type { Ended } from '../live/kept-connection.js';
import { type HermesService, requestOf, updatesAt } from './connection.js';
import { HERMES_SYMBOLS } from './symbols.js';
import { type HermesUpdate, readUpdates } from './updates.js';

/** An asset without an update in so many seconds up to the boundary has no price there. */
const SECONDS_BACK_MAX = 3;
/** A question that hangs must leave time for another: rounds of missed boundaries are voided 15 s after the start. */
const ANSWER_WITHIN_MS = 4_000;
/** So that the signed update of all of them fits into the journal's evidence of each. */
const ASSETS_AT_ONCE = 4;
const TRIES_MAX = 3;
const ANSWER_CHARS_MAX = 100_000;

interface Question {
  readonly boundaryMs: number;
  readonly secondsBack: number;
  readonly assets: readonly number[];
  readonly failures: number;
}

interface RecallReader {
  /** The asset's last update at or before the boundary, and the service's signed data of the answer. */
  onUpdate(update: HermesUpdate, boundaryMs: number, signed: string): void;
  onTrouble(detail: string): void;
}

export class HermesRecall {
  #questions: Question[] = [];
  #isOpen = false;
  #asking: { readonly ending: AbortController; readonly sinceMs: number } | null = null;

  constructor(
    private readonly service: HermesService,
    private readonly monotonicMs: () => number,
    private readonly reader: RecallReader,
  ) {}

  /** Asks now, or once `go` is called. */
  want(asset: number, boundaryMs: number): void {
    const fits = ({ assets, ...question }: Question): boolean =>
      question.boundaryMs === boundaryMs && question.secondsBack === 0 && assets.length < ASSETS_AT_ONCE;
    const at = this.#questions.findIndex(fits);
    const question = this.#questions[at] ?? { boundaryMs, secondsBack: 0, assets: [], failures: 0 };
    const wider = { ...question, assets: [...question.assets, asset] };
    if (at < 0) this.#questions.push(wider);
    else this.#questions[at] = wider;
    // In another turn: more assets of the boundary follow in this one.
    if (this.#isOpen) queueMicrotask(() => void this.#ask());
  }

  go(): void {
    this.#isOpen = true;
    void this.#ask();
  }

  /** For good. */
  stop(): void {
    this.#isOpen = false;
    this.#questions = [];
    this.#asking?.ending.abort();
  }

  /** Call many times a second. */
  poll(): void {
    if (this.#asking === null || this.monotonicMs() - this.#asking.sinceMs <= ANSWER_WITHIN_MS) return;
    this.#asking.ending.abort(new Error(`no answer within ${ANSWER_WITHIN_MS / 1_000} s`));
  }

  async #ask(): Promise<void> {
    if (!this.#isOpen || this.#asking !== null) return;
    for (let question = this.#questions.shift(); question !== undefined; question = this.#questions.shift()) {
      const ending = new AbortController();
      this.#asking = { ending, sinceMs: this.monotonicMs() };
      const request = requestOf(this.service, urlOf(this.service, question), ending.signal);
      const answer = await getWholeText(request, ANSWER_CHARS_MAX);
      if (!this.#isOpen) return;
      if (typeof answer === 'string') this.#read(question, answer);
      else this.#fail(question, answer);
    }
    this.#asking = null;
  }

  #read(question: Question, text: string): void {
    const { boundaryMs, secondsBack, assets } = question;
    const { updates, signed } = readUpdates(text);
    const found = updates.filter(({ publishTimeMs }) => publishTimeMs <= boundaryMs);
    for (const update of found) this.reader.onUpdate(update, boundaryMs, signed);
    const left = assets.filter((asset) => !found.some(({ id }) => id === idOf(asset)));
    if (left.length > 0 && secondsBack < SECONDS_BACK_MAX)
      this.#questions.unshift({ ...question, assets: left, secondsBack: secondsBack + 1 });
  }

  /** A service that wants to be left alone is asked for nothing more: the stream must not suffer from it. */
  #fail(question: Question, { reason, askedMs }: Ended): void {
    this.reader.onTrouble(`prices at ${new Date(question.boundaryMs).toISOString()}: ${reason}`);
    const failures = question.failures + 1;
    if (askedMs > 0) this.#questions = [];
    else if (failures < TRIES_MAX) this.#questions.push({ ...question, failures });
  }
}

const idOf = (asset: number): string => HERMES_SYMBOLS[must(ASSETS[asset], 'a known asset')][1];

const urlOf = (service: HermesService, { boundaryMs, secondsBack, assets }: Question): URL =>
  updatesAt(service, Math.floor(boundaryMs / 1_000) - secondsBack, assets.map(idOf));
