/**
 * The engine and the reference model side by side. After each command outcomes, all reads, the conservation of money
 * and "a refusal changes nothing" are checked.
 */
import { deepEqual, equal } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { Command, OrderGuards, PlaceOrder } from '../../../engine/model/commands.js';
import { assetOf, MARKET_IDS } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { Outcome } from '../../../engine/model/events.js';
import type { Hasher } from '../../../engine/model/ports.js';
import type { OrderQuote } from '../../../engine/model/views.js';
import { byEffort } from '../effort.js';
import { readAll, type Scope } from './compare.js';
import { ReferenceEngine } from './reference-engine.js';

export function newHasher(): Hasher {
  const hash = createHash('sha256');
  return { update: (data) => void hash.update(data), digestHex: () => hash.digest('hex') };
}

const ROUNDS_REMEMBERED = 60;
/** The digest over the whole state costs more than a command: it is taken after so many. */
const DIGEST_EVERY = 5;
/** The first commands are followed by all reads, later ones in turn: a difference seldom heals within three. */
const ALWAYS_READ = 100;
const READS_EVERY = byEffort({ test: 3, prove: 1, night: 1 });

export class Pair {
  readonly engine = new Engine();
  readonly reference = new ReferenceEngine();
  /** Every command with its outcome in a few words, for people who look for a disagreement. */
  readonly story: string[] = [];
  readonly #markets: readonly number[];
  readonly #limits: readonly number[];
  readonly #rounds = new Map<string, readonly [number, number]>();

  constructor(markets: readonly number[], limits: readonly number[]) {
    // One market that is never active stands for all others.
    this.#markets = [...markets, MARKET_IDS.length - 1];
    this.#limits = limits;
  }

  /** Applies all that is due before, and returns the outcome on which both agree. */
  apply(command: Command, gate: ErrorCode | null = null, guards: OrderGuards | null = null): Outcome {
    const { timeMs } = command;
    if (command.kind !== 'advance' && this.reference.nextDueMs <= timeMs) {
      equal(this.#applyToBoth({ kind: 'advance', timeMs }, null).status, 'accepted');
    }
    return this.#applyToBoth(command, gate, guards);
  }

  #applyToBoth(command: Command, gate: ErrorCode | null, guards: OrderGuards | null = null): Outcome {
    const rolling = this.engine.rollingDigest();
    const isDigested = this.story.length % DIGEST_EVERY === 0;
    const digest = isDigested ? this.stateDigest() : '';
    if (command.kind === 'placeOrder') this.#compareRemembered(command);
    const quote = command.kind === 'placeOrder' ? this.#quote(command, gate, guards) : null;
    const expected = this.reference.apply(command, gate, guards);
    const actual = this.engine.apply(command, gate, guards);
    const summary = summaryOf(expected);
    this.story.push(`${JSON.stringify(command)}${gate === null ? '' : ` gate ${gate}`} -> ${summary}`);
    deepEqual(withoutDetail(actual), withoutDetail(expected), 'outcomes of the engine and of the reference');
    if (quote !== null) checkQuote(quote, actual);
    if (expected.status !== 'accepted') {
      equal(this.engine.rollingDigest(), rolling, 'only what took effect is folded into the digest');
      if (isDigested) equal(this.stateDigest(), digest, 'a refusal or a replay changes nothing');
    }
    this.#remember(expected);
    if (this.story.length < ALWAYS_READ || this.story.length % READS_EVERY === 0)
      this.#compareReads(command.timeMs);
    this.#checkConservation();
    return actual;
  }

  /** The edge asks only this of an order that it refuses: whether it was placed before. */
  #compareRemembered(order: PlaceOrder): void {
    const [actual, expected] = [this.engine, this.reference].map((one) => one.rememberedOrder(order));
    deepEqual(actual && withoutDetail(actual), expected, 'orders that the engine and the reference remember');
  }

  #quote(order: PlaceOrder, gate: ErrorCode | null, guards: OrderGuards | null): OrderQuote | null {
    return this.engine.rememberedOrder(order) === null ? this.engine.quoteOrder(order, gate, guards) : null;
  }

  #remember(outcome: Outcome): void {
    if (outcome.status !== 'accepted') return;
    for (const event of outcome.events) {
      if ('roundNumber' in event) {
        this.#rounds.set(`${event.market}/${event.roundNumber}`, [event.market, event.roundNumber]);
      }
    }
    for (const name of this.#rounds.keys()) {
      if (this.#rounds.size <= ROUNDS_REMEMBERED) break;
      this.#rounds.delete(name);
    }
  }

  #compareReads(timeMs: number): void {
    const scope: Scope = {
      markets: this.#markets,
      assets: [...new Set(this.#markets.map(assetOf))],
      rounds: [...this.#rounds.values()],
      limits: this.#limits,
      timesMs: [timeMs, timeMs + 30_000],
    };
    const actual = readAll(this.engine, scope);
    const expected = readAll(this.reference, scope);
    if (!isSame(actual, expected)) deepEqual(actual, expected, 'reads of the engine and of the reference');
    equal(this.engine.rules, this.reference.rules);
  }

  #checkConservation(): void {
    const totals = this.engine.totals();
    const inRoundsCents = totals.openStakesCents + totals.openSeedsCents;
    const held = totals.houseCents + totals.accountsCents + inRoundsCents + totals.reservedStakesCents;
    equal(held, totals.depositsCents - totals.withdrawalsCents, 'conservation of money');
  }

  stateDigest(): string {
    return this.engine.stateDigest(newHasher);
  }
}

/**
 * A quote says what the order is then answered. That it changes nothing is seen in the comparisons with the
 * reference.
 */
function checkQuote({ offer, refusal, rests }: OrderQuote, outcome: Outcome): void {
  deepEqual(refusal, outcome.status === 'rejected' ? outcome : null, 'the refusal that was quoted');
  const [event] = outcome.status === 'accepted' ? outcome.events : [];
  if (event !== undefined) equal(rests ?? false, event.type === 'orderPending', 'whether the order rests');
  if (event?.type !== 'betPlaced') return;
  const { roundNumber, oddsE4, entryPercentE2, payoutCents } = event;
  const { percentE2: _, ...quoted } = must(offer, 'the offer of an order that is placed');
  deepEqual(quoted, { roundNumber, oddsE4, entryPercentE2, payoutCents }, 'the offer that was quoted');
}

const summaryOf = (outcome: Outcome): string => {
  if (outcome.status !== 'accepted') return outcome.status === 'rejected' ? outcome.code : outcome.status;
  return [...new Set(['accepted', ...outcome.events.map(({ type }) => type)])].join(' ');
};

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Many times as fast as `deepEqual`, which tells where two differ. */
function isSame(one: unknown, other: unknown): boolean {
  if (!isObject(one) || !isObject(other)) return one === other;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => isSame(value, other[at]));
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name], other[name]));
}

const withoutDetail = (outcome: Outcome): Outcome =>
  outcome.status === 'rejected' ? { status: 'rejected', code: outcome.code, detail: '' } : outcome;
