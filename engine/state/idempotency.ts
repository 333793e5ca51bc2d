/**
 * The memory of Idempotency-Keys (specification, section 4; design, section 5). An entry owns every fact of its
 * 201 response, whatever becomes of the bet.
 *
 * Entries are appended to chunks in the order of time and a chunk is dropped whole once its last entry has
 * expired. They are found through one open-addressing table in 1,024 small partitions; a partition that fills up
 * is rebuilt on its own, without its expired slots, so neither growing nor forgetting ever stalls an order for
 * longer than one partition takes. (A look-up in one table for each minute would cost eleven cache misses.)
 */
import { must } from '../assert.js';
import type { IdempotencyDigest } from '../commands.js';
import type { BetPlaced } from '../events.js';

const CHUNK_BITS = 14;
const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;
const PARTITIONS = 1024;
const PARTITION_MASK = PARTITIONS - 1;
const SLOTS_MIN = 16;
/**
 * A slot is two words: 32 bits of the key's digest, so that a look-up reads no other entry's columns, and the
 * entry's number modulo this, plus 1; 0 there is an empty slot.
 */
const NUMBER_MODULUS = 0xffff_ffff;
const SLOT_WORDS = 2;

class EntryChunk {
  readonly keyHigh = new Float64Array(CHUNK_ROWS);
  readonly keyLow = new Float64Array(CHUNK_ROWS);
  readonly body = new Float64Array(CHUNK_ROWS);
  readonly seq = new Float64Array(CHUNK_ROWS);
  readonly bet = new Float64Array(CHUNK_ROWS);
  readonly stakeCents = new Float64Array(CHUNK_ROWS);
  readonly oddsE4 = new Float64Array(CHUNK_ROWS);
  readonly payoutCents = new Float64Array(CHUNK_ROWS);
  readonly placedAtMs = new Float64Array(CHUNK_ROWS);
  readonly newBalanceCents = new Float64Array(CHUNK_ROWS);
  readonly account = new Uint32Array(CHUNK_ROWS);
  readonly roundNumber = new Uint32Array(CHUNK_ROWS);
  readonly entryPercentE2 = new Uint16Array(CHUNK_ROWS);
  readonly market = new Uint8Array(CHUNK_ROWS);
  readonly side = new Uint8Array(CHUNK_ROWS);
  /** Most orders have no client seed; a chunk without one has no array. */
  clientSeeds: (string | null)[] | null = null;
}

export interface IdempotencyEntry {
  readonly digest: IdempotencyDigest;
  /** Number of the command that placed the bet. */
  readonly seq: number;
  readonly placed: BetPlaced;
}

export class IdempotencyMemory {
  readonly #partitions: Uint32Array[] = Array.from({ length: PARTITIONS }, () => newPartition(SLOTS_MIN));
  readonly #slotsUsed = new Uint32Array(PARTITIONS);
  #chunks: EntryChunk[] = [];
  /** Entries are numbered from 0 for ever; this is the first one of the first chunk. */
  #firstNumber = 0;
  #nextNumber = 0;

