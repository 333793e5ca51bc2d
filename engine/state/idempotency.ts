/**
 * The memory of Idempotency-Keys. An entry contains every fact of its 201 response, so it does not depend on the bet's
 * being retained. Entries are appended to chunks in order of time; a chunk is dropped once its last entry has expired.
 * Entries are numbered from 0, never reusing a number, and found through `KeyIndex`.
 */
import { must } from '../base/assert.js';
import type { IdempotencyDigest } from '../model/commands.js';
import type { OrderTerms } from '../model/events.js';
import { KeyIndex } from './key-index.js';
import { OptionalColumns } from './optional-columns.js';

const CHUNK_BITS = 14;
const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;

/*
 * An entry is a row of 88 bytes, so that writing it touches two cache lines rather than one per field: 64-bit words
 * first, then 32-bit words. The upper 16 bits of the three digests are stored apart from their lower 32.
 */
const ROW_WORDS64 = 11;
const ROW_WORDS32 = 2 * ROW_WORDS64;
const SEQ = 0;
const BET = 1;
const STAKE_CENTS = 2;
const ODDS_E4 = 3;
const PAYOUT_CENTS = 4;
const PLACED_AT_MS = 5;
const NEW_BALANCE_CENTS = 6;
const KEY_HIGH = 14;
const KEY_LOW = 15;
const BODY = 16;
const ACCOUNT = 17;
const ROUND_NUMBER = 18;
/** Upper parts of `keyHigh` (lower half) and `keyLow` (upper half). */
const KEY_TOPS = 19;
/** Upper part of `body` (lower half), and the entry percent in 1e-2 (upper half). */
const BODY_TOP_AND_PERCENT = 20;
/** `market * 2 + side`. */
const MARKET_AND_SIDE = 21;

const WORD = 2 ** 32;

class EntryChunk {
  readonly words64 = new Float64Array(CHUNK_ROWS * ROW_WORDS64);
  readonly words32 = new Uint32Array(this.words64.buffer);
  readonly optional = new OptionalColumns(CHUNK_ROWS);

  placedAtMs(row: number): number {
    return this.words64[row * ROW_WORDS64 + PLACED_AT_MS] as number;
  }
}

export interface IdempotencyEntry {
  readonly digest: IdempotencyDigest;
  readonly seq: number;
  readonly placed: OrderTerms;
}

export class IdempotencyMemory {
  readonly #index = new KeyIndex();
  #chunks: EntryChunk[] = [];
  /** Number of the first entry of the first chunk. */
  #firstNumber = 0;
  #nextNumber = 0;
  /** Time of the first chunk's last entry; Infinity while it is the only chunk. */
  #firstEndsMs = Number.POSITIVE_INFINITY;
  /** Entries older than this have expired, whatever the current time to live. */
  #notBeforeMs = Number.NEGATIVE_INFINITY;

