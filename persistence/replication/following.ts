/**
 * What a follower does with a batch of the log: its commands go to the engine, which must come to the batch's digest, and the
 * batch goes to the disk. The log has it by then, so its row waits for no other's sync: the journal's thread gives those that come
 * together one.
 */
import type { Engine } from '../../engine/engine.js';
import type { JournalWriter, StoredBatch } from '../../engine/model/ports.js';
import { decodeBatch, replayBatch } from '../replay/replay.js';

export class Following {
  /** Handed to the disk, in order, and not known to be there. */
  readonly #writing: StoredBatch[] = [];
  #whenIdle: (() => void) | null = null;

  /** `onTaken` is called for each batch once it is on the disk. */
  constructor(
    private readonly engine: Engine,
    private readonly disk: Pick<JournalWriter, 'commit'>,
    private readonly onTaken: (row: StoredBatch) => void,
  ) {}

  /** Throws `replay_mismatch`. */
  take(row: StoredBatch): void {
    replayBatch(this.engine, decodeBatch(row));
    this.#writing.push(row);
    this.disk.commit(row);
  }

  /** The disk has everything up to this command. */
  onDurable(lastSeq: number): void {
    for (let row = this.#writing[0]; row !== undefined && row.lastSeq <= lastSeq; row = this.#writing[0]) {
      this.#writing.shift();
      this.onTaken(row);
    }
    this.#tellIdle();
  }

  /** Calls `run` once all batches are on the disk. */
  whenIdle(run: () => void): void {
    this.#whenIdle = run;
    this.#tellIdle();
  }

  #tellIdle(): void {
    if (this.#writing.length === 0) this.#whenIdle?.();
  }
}
