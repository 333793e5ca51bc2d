/**
 * A 64-bit digest of the whole history, folded outcome by outcome. Two runs of the same
 * commands must agree on it after every command. It detects divergence, not forgery.
 */
import { assert } from '../base/assert.js';
import type { BetPlaced, EngineEvent, OrderPending } from '../model/events.js';

/** One event's fields: doubles, or pairs of 32-bit words in place of one. */
const doubles = new Float64Array(10);
const words = new Uint32Array(doubles.buffer);

export class RollingDigest {
  #high = 0x9e3779b9;
  #low = 0x85ebca6b;

  foldOutcome(seq: number, events: readonly EngineEvent[]): void {
    this.#foldNumber(seq);
    for (const event of events) this.#foldEvent(event);
  }

  /** The same for a single placed bet: most commands are orders. */
  foldPlaced(seq: number, placed: BetPlaced): void {
    doubles[0] = seq;
    doubles[1] = placed.timeMs;
    doubles[2] = placed.bet;
    words[6] = placed.account;
    words[7] = placed.market;
    words[8] = placed.roundNumber;
    words[9] = placed.side;
    doubles[5] = placed.stakeCents;
    doubles[6] = placed.oddsE4;
    doubles[7] = placed.entryPercentE2;
    doubles[8] = placed.payoutCents;
    doubles[9] = placed.newBalanceCents;
    this.#foldPairs(10);
    // A fixed seed has no fair share.
    if (placed.fairShareE6 >= 0) this.#foldNumber(placed.fairShareE6);
    this.#foldTexts(placed);
  }

  resume(hex: string): void {
    assert(/^[0-9a-f]{16}$/.test(hex), 'a rolling digest has 16 hex digits');
    this.#high = Number.parseInt(hex.slice(0, 8), 16) | 0;
    this.#low = Number.parseInt(hex.slice(8), 16) | 0;
  }

  hex(): string {
    return (this.#high >>> 0).toString(16).padStart(8, '0') + (this.#low >>> 0).toString(16).padStart(8, '0');
  }

  /** `betSettled` has a fast path, because a settlement has one per bet. */
  #foldEvent(event: EngineEvent): void {
    if (event.type === 'betPlaced' || event.type === 'orderPending') {
      this.#foldText(event.type);
      this.#foldOrder(event);
    } else if (event.type === 'betSettled') {
      doubles[0] = event.timeMs;
      doubles[1] = event.bet;
      words[4] = event.account;
      words[5] = event.result;
      doubles[3] = event.payoutCents;
      doubles[4] = event.newBalanceCents;
      this.#foldPairs(5);
    } else {
      this.#foldFields(event);
    }
  }

  /** Limit orders fold their own fields besides those of `foldPlaced`. */
  #foldOrder(order: BetPlaced | OrderPending): void {
    const { filled } = order;
    for (const value of [order.timeMs, order.bet, order.account, order.market, order.roundNumber, order.side])
      this.#foldNumber(value);
    for (const value of [order.stakeCents, order.oddsE4, order.entryPercentE2, order.payoutCents])
      this.#foldNumber(value);
    for (const value of [order.newBalanceCents, order.limitOddsE4, order.fairShareE6])
      this.#foldNumber(value);
    if (order.type === 'orderPending') this.#foldNumber(order.validUntilMs);
    if (filled !== null) this.#foldFields(filled);
    this.#foldTexts(order);
  }

  /** A number before the name tells it from a seed. */
  #foldTexts({ clientSeed, clientOrderId }: BetPlaced | OrderPending): void {
    if (clientSeed !== null) this.#foldText(clientSeed);
    if (clientOrderId === null) return;
    this.#foldNumber(clientOrderId.length);
    this.#foldText(clientOrderId);
  }

  #foldFields(event: object): void {
    for (const value of Object.values(event)) {
      if (typeof value === 'number') this.#foldNumber(value);
      else if (typeof value === 'object' && value !== null) this.#foldFields(value);
      else this.#foldText(String(value));
    }
  }

  #foldText(text: string): void {
    for (let i = 0; i < text.length; i++) this.#foldWords(text.charCodeAt(i), i);
    this.#foldWords(text.length, 0x7e57);
  }

  #foldNumber(value: number): void {
    doubles[0] = value;
    this.#foldPairs(1);
  }

  #foldWords(first: number, second: number): void {
    words[0] = first;
    words[1] = second;
    this.#foldPairs(1);
  }

  /** One round of a multiply-rotate mix for each pair of `words`, with cross-feed between the halves. */
  #foldPairs(count: number): void {
    let high = this.#high;
    let low = this.#low;
    for (let at = 0; at < 2 * count; at += 2) {
      let mixedHigh = Math.imul(high ^ (words[at] as number), 0xcc9e2d51);
      mixedHigh = (mixedHigh << 15) | (mixedHigh >>> 17);
      let mixedLow = Math.imul(low ^ (words[at + 1] as number), 0x1b873593);
      mixedLow = (mixedLow << 13) | (mixedLow >>> 19);
      high = (Math.imul(mixedHigh, 5) + mixedLow) | 0;
      low = ((Math.imul(mixedLow, 3) ^ mixedHigh) + 0x52dce729) | 0;
    }
    this.#high = high;
    this.#low = low;
  }
}
