/**
 * The hashes of bets (`engine/fairness.ts`), the newest of which threads share. A hash costs several times as much as
 * the rest of an answer, and is wanted by the answer, by the root of the round, and by lists, which bots ask for again
 * and again. It never changes.
 */
import type { RoundSeeds } from '../engine/fairness.js';
import type { HashedBet } from '../engine/model/events.js';
import type { BetView } from '../engine/model/views.js';

/** A power of two: a bet's place is the low bits of its number. */
export const HASHES_KEPT = 1 << 16;
const HEX_DIGITS = 64;
const TURNS_BYTES = HASHES_KEPT * Int32Array.BYTES_PER_ELEMENT;
/** The turn of a place that is being written. */
const BUSY = -1;

export const betHashesMemory = (): SharedArrayBuffer =>
  new SharedArrayBuffer(TURNS_BYTES + HASHES_KEPT * HEX_DIGITS);

export class BetHashes {
  /** By place: the turn of the bet whose hash is there, from 1; 0 if none is. */
  readonly #turns: Int32Array;
  readonly #digits: Buffer;
  /** Over the same memory. */
  readonly #words: DataView;

  constructor(
    private readonly seeds: RoundSeeds,
    memory = betHashesMemory(),
  ) {
    this.#turns = new Int32Array(memory, 0, HASHES_KEPT);
    this.#digits = Buffer.from(memory, TURNS_BYTES);
    this.#words = new DataView(memory, TURNS_BYTES);
  }

  /** 64 hex digits. */
  of(bet: HashedBet): string {
    const place = placeOf(bet);
    const turn = turnOf(bet);
    const found = Atomics.load(this.#turns, place);
    const at = place * HEX_DIGITS;
    if (found === turn) {
      const kept = this.#digits.toString('latin1', at, at + HEX_DIGITS);
      if (Atomics.load(this.#turns, place) === turn) return kept;
    }
    const made = this.seeds.betHash(bet);
    // Two threads that wrote to one place could leave a mixture.
    if (found !== BUSY && Atomics.compareExchange(this.#turns, place, found, BUSY) === found) {
      this.#digits.write(made, at, HEX_DIGITS, 'latin1');
      Atomics.store(this.#turns, place, turn);
    }
    return made;
  }

  /** Field by field: an object made with spread syntax costs more than the hash. */
  ofView(view: BetView, entryPercentE2: number): string {
    return this.of({
      timeMs: view.placedAtMs,
      bet: view.bet,
      market: view.market,
      roundNumber: view.roundNumber,
      side: view.side,
      stakeCents: view.stakeCents,
      oddsE4: view.oddsE4,
      entryPercentE2,
      payoutCents: view.payoutCents,
      clientSeed: view.clientSeed,
    });
  }

  /** Writes the 32 bytes, from `to` on. */
  into(bet: HashedBet, bytes: Uint8Array, to: number): void {
    const place = placeOf(bet);
    const turn = turnOf(bet);
    if (Atomics.load(this.#turns, place) === turn) {
      const from = place * HEX_DIGITS;
      for (let at = 0; at < HEX_DIGITS; at += 4) {
        const pairs = bytesOf(this.#words.getInt32(from + at, true));
        bytes[to + at / 2] = pairs;
        bytes[to + at / 2 + 1] = pairs >>> 16;
      }
      if (Atomics.load(this.#turns, place) === turn) return;
    }
    this.seeds.betHashInto(bet, bytes, to);
  }
}

const placeOf = ({ bet }: HashedBet): number => bet & (HASHES_KEPT - 1);
/** How many bets had the place, this one included. */
const turnOf = ({ bet }: HashedBet): number => Math.floor(bet / HASHES_KEPT) + 1;

/** Reads four hex digits in lower case, the first one lowest: two bytes, in bits 0 to 7 and 16 to 23. */
function bytesOf(digits: number): number {
  // Only letters have the bit 0x40; theirs stand for 10 and more, but count from 1.
  const values = (digits & 0x0f0f0f0f) + 9 * ((digits >>> 6) & 0x01010101);
  return (values << 4) | (values >>> 8);
}
