/** Stores in memory, of journals and of snapshots, whose content a test holds in its hands. */
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { SnapshotMeta, SnapshotRef, SnapshotStore } from '../../../engine/host/snapshot-store.js';
import type { Batch, JournalStore, Mark, StoredBatch } from '../../../engine/model/ports.js';
import type { Row } from '../../../engine/snapshot/columns.js';
import type { ExportedTable } from '../../../engine/snapshot/tables.js';
import { CHAIN_START, sealBatch } from '../../../persistence/journal/segment/batch-row.js';

export type Step = 'append' | 'sync' | 'mark';

export class MemoryStore implements JournalStore {
  readonly steps: Step[] = [];
  readonly durable: StoredBatch[] = [];
  #appended: StoredBatch[] = [];
  #mark: Mark | null = null;

  constructor(readonly failAt: Step | null = null) {}

  readBatches(afterSeq: number): Iterable<StoredBatch> {
    return this.durable.filter((row) => row.lastSeq > afterSeq);
  }
  chainAt(seq: number): string | null {
    return seq === 0 ? CHAIN_START : (this.durable.find((row) => row.lastSeq === seq)?.chain ?? null);
  }
  readMark(): Mark | null {
    return this.#mark;
  }
  append(batch: Batch): StoredBatch {
    this.#step('append');
    const row = sealBatch(this.durable.at(-1) ?? { lastSeq: 0, chain: CHAIN_START }, batch);
    this.#appended.push(row);
    return row;
  }
  sync(): void {
    this.#step('sync');
    this.durable.push(...this.#appended);
    this.#appended = [];
  }
  writeMark(mark: Mark): void {
    this.#step('mark');
    this.#mark = mark;
  }
  close(): void {}

  #step(step: Step): void {
    this.steps.push(step);
    if (step === this.failAt && this.durable.length >= 2) throw new Error(`EIO in ${step}`);
  }
}

interface Saved {
  readonly meta: SnapshotMeta;
  readonly tables: ReadonlyMap<string, readonly Row[]>;
}

/** Those that a test names as damaged cannot be read. */
export class MemorySnapshots implements SnapshotStore {
  readonly saved = new Map<number, Saved>();
  readonly damaged = new Set<number>();

  list(): readonly SnapshotRef[] {
    const seqs = [...this.saved.keys()].sort((a, b) => b - a);
    return seqs.map((seq) => ({ seq, name: `snapshot ${seq}` }));
  }

  load(ref: SnapshotRef): { readonly meta: SnapshotMeta; readonly engine: Engine } {
    if (this.damaged.has(ref.seq)) throw new Error('a bit is wrong');
    const { meta, tables } = must(this.saved.get(ref.seq), 'the snapshot');
    return { meta, engine: Engine.fromTables((name) => must(tables.get(name), name)) };
  }

  save(engine: Engine, chain: string): SnapshotRef {
    const { seq, timeMs } = engine;
    const tables = new Map(
      [...engine.exportTables()].map(({ form, rows }: ExportedTable) => [form.name, [...rows]]),
    );
    this.saved.set(seq, { meta: { seq, timeMs, digest: engine.rollingDigest(), chain }, tables });
    return { seq, name: `snapshot ${seq}` };
  }
}
