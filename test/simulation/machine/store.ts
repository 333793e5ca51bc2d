/** The journal's store of one process on the simulated disk: every operation passes its crash points. */
import { must } from '../../../engine/base/assert.js';
import type { Batch, JournalStore, Mark, ReadableJournal, StoredBatch } from '../../../engine/model/ports.js';
import { JournalError } from '../../../persistence/errors.js';
import { type ChainPosition, faultOfRow } from '../../../persistence/journal/segment/batch-row.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { CrashSwitch } from './crash-points.js';
import type { SimDisk } from './disk.js';

export class SimStore implements JournalStore, ReadableJournal {
  constructor(
    protected readonly disk: SimDisk,
    protected readonly crashes: CrashSwitch,
    private readonly rng: Rng,
  ) {
    disk.reopen();
  }

  *readBatches(afterSeq: number): Generator<StoredBatch> {
    this.crashes.reach('read.before');
    const { disk } = this;
    if (afterSeq < disk.start.lastSeq) {
      throw new JournalError('journal_incomplete', `The journal begins after ${disk.start.lastSeq}.`);
    }
    const from = disk.indexAfter(afterSeq);
    let position: ChainPosition = disk.rows[from - 1] ?? disk.start;
    for (let i = from; i < disk.rows.length; i++) {
      this.crashes.reach('read.row');
      const row = disk.rows[i] as StoredBatch;
      const fault = faultOfRow(position, row);
      if (fault !== null) throw new JournalError('journal_corrupt', `Row ${i} is damaged: ${fault}.`);
      position = row;
      yield row;
    }
    this.crashes.reach('read.after');
  }

  chainAt(seq: number): string | null {
    const { rows, start } = this.disk;
    if (seq === start.lastSeq) return start.chain;
    const row = rows[this.disk.indexAfter(seq) - 1];
    return row?.lastSeq === seq ? row.chain : null;
  }

  readMark(): Mark | null {
    this.crashes.reach('readMark.before');
    return this.disk.mark.read();
  }

  write(batches: readonly Batch[]): StoredBatch {
    const stored = batches.map((batch) => this.append(batch));
    this.sync();
    return must(stored.at(-1), 'a batch that was written');
  }

  append(batch: Batch): StoredBatch {
    this.crashes.reach('append.before');
    const row = this.disk.append(batch);
    this.crashes.reach('append.after');
    return row;
  }

  sync(): void {
    this.crashes.reach('sync.before');
    this.disk.beginCommit();
    this.crashes.reach('sync.during');
    this.disk.commit();
    this.crashes.reach('sync.after');
  }

  writeMark(mark: Mark): void {
    this.crashes.reach('mark.before');
    this.disk.mark.write(mark, this.rng);
    this.crashes.reach('mark.after');
  }

  close(): void {
    this.disk.mark.sync();
    this.disk.loggedFrom = this.disk.rows.length;
  }
}
