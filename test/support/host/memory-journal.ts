/** A journal in memory with a disk that the test controls: a commit becomes durable, fails or hangs. */
import assert from 'node:assert/strict';
import { Engine } from '../../../engine/engine.js';
import { decodeCommand } from '../../../engine/model/command-codec.js';
import type { Command } from '../../../engine/model/commands.js';
import type { Batch, JournalWriter, JournalWriterEvents, SpaceLevel } from '../../../engine/model/ports.js';

export class MemoryJournal implements JournalWriter {
  readonly durable: Batch[] = [];
  inFlight: Batch | null = null;
  isClosed = false;
  /** Only a replicated log has not answered. */
  awaitsLog = false;
  #events: JournalWriterEvents | null = null;

  open(events: JournalWriterEvents): void {
    this.#events = events;
  }

  commit(batch: Batch): void {
    assert.equal(this.inFlight, null, 'one commit at a time');
    assert.equal(this.isClosed, false, 'no commit after close');
    const last = this.durable.at(-1);
    if (last !== undefined) assert.equal(batch.firstSeq, last.lastSeq + 1, 'batches have no gap');
    assert.equal((JSON.parse(batch.commands) as unknown[]).length, batch.lastSeq - batch.firstSeq + 1);
    this.inFlight = batch;
  }

  ack(): boolean {
    const batch = this.inFlight;
    if (batch === null) return false;
    this.inFlight = null;
    this.durable.push(batch);
    this.#events?.onDurable(batch.lastSeq);
    return true;
  }

  fail(error: Error): void {
    this.#events?.onFailure(error);
  }

  /** The files are deleted. They hold the batch in flight, if `isWritten`. */
  lose(isWritten = false): void {
    const held = isWritten ? this.inFlight : this.durable.at(-1);
    this.inFlight = null;
    const error = new Error('files of the journal were deleted');
    this.#events?.onLost({ error, heldSeq: held?.lastSeq ?? 0, rescue: [] });
  }

  space(level: SpaceLevel): void {
    this.#events?.onSpaceLevel(level);
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }

  commands(): Command[] {
    return this.durable.flatMap((batch) =>
      (JSON.parse(batch.commands) as unknown[]).map((text) => decodeCommand(text)),
    );
  }

  /** As a restart: a new engine with all durable commands, digests compared. */
  recover(): Engine {
    const engine = new Engine();
    for (const batch of this.durable) {
      for (const value of JSON.parse(batch.commands) as unknown[]) {
        assert.equal(engine.apply(decodeCommand(value)).status, 'accepted');
      }
      assert.deepEqual([engine.rollingDigest(), engine.seq], [batch.digest, batch.lastSeq]);
      assert.equal(engine.timeMs, batch.timeMs);
    }
    return engine;
  }
}
