/**
 * The ledger of an account in the archive, newest first. Placements, settlements, steps of limit orders and transfers are
 * streams, each in order; they are merged from any place on, and read no further than the answer goes.
 */
import type Database from 'better-sqlite3';
import type {
  LedgerAnswer,
  LedgerEntryView,
  LedgerPlace,
  LedgerQuestion,
} from '../../engine/model/archive-reads.js';
import type { PastEvent } from '../../engine/model/events.js';
import type { ArchiveBlocks } from '../archive/blocks.js';
import { type ArchiveCell, isIntact } from '../archive/form/checksum.js';
import { damagedArchive } from '../archive/schema.js';
import { eventsOfSteps, settlementOf } from '../replay/archived-events.js';
import {
  movedOf,
  placedOf,
  placedSeqOf,
  settledItemOf,
  settledOf,
  settledSeqOf,
} from '../replay/archived-facts.js';
import { ledgerEntryOf } from '../replay/ledger.js';

/** After everything. */
const END: LedgerPlace = { seq: Number.MAX_SAFE_INTEGER, item: Number.MAX_SAFE_INTEGER };

/** What happened at a place: an entry, or a settlement that moved no money. */
interface Happened extends LedgerPlace {
  readonly event: PastEvent;
}
type Down = Generator<Happened, void, undefined>;

export class AccountLedger {
  readonly #transfers: Database.Statement<ArchiveCell[], ArchiveCell[]>;

  constructor(
    private readonly path: string,
    db: Database.Database,
    private readonly blocks: ArchiveBlocks,
    /** The archive holds what the commands after this one did. */
    private readonly fromSeq: number,
  ) {
    this.#transfers = db
      .prepare<ArchiveCell[], ArchiveCell[]>(
        'SELECT * FROM transfer WHERE account = ? AND (seq, item) <= (?, ?) ORDER BY seq DESC, item DESC',
      )
      .raw();
  }

  answer({ account, before, limit }: LedgerQuestion): LedgerAnswer {
    const entries: LedgerEntryView[] = [];
    let oldest: LedgerEntryView | null = null;
    for (const entry of this.#entriesUpTo(account, before ?? END)) {
      oldest = entry;
      // The place of the entry that the last answer ended with.
      if (before !== null && comparePlaces(entry, before) === 0) continue;
      if (entries.length === limit) return { entries, nextBefore: placeOf(entries.at(-1)) };
      entries.push(entry);
    }
    const forward = this.#forwardOf(oldest);
    if (forward !== null && entries.length === limit) return { entries, nextBefore: placeOf(entries.at(-1)) };
    return { entries: forward === null ? entries : [...entries, forward], nextBefore: null };
  }

  /** What an archive that began later has not: one entry that stands for all before the oldest. */
  #forwardOf(oldest: LedgerEntryView | null): LedgerEntryView | null {
    if (oldest === null || this.fromSeq === 0) return null;
    const cents = oldest.balanceCents - oldest.amountCents;
    if (cents === 0) return null;
    const { timeMs } = oldest;
    const amounts = { amountCents: cents, balanceCents: cents };
    return { seq: this.fromSeq, item: 0, timeMs, kind: 'forward', ...amounts, bet: 0, reference: '' };
  }

  *#entriesUpTo(account: number, place: LedgerPlace): Generator<LedgerEntryView, void, undefined> {
    const streams = [
      this.#placements(account, place),
      this.#settlements(account, place),
      this.#transfersUpTo(account, place),
      this.#limitSteps(account, place),
    ];
    for (const { seq, item, event } of mergedDown(streams)) {
      const entry = ledgerEntryOf(seq, event);
      if (entry === null) continue;
      const { timeMs, kind, amountCents, balanceCents, bet, reference } = entry;
      yield { seq, item, timeMs, kind, amountCents, balanceCents, bet, reference };
    }
  }

  *#placements(account: number, place: LedgerPlace): Down {
    for (const { placed } of this.blocks.betsOfAccount(account, place.seq)) {
      yield* downFrom(placed, place, (bet) => {
        const row = this.blocks.placement(bet);
        const seq = row === null ? 0 : placedSeqOf(row);
        return row === null || seq === 0 ? null : { seq, item: 0, event: placedOf(row) };
      });
    }
  }

  *#settlements(account: number, place: LedgerPlace): Down {
    for (const { settled } of this.blocks.betsOfAccount(account, place.seq)) {
      yield* downFrom(settled, place, (bet) => {
        const placement = this.blocks.placement(bet);
        const row = placement === null ? null : settlementOf(this.blocks, placement);
        return row === null
          ? null
          : { seq: settledSeqOf(row), item: settledItemOf(row), event: settledOf(row) };
      });
    }
  }

  *#limitSteps(account: number, { seq, item }: LedgerPlace): Down {
    const steps = this.blocks.limitSteps.downOfAccount(account, seq, item);
    for (const found of eventsOfSteps(this.blocks, steps)) yield found;
  }

  *#transfersUpTo(account: number, { seq, item }: LedgerPlace): Down {
    for (const row of this.#transfers.iterate(account, seq, item)) {
      if (!isIntact(row))
        throw damagedArchive(this.path, `transfer ${row[0]} ${row[1]} does not match its checksum`);
      yield { seq: Number(row[0]), item: Number(row[1]), event: movedOf(row) };
    }
  }
}

/** What `read` finds for a list of bets that is in order, from the end or from `place` on backwards. */
function* downFrom(
  bets: readonly number[],
  place: LedgerPlace,
  read: (bet: number) => Happened | null,
): Down {
  let low = 0;
  let high = bets.length;
  // The last one is not after the place in all lists but the first, where bisection reads little of what is.
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

/** What all streams have, the newest first. Closes all of them at the end. */
function* mergedDown(streams: readonly Down[]): Down {
  try {
    const heads = streams.map((stream) => stream.next());
    for (;;) {
      let newest = -1;
      for (const [index, head] of heads.entries()) {
        const best = heads[newest];
        if (head.done === true) continue;
        if (best === undefined || best.done === true || comparePlaces(head.value, best.value) > 0)
          newest = index;
      }
      const found = heads[newest];
      const stream = streams[newest];
      if (found === undefined || found.done === true || stream === undefined) return;
      yield found.value;
      heads[newest] = stream.next();
    }
  } finally {
    for (const stream of streams) stream.return();
  }
}

const comparePlaces = (one: LedgerPlace, other: LedgerPlace): number =>
  one.seq === other.seq ? one.item - other.item : one.seq - other.seq;

const placeOf = (entry: LedgerEntryView | undefined): LedgerPlace | null =>
  entry === undefined ? null : { seq: entry.seq, item: entry.item };
