/**
 * What a follower does with a batch of the log: its commands go to the engine, which must come to the batch's digest, and the
 * batch goes to the disk. One write is under way at a time; what comes meanwhile waits.
 */
import type { Engine } from '../../engine/engine.js';
import type { JournalWriter, StoredBatch } from '../../engine/model/ports.js';
import { decodeBatch, replayBatch } from '../replay/replay.js';

export class Following {
  readonly #waiting: StoredBatch[] = [];
  #written: StoredBatch | null = null;
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
    this.#waiting.push(row);
    this.#write();
  }

  /** The disk has the batch that was under way. */
  onDurable(): void {
    const row = this.#written;
    this.#written = null;
    if (row !== null) this.onTaken(row);
    this.#write();
  }

  /** Calls `run` once all batches are on the disk. */
  whenIdle(run: () => void): void {
    this.#whenIdle = run;
    this.#write();
  }

  #write(): void {
    if (this.#written !== null) return;
    this.#written = this.#waiting.shift() ?? null;
    if (this.#written !== null) this.disk.commit(this.#written);
    else this.#whenIdle?.();
  }
}
