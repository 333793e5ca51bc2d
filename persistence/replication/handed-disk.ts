/**
 * The journal's thread of a process that first follows and then leads: opened once, and handed from the one who writes to the
 * other while nothing is under way.
 */
import type { Batch, JournalWriter, JournalWriterEvents, SpaceLevel } from '../../engine/model/ports.js';

export class HandedDisk implements JournalWriter {
  #events: JournalWriterEvents | null = null;
  #level: SpaceLevel | null = null;

  constructor(private readonly disk: JournalWriter) {}

  /** From now on these events are told, the last space level first. */
  open(events: JournalWriterEvents): void {
    const isOpen = this.#events !== null;
    this.#events = events;
    if (isOpen) {
      if (this.#level !== null) events.onSpaceLevel(this.#level);
      return;
    }
    this.disk.open({
      onDurable: (lastSeq) => this.#events?.onDurable(lastSeq),
      onFailure: (error) => this.#events?.onFailure(error),
      onSpaceLevel: (level) => {
        this.#level = level;
        this.#events?.onSpaceLevel(level);
      },
    });
  }

  commit(batch: Batch): void {
    this.disk.commit(batch);
  }

  close(): Promise<void> {
    return this.disk.close();
  }
}
