/**
 * Accounts, stored by column: fields that orders and settlements touch are typed arrays in chunks. A million accounts
 * put no load on the garbage collector, and growing copies nothing.
 */
import { fail } from '../base/assert.js';
import type { AccountView, OpenSums } from '../model/views.js';

const CHUNK_BITS = 12;
const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;

/** 4,096 accounts. Bet rows are rows of `BetTable`; 0 is none. */
export class AccountChunk {
  readonly balanceCents = new Float64Array(CHUNK_ROWS);
  readonly touchedSeq = new Float64Array(CHUNK_ROWS);
  readonly tier = new Uint8Array(CHUNK_ROWS);
  readonly frozen = new Uint8Array(CHUNK_ROWS);
  readonly openBets = new Uint32Array(CHUNK_ROWS);
  /** See `RetainedBets.sum`. */
  readonly openStakesCents = new Float64Array(CHUNK_ROWS);
  readonly payoutUpCents = new Float64Array(CHUNK_ROWS);
  readonly payoutDownCents = new Float64Array(CHUNK_ROWS);
  readonly pendingOrders = new Uint32Array(CHUNK_ROWS);
  readonly reservedCents = new Float64Array(CHUNK_ROWS);
  /** Newest retained bet, head of the list linked by `BetChunk.older`. */
  readonly newestBet = new Uint32Array(CHUNK_ROWS);
  /** Oldest of the recently placed bets, and their number. */
  readonly oldestPlaced = new Uint32Array(CHUNK_ROWS);
  readonly placedKept = new Uint32Array(CHUNK_ROWS);
  /** Both ends of the list of recently settled bets, and its length. */
  readonly newestSettled = new Uint32Array(CHUNK_ROWS);
  readonly oldestSettled = new Uint32Array(CHUNK_ROWS);
  readonly settledKept = new Uint32Array(CHUNK_ROWS);
  readonly names: (string | null)[] = [];
}

export class AccountTable {
  readonly #chunks: AccountChunk[] = [];
  #count = 0;
  #totalCents = 0;

  get count(): number {
    return this.#count;
  }
  get totalCents(): number {
    return this.#totalCents;
  }

  has(account: number): boolean {
    return Number.isInteger(account) && account >= 1 && account <= this.#count;
  }
  chunk(account: number): AccountChunk {
    const chunk = this.#chunks[account >>> CHUNK_BITS];
    if (chunk === undefined || account > this.#count || account <= 0)
      fail(`account ${account} does not exist`);
    return chunk;
  }
  row(account: number): number {
    return account & CHUNK_MASK;
  }

  add(name: string | null, tier: number): number {
    const account = ++this.#count;
    if (account >>> CHUNK_BITS >= this.#chunks.length) this.#chunks.push(new AccountChunk());
    const chunk = this.chunk(account);
    const row = account & CHUNK_MASK;
    chunk.tier[row] = tier;
    chunk.names[row] = name;
    return account;
  }

  balanceCents(account: number): number {
    return this.chunk(account).balanceCents[account & CHUNK_MASK] as number;
  }
  tier(account: number): number {
    return this.chunk(account).tier[account & CHUNK_MASK] as number;
  }
  isFrozen(account: number): boolean {
    return this.chunk(account).frozen[account & CHUNK_MASK] === 1;
  }

  openBets(account: number): number {
    return this.chunk(account).openBets[account & CHUNK_MASK] as number;
  }
  pendingOrders(account: number): number {
    return this.chunk(account).pendingOrders[account & CHUNK_MASK] as number;
  }

  openSums(account: number): OpenSums {
    const chunk = this.chunk(account);
    const row = account & CHUNK_MASK;
    const pendingOrders = chunk.pendingOrders[row] as number;
    return {
      openBets: (chunk.openBets[row] as number) - pendingOrders,
      openStakesCents: chunk.openStakesCents[row] as number,
      payoutUpCents: chunk.payoutUpCents[row] as number,
      payoutDownCents: chunk.payoutDownCents[row] as number,
      pendingOrders,
      reservedCents: chunk.reservedCents[row] as number,
    };
  }

  touchedSeq(account: number): number {
    return this.chunk(account).touchedSeq[account & CHUNK_MASK] as number;
  }
  setTier(account: number, tier: number): void {
    this.chunk(account).tier[account & CHUNK_MASK] = tier;
  }
  setFrozen(account: number, frozen: boolean): void {
    this.chunk(account).frozen[account & CHUNK_MASK] = frozen ? 1 : 0;
  }

  /** Out of the account if `amountCents` is negative. Returns the new balance. */
  move(account: number, amountCents: number, seq: number): number {
    const chunk = this.chunk(account);
    const row = account & CHUNK_MASK;
    const balanceCents = (chunk.balanceCents[row] as number) + amountCents;
    if (!(balanceCents >= 0)) fail(`balance of account ${account} would be ${balanceCents} cents`);
    chunk.balanceCents[row] = balanceCents;
    chunk.touchedSeq[row] = seq;
    this.#totalCents += amountCents;
    return balanceCents;
  }

  touch(account: number, seq: number): void {
    this.chunk(account).touchedSeq[account & CHUNK_MASK] = seq;
  }

  view(account: number): AccountView {
    const chunk = this.chunk(account);
    const row = account & CHUNK_MASK;
    return {
      account,
      name: chunk.names[row] ?? null,
      tier: chunk.tier[row] as number,
      balanceCents: chunk.balanceCents[row] as number,
      frozen: chunk.frozen[row] === 1,
      openBets: chunk.openBets[row] as number,
    };
  }
}
