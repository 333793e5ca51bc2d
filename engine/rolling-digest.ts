/**
 * A 64-bit digest of everything that ever happened, folded outcome by outcome (design, "Determinism"). Two runs
 * of the same commands agree on it after every command or one of them is wrong. It is a check against divergence,
 * not against forgery: that is the journal's chain of SHA-256.
 */
import { assert } from './assert.js';
import type { EngineEvent } from './events.js';

const number64 = new Float64Array(1);
const halves = new Uint32Array(number64.buffer);

export class RollingDigest {
  #high = 0x9e3779b9;
  #low = 0x85ebca6b;

  /** Folds one accepted command: its sequence number and every field of its events, in order. */
  foldOutcome(seq: number, events: readonly EngineEvent[]): void {
    this.#foldNumber(seq);
    for (const event of events) this.#foldEvent(event);
  }

  /** Goes on from a digest that `hex` gave. */
  resume(hex: string): void {
    assert(/^[0-9a-f]{16}$/.test(hex), 'a rolling digest has 16 hex digits');
    this.#high = Number.parseInt(hex.slice(0, 8), 16) | 0;
    this.#low = Number.parseInt(hex.slice(8), 16) | 0;
  }

  hex(): string {
    return (this.#high >>> 0).toString(16).padStart(8, '0') + (this.#low >>> 0).toString(16).padStart(8, '0');
  }

  /** Orders are most of all events, so their fields are named here; the others go through the general way. */
  #foldEvent(event: EngineEvent): void {
    if (event.type === 'betPlaced') {
      this.#foldNumber(event.timeMs);
      this.#foldNumber(event.bet);
      this.#foldWords(event.account, event.market);
      this.#foldWords(event.roundNumber, event.side);
      this.#foldNumber(event.stakeCents);
      this.#foldNumber(event.oddsE4);
      this.#foldNumber(event.entryPercentE2);
      this.#foldNumber(event.payoutCents);
      this.#foldNumber(event.newBalanceCents);
      if (event.clientSeed !== null) this.#foldText(event.clientSeed);
    } else if (event.type === 'betSettled') {
      this.#foldNumber(event.timeMs);
      this.#foldNumber(event.bet);
      this.#foldWords(event.account, event.result);
      this.#foldNumber(event.payoutCents);
      this.#foldNumber(event.newBalanceCents);
    } else {
      this.#foldFields(event);
    }
  }

  #foldFields(event: EngineEvent): void {
    for (const value of Object.values(event)) {
      if (typeof value === 'number') this.#foldNumber(value);
      else this.#foldText(String(value));
    }
  }

  #foldText(text: string): void {
    for (let i = 0; i < text.length; i++) this.#foldWords(text.charCodeAt(i), i);
    this.#foldWords(text.length, 0x7e57);
  }

  #foldNumber(value: number): void {
    number64[0] = value;
    this.#foldWords(halves[0] as number, halves[1] as number);
  }

  /** One round of a multiply-rotate mix with cross-feed between the halves. */
  #foldWords(first: number, second: number): void {
    let high = Math.imul(this.#high ^ first, 0xcc9e2d51);
    high = (high << 15) | (high >>> 17);
    let low = Math.imul(this.#low ^ second, 0x1b873593);
    low = (low << 13) | (low >>> 19);
    this.#high = (Math.imul(high, 5) + low) | 0;
    this.#low = (Math.imul(low, 3) ^ high) + 0x52dce729;
    this.#low |= 0;
  }
}
