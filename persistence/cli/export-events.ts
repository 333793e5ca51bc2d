/** Everything that happened in a range, for exports: from the archive where the journal's beginning was deleted, then from the journal. */
import type { Engine } from '../../engine/engine.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { HistoryReader } from './past/history-reader.js';

export interface ReadRange {
  /** As it stands at the end of the range; null where only the archive reaches so far back. */
  readonly engine: Engine | null;
  /** Whether all events of the range were there. */
  readonly isWhole: boolean;
}

export interface RangeReader {
  /** Before anything else: whether all events of the range are there. */
  readonly onReach?: (isWhole: boolean) => void;
  /** The state from which the journal's events go on, before the first of them. */
  readonly onStart?: (engine: Engine) => void;
  readonly onEvent: (seq: number, event: EngineEvent, engine: Engine | null) => void;
}

/** Hands over the events of commands `fromSeq` to `toSeq`, in order. From the archive come those that moved money. */
export function readEvents(
  past: HistoryReader,
  fromSeq: number,
  toSeq: number,
  reader: RangeReader,
): ReadRange {
  const beginning = past.history.beginning();
  const isAfter = fromSeq > beginning.seq;
  const isWhole = isAfter || past.isWhole(beginning.seq);
  reader.onReach?.(isWhole);
  if (!isAfter) {
    for (const { seq, event } of past.archived({ of: 'all' }, beginning.seq)) {
      if (seq >= fromSeq && seq <= toSeq) reader.onEvent(seq, event, null);
    }
  }
  if (toSeq < beginning.seq) return { engine: null, isWhole };
  const engine = isAfter ? past.history.startFor(fromSeq - 1) : beginning;
  reader.onStart?.(engine);
  for (const { seq, events } of past.carryOn(engine, toSeq)) {
    if (seq < fromSeq) continue;
    for (const event of events) reader.onEvent(seq, event, engine);
  }
  return { engine, isWhole };
}
