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
import { WideColumn } from './wide-column.js';

const CHUNK_BITS = 14;
const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;

/** The upper 16 bits of the three digests are stored apart from their lower 32. */
const ROW_WORDS = 8;
const KEY_HIGH = 0;
const KEY_LOW = 1;
const BODY = 2;
const ACCOUNT = 3;
const ROUND_NUMBER = 4;
/** Upper parts of `keyHigh` (lower half) and `keyLow` (upper half). */
const KEY_TOPS = 5;
/** Upper part of `body` (lower half), and the entry percent in 1e-2 (upper half). */
const BODY_TOP_AND_PERCENT = 6;
/** `market * 2 + side`. */
const MARKET_AND_SIDE = 7;

const WORD = 2 ** 32;

class EntryChunk {
  readonly seq = new WideColumn(CHUNK_ROWS);
  readonly bet = new WideColumn(CHUNK_ROWS);
  readonly stakeCents = new WideColumn(CHUNK_ROWS);
  readonly oddsE4 = new WideColumn(CHUNK_ROWS);
  readonly payoutCents = new WideColumn(CHUNK_ROWS);
  readonly placedAtMs = new WideColumn(CHUNK_ROWS);
  readonly newBalanceCents = new WideColumn(CHUNK_ROWS);
  /** In rows, each half a cache line. */
  readonly words = new Uint32Array(CHUNK_ROWS * ROW_WORDS);
  readonly optional = new OptionalColumns(CHUNK_ROWS);
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
  notBeforeMs = 0;

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
    this.notBeforeMs = this.rememberedFromMs(nowMs, ttlMs);
  }

  /** Orders from this time on are all remembered at `nowMs`. */
  rememberedFromMs(nowMs: number, ttlMs: number): number {
    return Math.max(this.notBeforeMs, nowMs - ttlMs + 1);
  }

  #isAlive(placedAtMs: number, nowMs: number, ttlMs: number): boolean {
    return nowMs - placedAtMs < ttlMs && placedAtMs >= this.notBeforeMs;
  }

  #chunk(offset: number): EntryChunk {
    return must(this.#chunks[offset >>> CHUNK_BITS], 'chunk');
  }

  #isKey(offset: number, account: number, { keyHigh, keyLow }: IdempotencyDigest): boolean {
    const { words } = this.#chunk(offset);
    const at = (offset & CHUNK_MASK) * ROW_WORDS;
    return (
      words[at + KEY_LOW] === keyLow >>> 0 &&
      words[at + KEY_HIGH] === keyHigh >>> 0 &&
      words[at + KEY_TOPS] === (topOf(keyHigh) | (topOf(keyLow) << 16)) >>> 0 &&
      words[at + ACCOUNT] === account
    );
  }

  #dropExpired(nowMs: number, ttlMs: number): void {
    let expired = 0;
    while (expired + 1 < this.#chunks.length) {
      if (nowMs - must(this.#chunks[expired], 'chunk').placedAtMs.at(CHUNK_MASK) < ttlMs) break;
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
      first === undefined || second === undefined
        ? Number.POSITIVE_INFINITY
        : first.placedAtMs.at(CHUNK_MASK);
  }

  /** Entries are in order of time, so the first live one is found by bisection. */
  #liveCount(nowMs: number, ttlMs: number): number {
    const count = this.#nextNumber - this.#firstNumber;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#isAlive(this.#chunk(middle).placedAtMs.at(middle & CHUNK_MASK), nowMs, ttlMs)) high = middle;
      else low = middle + 1;
    }
    return count - low;
  }

  #write(offset: number, digest: IdempotencyDigest, seq: number, placed: OrderTerms): void {
    const { keyHigh, keyLow, body } = digest;
    const chunk = this.#chunk(offset);
    const row = offset & CHUNK_MASK;
    chunk.seq.set(row, seq);
    chunk.bet.set(row, placed.bet);
    chunk.stakeCents.set(row, placed.stakeCents);
    chunk.oddsE4.set(row, placed.oddsE4);
    chunk.payoutCents.set(row, placed.payoutCents);
    chunk.placedAtMs.set(row, placed.timeMs);
    chunk.newBalanceCents.set(row, placed.newBalanceCents);
    const { words } = chunk;
    const at = row * ROW_WORDS;
    words[at + KEY_HIGH] = keyHigh;
    words[at + KEY_LOW] = keyLow;
    words[at + BODY] = body;
    words[at + ACCOUNT] = placed.account;
    words[at + ROUND_NUMBER] = placed.roundNumber;
    words[at + KEY_TOPS] = topOf(keyHigh) | (topOf(keyLow) << 16);
    words[at + BODY_TOP_AND_PERCENT] = topOf(body) | (placed.entryPercentE2 << 16);
    words[at + MARKET_AND_SIDE] = placed.market * 2 + placed.side;
    chunk.optional.write(row, placed);
  }

  #entry(offset: number): IdempotencyEntry {
    const chunk = this.#chunk(offset);
    const row = offset & CHUNK_MASK;
    const word = (field: number): number => chunk.words[row * ROW_WORDS + field] as number;
    const { type, clientSeed, clientOrderId, limitOddsE4, filled } = chunk.optional.read(row);
    // A spread would give each object a hidden class of its own.
    const placed: OrderTerms = {
      type,
      timeMs: chunk.placedAtMs.at(row),
      bet: chunk.bet.at(row),
      account: word(ACCOUNT),
      market: word(MARKET_AND_SIDE) >>> 1,
      roundNumber: word(ROUND_NUMBER),
      side: word(MARKET_AND_SIDE) & 1,
      stakeCents: chunk.stakeCents.at(row),
      oddsE4: chunk.oddsE4.at(row),
      entryPercentE2: word(BODY_TOP_AND_PERCENT) >>> 16,
      payoutCents: chunk.payoutCents.at(row),
      newBalanceCents: chunk.newBalanceCents.at(row),
      clientSeed,
      clientOrderId,
      limitOddsE4,
      filled,
    };
    const digest = {
      keyHigh: (word(KEY_TOPS) & 0xffff) * WORD + word(KEY_HIGH),
      keyLow: (word(KEY_TOPS) >>> 16) * WORD + word(KEY_LOW),
      body: (word(BODY_TOP_AND_PERCENT) & 0xffff) * WORD + word(BODY),
    };
    return { digest, seq: chunk.seq.at(row), placed };
  }
}

/** Bits 32 to 47. */
const topOf = (value: number): number => (value / WORD) | 0;
