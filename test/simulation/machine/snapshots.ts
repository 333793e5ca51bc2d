/**
 * Snapshots in the simulated machine's memory, as texts whose names prove their content. A crash while one is written
 * leaves a torn one behind, which nobody may load.
 */
import { hash } from 'node:crypto';
import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { SnapshotMeta, SnapshotRef, SnapshotStore } from '../../../engine/host/snapshot-store.js';
import type { Row } from '../../../engine/snapshot/columns.js';
import { JournalError } from '../../../persistence/errors.js';
import { tablesOf } from '../../support/engine/snapshots.js';
import type { Rng } from '../../support/reference/random/rng.js';
import type { CrashSwitch } from './crash-points.js';
import type { SimDisk } from './disk.js';

const KEPT = 3;

interface Content {
  readonly meta: SnapshotMeta;
  readonly tables: readonly (readonly [name: string, rows: readonly Row[]])[];
}

export class SimSnapshots implements SnapshotStore {
  constructor(
    private readonly disk: SimDisk,
    private readonly crashes: CrashSwitch,
    private readonly rng: Rng,
  ) {}

  list(): readonly SnapshotRef[] {
    return this.disk.snapshots.toReversed();
  }

  load(ref: SnapshotRef): { readonly meta: SnapshotMeta; readonly engine: Engine } {
    this.crashes.reach('snapshot.load');
    const file = must(
      this.disk.snapshots.find(({ name }) => name === ref.name),
      ref.name,
    );
    if (nameOf(file.seq, file.text) !== file.name) {
      throw new JournalError(
        'snapshot_damaged',
        `The snapshot ${file.name} does not have the content of its name.`,
      );
    }
    return restored(file.text);
  }

  engineAt(seq: number): Engine {
    const file = must(
      this.disk.snapshots.findLast((one) => one.seq === seq && nameOf(one.seq, one.text) === one.name),
      `a snapshot at ${seq}`,
    );
    return restored(file.text).engine;
  }

  save(engine: Engine, chain: string): SnapshotRef {
    this.crashes.reach('snapshot.save.before');
    const { seq, timeMs } = engine;
    const meta: SnapshotMeta = { seq, timeMs, digest: engine.rollingDigest(), chain };
    const text = JSON.stringify({ meta, tables: [...tablesOf(engine)] } satisfies Content);
    const file = { seq, name: nameOf(seq, text), text: text.slice(0, this.rng.integer(0, text.length - 1)) };
    this.disk.snapshots.push(file);
    this.crashes.reach('snapshot.save.during');
    file.text = text;
    this.crashes.reach('snapshot.save.after');
    this.disk.snapshots = this.disk.snapshots.slice(-KEPT);
    return { seq, name: file.name };
  }
}

function restored(text: string): { readonly meta: SnapshotMeta; readonly engine: Engine } {
  const { meta, tables } = JSON.parse(text) as Content;
  const rows = new Map(tables);
  return { meta, engine: Engine.fromTables((name) => must(rows.get(name), `table ${name}`)) };
}

const nameOf = (seq: number, text: string): string => `snapshot-${seq}-${hash('sha256', text).slice(0, 32)}`;