  /** null unless the key's entry is younger than `ttlMs` at `nowMs`. */
  find(account: number, digest: IdempotencyDigest, nowMs: number, ttlMs: number): IdempotencyEntry | null {
    const { keyLow } = digest;
    const index = this.#index;
    for (let at = index.first(keyLow); at >= 0; at = index.next(keyLow, at)) {
      const offset = index.offset(keyLow, at, this.#firstNumber);
      if (offset >= this.#nextNumber - this.#firstNumber || !this.#isKey(offset, account, digest)) continue;
      const entry = this.#entry(offset);
      if (this.#isAlive(entry.placed.timeMs, nowMs, ttlMs)) return entry;
    }
    return null;
  }

  isFull(nowMs: number, ttlMs: number, entriesMax: number): boolean {
    return this.#nextNumber - this.#firstNumber >= entriesMax && this.#liveCount(nowMs, ttlMs) >= entriesMax;
  }

  /** Drops the chunks whose entries are all `ttlMs` old. */
  add(digest: IdempotencyDigest, seq: number, placed: OrderTerms, ttlMs: number): void {
    if (placed.timeMs - this.#firstEndsMs >= ttlMs) this.#dropExpired(placed.timeMs, ttlMs);
    const number = this.#nextNumber++;
    const offset = number - this.#firstNumber;
    if (offset >>> CHUNK_BITS >= this.#chunks.length) {
      this.#chunks.push(new EntryChunk());
      this.#noteFirstEnd();
    }
    this.#write(offset, digest, seq, placed);
    this.#index.add(digest.keyLow, number, this.#firstNumber);
  }

  /** Entries younger than `ttlMs`, oldest first. */
  *entries(nowMs: number, ttlMs: number): Generator<IdempotencyEntry> {
    for (let offset = 0; offset < this.#nextNumber - this.#firstNumber; offset++) {
      const entry = this.#entry(offset);
      if (this.#isAlive(entry.placed.timeMs, nowMs, ttlMs)) yield entry;
    }
  }

  /**
   * Entries that are `ttlMs` old at `nowMs` stay expired even if the time to live is raised. Some of them are still
   * in a chunk, but a snapshot has none, and both must behave alike.
   */
  forgetExpired(nowMs: number, ttlMs: number): void {
    this.#notBeforeMs = Math.max(this.#notBeforeMs, nowMs - ttlMs + 1);
  }

  /** Orders from this time on are all remembered at `nowMs`. */
  rememberedFromMs(nowMs: number, ttlMs: number): number {
    return Math.max(this.#notBeforeMs, nowMs - ttlMs + 1);
  }

  #isAlive(placedAtMs: number, nowMs: number, ttlMs: number): boolean {
    return nowMs - placedAtMs < ttlMs && placedAtMs >= this.#notBeforeMs;
  }

  #chunk(offset: number): EntryChunk {
    return must(this.#chunks[offset >>> CHUNK_BITS], 'chunk');
  }

  #isKey(offset: number, account: number, { keyHigh, keyLow }: IdempotencyDigest): boolean {
    const { words32 } = this.#chunk(offset);
    const row = (offset & CHUNK_MASK) * ROW_WORDS32;
    return (
      words32[row + KEY_LOW] === keyLow >>> 0 &&
      words32[row + KEY_HIGH] === keyHigh >>> 0 &&
      words32[row + KEY_TOPS] === (topOf(keyHigh) | (topOf(keyLow) << 16)) >>> 0 &&
      words32[row + ACCOUNT] === account
    );
  }

  #dropExpired(nowMs: number, ttlMs: number): void {
    let expired = 0;
    while (expired + 1 < this.#chunks.length) {
      if (nowMs - must(this.#chunks[expired], 'chunk').placedAtMs(CHUNK_MASK) < ttlMs) break;
      expired++;
    }
    if (expired === 0) return;
    this.#chunks = this.#chunks.slice(expired);
    this.#firstNumber += expired * CHUNK_ROWS;
    this.#noteFirstEnd();
  }

  #noteFirstEnd(): void {
    const [first, second] = this.#chunks;
    this.#firstEndsMs =
      first === undefined || second === undefined ? Number.POSITIVE_INFINITY : first.placedAtMs(CHUNK_MASK);
  }

  /** Entries are in order of time, so the first live one is found by bisection. */
  #liveCount(nowMs: number, ttlMs: number): number {
    const count = this.#nextNumber - this.#firstNumber;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#isAlive(this.#chunk(middle).placedAtMs(middle & CHUNK_MASK), nowMs, ttlMs)) high = middle;
      else low = middle + 1;
    }
    return count - low;
  }

  #write(offset: number, digest: IdempotencyDigest, seq: number, placed: OrderTerms): void {
    const { keyHigh, keyLow, body } = digest;
    const chunk = this.#chunk(offset);
    const { words64, words32 } = chunk;
    const row = (offset & CHUNK_MASK) * ROW_WORDS64;
    words64[row + SEQ] = seq;
    words64[row + BET] = placed.bet;
    words64[row + STAKE_CENTS] = placed.stakeCents;
    words64[row + ODDS_E4] = placed.oddsE4;
    words64[row + PAYOUT_CENTS] = placed.payoutCents;
    words64[row + PLACED_AT_MS] = placed.timeMs;
    words64[row + NEW_BALANCE_CENTS] = placed.newBalanceCents;
    const row32 = row * 2;
    words32[row32 + KEY_HIGH] = keyHigh;
    words32[row32 + KEY_LOW] = keyLow;
    words32[row32 + BODY] = body;
    words32[row32 + ACCOUNT] = placed.account;
    words32[row32 + ROUND_NUMBER] = placed.roundNumber;
    words32[row32 + KEY_TOPS] = topOf(keyHigh) | (topOf(keyLow) << 16);
    words32[row32 + BODY_TOP_AND_PERCENT] = topOf(body) | (placed.entryPercentE2 << 16);
    words32[row32 + MARKET_AND_SIDE] = placed.market * 2 + placed.side;
    chunk.optional.write(offset & CHUNK_MASK, placed);
  }

  #entry(offset: number): IdempotencyEntry {
    const chunk = this.#chunk(offset);
    const row = (offset & CHUNK_MASK) * ROW_WORDS64;
    const word64 = (field: number): number => chunk.words64[row + field] as number;
    const word32 = (field: number): number => chunk.words32[row * 2 + field] as number;
    const { type, clientSeed, clientOrderId, limitOddsE4, filled } = chunk.optional.read(offset & CHUNK_MASK);
    // A spread would give each object a hidden class of its own.
    const placed: OrderTerms = {
      type,
      timeMs: word64(PLACED_AT_MS),
      bet: word64(BET),
      account: word32(ACCOUNT),
      market: word32(MARKET_AND_SIDE) >>> 1,
      roundNumber: word32(ROUND_NUMBER),
      side: word32(MARKET_AND_SIDE) & 1,
      stakeCents: word64(STAKE_CENTS),
      oddsE4: word64(ODDS_E4),
      entryPercentE2: word32(BODY_TOP_AND_PERCENT) >>> 16,
      payoutCents: word64(PAYOUT_CENTS),
      newBalanceCents: word64(NEW_BALANCE_CENTS),
      clientSeed,
      clientOrderId,
      limitOddsE4,
      filled,
    };
    const digest = {
      keyHigh: (word32(KEY_TOPS) & 0xffff) * WORD + word32(KEY_HIGH),
      keyLow: (word32(KEY_TOPS) >>> 16) * WORD + word32(KEY_LOW),
      body: (word32(BODY_TOP_AND_PERCENT) & 0xffff) * WORD + word32(BODY),
    };
    return { digest, seq: word64(SEQ), placed };
  }
}

/** Bits 32 to 47. */
const topOf = (value: number): number => (value / WORD) | 0;
