/** Finds a journal's place in the replicated log. Positions only grow along the log, so they are searched by halves. */
import { JournalError } from '../../errors.js';
import type { ChainPosition } from '../../journal/segment/batch-row.js';
import { decodeMessage, type LogMessage, positionAfter } from './message.js';
import { LOG_BEGIN, type LogPlace, type ReplicatedLog } from './replicated-log.js';

export interface LocalJournal {
  readonly end: ChainPosition;
  /**
   * Before the last batch; null where the open segment has no batch. A replicated journal's segment is sealed only
   * after the log has all of it, so the last batch needs no look at an earlier segment.
   */
  readonly beforeLast: ChainPosition | null;
  chainAt(seq: number): string | null;
}

/** The journal's position `at` is the last one that both have; `place` is the last message of the log up to it. */
interface Located {
  readonly place: LogPlace;
  readonly at: ChainPosition;
  readonly epoch: number;
}

/**
 * null if the log has others in place of the journal's last batch, which was never acknowledged. Throws
 * `replication_behind` if the log begins after the journal's end, and `replication_diverged`.
 */
export async function locate(log: ReplicatedLog, journal: LocalJournal): Promise<Located | null> {
  const { first, last } = await log.bounds();
  if (last === 0) return { place: LOG_BEGIN, at: journal.end, epoch: 0 };
  const search = new Search(log, first, last);
  const end = await search.placeUpTo(last);
  if (end === null) throw behind(first, journal.end.lastSeq, null);
  // The journal may go on behind the end, where the log has nothing yet.
  if (journal.chainAt(end.at.lastSeq) === end.at.chain) return end;
  const found = await search.find(journal.end);
  if (found !== null) return found;
  if (journal.beforeLast !== null && (await search.find(journal.beforeLast)) !== null) return null;
  const begin = await search.beginning();
  // The last batch may have to be taken back.
  const { lastSeq } = journal.beforeLast ?? journal.end;
  // With the first messages the place of `begin` may be deleted, too.
  if (begin > lastSeq || (begin === lastSeq && first > 1)) throw behind(first, journal.end.lastSeq, begin);
  throw new JournalError(
    'replication_diverged',
    `The replicated log does not go on from sequence number ${journal.end.lastSeq}, the last one here: they are not of one ` +
      'history. Keep this directory, which may have orders that the others lack, and use an empty one, or a backup of the leader.',
  );
}

/**
 * Deletes the messages that no journal needs that reaches command `seq`. The last place up to there stays, so that
 * such a journal finds it.
 */
export async function deleteCovered(log: ReplicatedLog, seq: number): Promise<void> {
  const { first, last } = await log.bounds();
  const kept = await new Search(log, first, last).lastUpTo(seq);
  if (kept !== null && kept.place.sequence > first) await log.deleteBefore(kept.place.sequence);
}

class Search {
  constructor(
    private readonly log: ReplicatedLog,
    private readonly first: number,
    private readonly last: number,
  ) {}

  async find(position: ChainPosition): Promise<Located | null> {
    const found = await this.lastUpTo(position.lastSeq);
    return found?.at.lastSeq === position.lastSeq && found.at.chain === position.chain ? found : null;
  }

  /** The last place whose position is not behind command `seq`. */
  async lastUpTo(seq: number): Promise<Located | null> {
    let low = this.first;
    let high = this.last;
    let best: Located | null = null;
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      const place = await this.placeUpTo(middle);
      if (place !== null && place.at.lastSeq > seq) high = middle - 1;
      else {
        if (place !== null) best = place;
        low = middle + 1;
      }
    }
    return best;
  }

  async beginning(): Promise<number> {
    const { message } = await this.#message(this.first);
    return message.kind === 'takeover' ? message.position.lastSeq : message.row.firstSeq - 1;
  }

  /** At `sequence` or before; null if there are only parts of one batch. */
  async placeUpTo(sequence: number): Promise<Located | null> {
    for (let at = sequence; at >= this.first; at--) {
      const { id, message } = await this.#message(at);
      const position = positionAfter(message);
      if (position !== null) return { place: { sequence: at, id }, at: position, epoch: message.epoch };
    }
    return null;
  }

  async #message(sequence: number): Promise<{ id: string; message: LogMessage }> {
    const entry = await this.log.read(sequence);
    if (entry === null) throw new Error(`message ${sequence} of the replicated log cannot be read`);
    return { id: entry.id, message: decodeMessage(entry.bytes, sequence) };
  }
}

function behind(first: number, endSeq: number, begin: number | null): JournalError {
  const needed = begin === null ? 'a new backup' : `a backup that reaches at least sequence number ${begin}`;
  return new JournalError(
    'replication_behind',
    `The replicated log begins (message ${first}) after sequence number ${endSeq}, the last one here. The part between is ` +
      `on the leader: ${needed} is needed. Make one there, and start on it.`,
  );
}

export function unpublished(endSeq: number): JournalError {
  return new JournalError(
    'replication_unpublished',
    `The journal here ends at sequence number ${endSeq} with a batch that the replicated log does not have, and another leader has gone on without it. ` +
      'Start the server again: it takes that batch back and follows.',
  );
}