  /** The entry of this key if it is younger than `ttlMs` at `nowMs`, else null. */
  find(account: number, digest: IdempotencyDigest, nowMs: number, ttlMs: number): IdempotencyEntry | null {
    const partition = must(this.#partitions[digest.keyLow & PARTITION_MASK], 'partition');
    const mask = partition.length - 1;
    const tag = slotTag(digest.keyLow);
    for (let at = (tag * SLOT_WORDS) & mask; ; at = (at + SLOT_WORDS) & mask) {
      const held = partition[at + 1] as number;
      if (held === 0) return null;
      if (partition[at] !== tag) continue;
      const offset = this.#offsetOf(held);
      if (offset < 0 || !this.#isKey(offset, account, digest)) continue;
      const entry = this.#entry(offset);
      if (nowMs - entry.placed.timeMs < ttlMs) return entry;
    }
  }

  /** Whether `entriesMax` entries younger than `ttlMs` are held. */
  isFull(nowMs: number, ttlMs: number, entriesMax: number): boolean {
    return this.#nextNumber - this.#firstNumber >= entriesMax && this.#liveCount(nowMs, ttlMs) >= entriesMax;
  }

  /** Takes a placed bet's entry, and drops chunks in which every entry is `ttlMs` old by its time. */
  add(digest: IdempotencyDigest, seq: number, placed: BetPlaced, ttlMs: number): void {
    this.#dropExpired(placed.timeMs, ttlMs);
    const number = this.#nextNumber++;
    const offset = number - this.#firstNumber;
    const chunkIndex = Math.floor(offset / CHUNK_ROWS);
    if (chunkIndex >= this.#chunks.length) this.#chunks.push(new EntryChunk());
    this.#write(must(this.#chunks[chunkIndex], 'chunk'), offset & CHUNK_MASK, digest, seq, placed);
    this.#index(digest.keyLow, number);
  }

  /** Entries younger than `ttlMs`, oldest first. */
  *entries(nowMs: number, ttlMs: number): Generator<IdempotencyEntry> {
    for (let offset = 0; offset < this.#nextNumber - this.#firstNumber; offset++) {
      const entry = this.#entry(offset);
      if (nowMs - entry.placed.timeMs < ttlMs) yield entry;
    }
  }

  #index(keyLow: number, number: number): void {
    const p = keyLow & PARTITION_MASK;
    let partition = must(this.#partitions[p], 'partition');
    const slots = partition.length / SLOT_WORDS;
    if (((this.#slotsUsed[p] as number) + 1) * 4 > slots * 3) partition = this.#rebuild(p);
    insert(partition, slotTag(keyLow), (number % NUMBER_MODULUS) + 1);
    this.#slotsUsed[p] = (this.#slotsUsed[p] as number) + 1;
  }

  /** Rebuilds one partition with the slots of entries that are still in a chunk, at half load or less. */
  #rebuild(p: number): Uint32Array {
    const partition = must(this.#partitions[p], 'partition');
    let live = 0;
    for (let at = 0; at < partition.length; at += SLOT_WORDS) if (this.#isLive(partition, at)) live++;
    let slots = SLOTS_MIN;
    while (slots < (live + 1) * 2) slots *= 2;
    const rebuilt = newPartition(slots);
    for (let at = 0; at < partition.length; at += SLOT_WORDS) {
      if (this.#isLive(partition, at)) insert(rebuilt, partition[at] as number, partition[at + 1] as number);
    }
    this.#partitions[p] = rebuilt;
    this.#slotsUsed[p] = live;
    return rebuilt;
  }

  #isLive(partition: Uint32Array, at: number): boolean {
    const held = partition[at + 1] as number;
    return held !== 0 && this.#offsetOf(held) >= 0;
  }

  /** Offset from the first entry in memory of what a slot holds, or -1 where that entry was dropped. */
  #offsetOf(held: number): number {
    const offset = (held - 1 - (this.#firstNumber % NUMBER_MODULUS) + NUMBER_MODULUS) % NUMBER_MODULUS;
    return offset < this.#nextNumber - this.#firstNumber ? offset : -1;
  }

  #isKey(offset: number, account: number, digest: IdempotencyDigest): boolean {
    const chunk = must(this.#chunks[Math.floor(offset / CHUNK_ROWS)], 'chunk');
    const i = offset & CHUNK_MASK;
    return (
      chunk.keyLow[i] === digest.keyLow && chunk.keyHigh[i] === digest.keyHigh && chunk.account[i] === account
    );
  }

  #dropExpired(nowMs: number, ttlMs: number): void {
    let expired = 0;
    while (expired + 1 < this.#chunks.length) {
      const last = must(this.#chunks[expired], 'chunk').placedAtMs[CHUNK_MASK] as number;
      if (nowMs - last < ttlMs) break;
      expired++;
    }
    if (expired === 0) return;
    this.#chunks = this.#chunks.slice(expired);
    this.#firstNumber += expired * CHUNK_ROWS;
  }

  /** Entries are in the order of time, so the first live one is found by bisection. */
  #liveCount(nowMs: number, ttlMs: number): number {
    const count = this.#nextNumber - this.#firstNumber;
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const chunk = must(this.#chunks[Math.floor(middle / CHUNK_ROWS)], 'chunk');
      if (nowMs - (chunk.placedAtMs[middle & CHUNK_MASK] as number) < ttlMs) high = middle;
      else low = middle + 1;
    }
    return count - low;
  }

  #write(chunk: EntryChunk, i: number, digest: IdempotencyDigest, seq: number, placed: BetPlaced): void {
    chunk.keyHigh[i] = digest.keyHigh;
    chunk.keyLow[i] = digest.keyLow;
    chunk.body[i] = digest.body;
    chunk.seq[i] = seq;
    chunk.bet[i] = placed.bet;
    chunk.stakeCents[i] = placed.stakeCents;
    chunk.oddsE4[i] = placed.oddsE4;
    chunk.payoutCents[i] = placed.payoutCents;
    chunk.placedAtMs[i] = placed.timeMs;
    chunk.newBalanceCents[i] = placed.newBalanceCents;
    chunk.account[i] = placed.account;
    chunk.roundNumber[i] = placed.roundNumber;
    chunk.entryPercentE2[i] = placed.entryPercentE2;
    chunk.market[i] = placed.market;
    chunk.side[i] = placed.side;
    if (placed.clientSeed === null) return;
    chunk.clientSeeds ??= new Array<string | null>(CHUNK_ROWS).fill(null);
    chunk.clientSeeds[i] = placed.clientSeed;
  }

  #entry(offset: number): IdempotencyEntry {
    const chunk = must(this.#chunks[Math.floor(offset / CHUNK_ROWS)], 'chunk');
    const i = offset & CHUNK_MASK;
    const placed: BetPlaced = {
      type: 'betPlaced',
      timeMs: chunk.placedAtMs[i] as number,
      bet: chunk.bet[i] as number,
      account: chunk.account[i] as number,
      market: chunk.market[i] as number,
      roundNumber: chunk.roundNumber[i] as number,
      side: chunk.side[i] as number,
      stakeCents: chunk.stakeCents[i] as number,
      oddsE4: chunk.oddsE4[i] as number,
      entryPercentE2: chunk.entryPercentE2[i] as number,
      payoutCents: chunk.payoutCents[i] as number,
      newBalanceCents: chunk.newBalanceCents[i] as number,
      clientSeed: chunk.clientSeeds?.[i] ?? null,
    };
    const digest = {
      keyHigh: chunk.keyHigh[i] as number,
      keyLow: chunk.keyLow[i] as number,
      body: chunk.body[i] as number,
    };
    return { digest, seq: chunk.seq[i] as number, placed };
  }
}

function newPartition(slots: number): Uint32Array {
  return new Uint32Array(slots * SLOT_WORDS);
}

/** The digest is uniform and keyed, so its upper bits are a hash as they are. */
function slotTag(keyLow: number): number {
  return Math.floor(keyLow / PARTITIONS) >>> 0;
}

function insert(partition: Uint32Array, tag: number, held: number): void {
  const mask = partition.length - 1;
  let at = (tag * SLOT_WORDS) & mask;
  while (partition[at + 1] !== 0) at = (at + SLOT_WORDS) & mask;
  partition[at] = tag;
  partition[at + 1] = held;
}
