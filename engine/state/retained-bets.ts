/**
 * An account's retained bets: the open, the recently placed and the recently settled ones. A bet is freed when nothing
 * keeps it.
 */
import { assert, fail } from '../base/assert.js';
import { UP } from '../model/domain.js';
import type { AccountChunk, AccountTable } from './accounts.js';
import { BET_OPEN, BET_RECENTLY_PLACED, BET_RECENTLY_SETTLED, type BetChunk, type BetTable } from './bets.js';

export class RetainedBets {
  readonly #accounts: AccountTable;
  readonly #bets: BetTable;

  constructor(accounts: AccountTable, bets: BetTable) {
    this.#accounts = accounts;
    this.#bets = bets;
  }

  placed(account: number, row: number, keptMax: number): void {
    const accounts = this.#accounts.chunk(account);
    const a = this.#accounts.row(account);
    const chunk = this.#bets.chunk(row);
    const i = this.#bets.index(row);
    this.#linkPlaced(accounts, a, chunk, i, row);
    chunk.flags[i] = BET_OPEN | BET_RECENTLY_PLACED;
    accounts.openBets[a] = (accounts.openBets[a] as number) + 1;
    let kept = accounts.placedKept[a] as number;
    if (kept === 0) accounts.oldestPlaced[a] = row;
    for (kept++; kept > keptMax; kept--) this.#forgetOldestPlaced(accounts, a);
    accounts.placedKept[a] = kept;
  }

  #forgetOldestPlaced(accounts: AccountChunk, a: number): void {
    const oldest = accounts.oldestPlaced[a] as number;
    accounts.oldestPlaced[a] = this.#bets.chunk(oldest).newer[this.#bets.index(oldest)] as number;
    this.#drop(oldest, BET_RECENTLY_PLACED);
  }

  #linkPlaced(accounts: AccountChunk, a: number, chunk: BetChunk, i: number, row: number): void {
    const before = accounts.newestBet[a] as number;
    chunk.newer[i] = 0;
    chunk.older[i] = before;
    if (before !== 0) this.#bets.chunk(before).newer[this.#bets.index(before)] = row;
    accounts.newestBet[a] = row;
  }

  settled(account: number, row: number, keptMax: number): void {
    const accounts = this.#accounts.chunk(account);
    const a = this.#accounts.row(account);
    const chunk = this.#bets.chunk(row);
    const i = this.#bets.index(row);
    if (!chunk.isOpen(i)) fail(`bet ${chunk.bet.at(i)} is settled twice`);
    this.sum(row, -1);
    this.#linkSettled(accounts, a, chunk, i, row);
    accounts.openBets[a] = (accounts.openBets[a] as number) - 1;
    chunk.flags[i] = ((chunk.flags[i] as number) | BET_RECENTLY_SETTLED) & ~BET_OPEN;
    while ((accounts.settledKept[a] as number) > keptMax) this.#forgetOldestSettled(account);
  }

  /**
   * The bet or resting order enters the sums of its account, or leaves them. They are kept because an account may have
   * thousands of bets, and be asked for again and again.
   */
  sum(row: number, sign: 1 | -1): void {
    const chunk = this.#bets.chunk(row);
    const i = this.#bets.index(row);
    const account = chunk.account[i] as number;
    const accounts = this.#accounts.chunk(account);
    const a = this.#accounts.row(account);
    const stakeCents = sign * chunk.stakeCents.at(i);
    if (this.#bets.isUnfilled(row)) {
      accounts.pendingOrders[a] = (accounts.pendingOrders[a] as number) + sign;
      accounts.reservedCents[a] = (accounts.reservedCents[a] as number) + stakeCents;
      return;
    }
    const payouts = chunk.side[i] === UP ? accounts.payoutUpCents : accounts.payoutDownCents;
    accounts.openStakesCents[a] = (accounts.openStakesCents[a] as number) + stakeCents;
    payouts[a] = (payouts[a] as number) + sign * chunk.payoutCents.at(i);
  }

  #forgetOldestSettled(account: number): void {
    const accounts = this.#accounts.chunk(account);
    const a = this.#accounts.row(account);
    const oldest = accounts.oldestSettled[a] as number;
    const newer = this.#bets.chunk(oldest).settledNewer[this.#bets.index(oldest)] as number;
    accounts.oldestSettled[a] = newer;
    if (newer === 0) accounts.newestSettled[a] = 0;
    else this.#bets.chunk(newer).settledOlder[this.#bets.index(newer)] = 0;
    accounts.settledKept[a] = (accounts.settledKept[a] as number) - 1;
    this.#drop(oldest, BET_RECENTLY_SETTLED);
  }

  /** Without a reason left to keep it, the bet is unlinked and freed. */
  #drop(row: number, reason: number): void {
    const chunk = this.#bets.chunk(row);
    const i = this.#bets.index(row);
    const flags = (chunk.flags[i] as number) & ~reason;
    chunk.flags[i] = flags;
    if (flags === 0) this.#unlink(row);
  }

  #unlink(row: number): void {
    const chunk = this.#bets.chunk(row);
    const i = this.#bets.index(row);
    const newer = chunk.newer[i] as number;
    const older = chunk.older[i] as number;
    assert(newer !== 0, "an account's newest bet is one of its recently placed ones");
    if (older !== 0) this.#bets.chunk(older).newer[this.#bets.index(older)] = newer;
    this.#bets.chunk(newer).older[this.#bets.index(newer)] = older;
    this.#bets.free(row);
  }

  newestFirst(account: number, visit: (row: number) => boolean): void {
    let row = this.#accounts.chunk(account).newestBet[this.#accounts.row(account)] as number;
    while (row !== 0 && visit(row)) row = this.#bets.chunk(row).older[this.#bets.index(row)] as number;
  }

  /** The bet, from a snapshot, is its account's newest so far. `flags` are the reasons to keep it. */
  restorePlaced(account: number, row: number, flags: number): void {
    const accounts = this.#accounts.chunk(account);
    const a = this.#accounts.row(account);
    const chunk = this.#bets.chunk(row);
    const i = this.#bets.index(row);
    this.#linkPlaced(accounts, a, chunk, i, row);
    chunk.flags[i] = flags;
    const placedKept = accounts.placedKept[a] as number;
    if ((flags & BET_RECENTLY_PLACED) !== 0) {
      if (placedKept === 0) accounts.oldestPlaced[a] = row;
      accounts.placedKept[a] = placedKept + 1;
    } else if (placedKept !== 0) fail(`the last placed bets of account ${account} have a gap`);
  }

  /** The bet, from a snapshot, is its account's most recently settled so far. */
  restoreSettled(account: number, row: number): void {
    const accounts = this.#accounts.chunk(account);
    const a = this.#accounts.row(account);
    this.#linkSettled(accounts, a, this.#bets.chunk(row), this.#bets.index(row), row);
  }

  #linkSettled(accounts: AccountChunk, a: number, chunk: BetChunk, i: number, row: number): void {
    const before = accounts.newestSettled[a] as number;
    chunk.settledOlder[i] = before;
    chunk.settledNewer[i] = 0;
    if (before === 0) accounts.oldestSettled[a] = row;
    else this.#bets.chunk(before).settledNewer[this.#bets.index(before)] = row;
    accounts.newestSettled[a] = row;
    accounts.settledKept[a] = (accounts.settledKept[a] as number) + 1;
  }

  newestSettled(account: number): number {
    return this.#accounts.chunk(account).newestSettled[this.#accounts.row(account)] as number;
  }
}
