/** The ledger of an account in the archive, newest first, read little further than the answer goes. */
import type Database from 'better-sqlite3';
import type { Cell } from '../../../engine/base/rows-text.js';
import type {
  LedgerAnswer,
  LedgerEntryView,
  LedgerPlace,
  LedgerQuestion,
} from '../../../engine/model/archive-reads.js';
import { roundId } from '../../../engine/model/domain.js';
import type { ArchiveBlocks } from '../blocks.js';
import { intact, rowQuery } from '../schema.js';
import { type LedgerEntry, ledgerEntryOf } from './entries.js';
import { clientOrderIdOf, movedOf, placedSeqOf, placementAt } from './row-events.js';
import {
  type ArchivedEvent,
  type ArchivedEvents,
  archivedBet,
  comparePlaces,
  eventsOfSteps,
  merged,
} from './streams.js';

const END: LedgerPlace = { seq: Number.MAX_SAFE_INTEGER, item: Number.MAX_SAFE_INTEGER };

/**
 * An answer passes over so many lost bets, which have no entry, and may have fewer entries than asked for. Thousands may
 * be lost in one round, each to be read from blocks of its own, while all other questions wait.
 */
const LOST_MAX = 200;

export class AccountLedger {
  constructor(
    private readonly path: string,
    private readonly db: Database.Database,
    private readonly blocks: ArchiveBlocks,
  ) {}

  answer({ account, before, limit }: LedgerQuestion): LedgerAnswer {
    const entries: LedgerEntryView[] = [];
    let lost = 0;
    for (const { seq, item, event } of this.events(account, before ?? END)) {
      const entry = ledgerEntryOf(seq, event);
      if (entry === null) {
        lost += 1;
        if (lost === LOST_MAX) return { entries, nextBefore: { seq, item } };
        continue;
      }
      // The last answer ended with this entry.
      if (before !== null && comparePlaces({ seq, item }, before) === 0) continue;
      if (entries.length === limit) return { entries, nextBefore: placeOf(entries.at(-1)) };
      entries.push(this.#viewOf(entry, item));
    }
    return { entries, nextBefore: null };
  }

  #viewOf({ account: _account, round: _round, ...entry }: LedgerEntry, item: number): LedgerEntryView {
    const placement = entry.bet === 0 ? null : this.blocks.placement(entry.bet);
    return { ...entry, item, clientOrderId: placement === null ? null : clientOrderIdOf(placement) };
  }

  /** Events up to this place, the last first; also settlements that moved no money. */
  events(account: number, place: LedgerPlace): ArchivedEvents {
    const { seq, item } = place;
    const streams = [
      this.#ofBets('placed', account, place, (row) => (placedSeqOf(row) === 0 ? null : placementAt(row))),
      this.#ofBets('settled', account, place, (row) => archivedBet(this.blocks, row).settled),
      this.#moved('account = ? AND (seq, item) <= (?, ?) ORDER BY seq DESC, item DESC', account, seq, item),
      eventsOfSteps(this.blocks, this.blocks.limitSteps.downOfAccount(account, seq, item)),
    ];
    return merged<ArchivedEvent>(streams, -1);
  }

  *#ofBets(
    list: 'placed' | 'settled',
    account: number,
    place: LedgerPlace,
    eventOf: (placement: Cell[]) => ArchivedEvent | null,
  ): ArchivedEvents {
    for (const lists of this.blocks.betsOfAccount(account, place.seq)) {
      yield* downFrom(lists[list], place, (bet) => {
        const row = this.blocks.placement(bet);
        return row === null ? null : eventOf(row);
      });
    }
  }

  /** Without bets. */
  movements(fromSeq: number, toSeq: number): ArchivedEvents {
    return this.#moved('seq BETWEEN ? AND ? ORDER BY seq, item', fromSeq, toSeq);
  }

  houseEvents(market: number, roundNumber: number): ArchivedEvents {
    const where = "account = 0 AND reason IN ('seed', 'settlement') AND reference = ? ORDER BY seq, item";
    return this.#moved(where, roundId(market, roundNumber));
  }

  *#moved(where: string, ...values: Cell[]): ArchivedEvents {
    const query = rowQuery(this.db, `SELECT * FROM transfer WHERE ${where}`);
    for (const row of query.iterate(...values))
      yield { seq: Number(row[0]), item: Number(row[1]), event: movedOf(intact(this.path, 'transfer', row)) };
  }
}

function* downFrom(
  bets: readonly number[],
  place: LedgerPlace,
  read: (bet: number) => ArchivedEvent | null,
): ArchivedEvents {
  let low = 0;
  let high = bets.length;
  // Only in the first list is the last bet after the place; bisection reads few of its bets.
  const last = read(bets[high - 1] ?? 0);
  if (last === null || comparePlaces(last, place) > 0) {
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = read(bets[middle] ?? 0);
      if (at === null || comparePlaces(at, place) <= 0) low = middle + 1;
      else high = middle;
    }
  }
  for (let index = high - 1; index >= 0; index--) {
    const at = read(bets[index] ?? 0);
    if (at !== null) yield at;
  }
}

const placeOf = (entry: LedgerEntryView | undefined): LedgerPlace | null =>
  entry === undefined ? null : { seq: entry.seq, item: entry.item };
