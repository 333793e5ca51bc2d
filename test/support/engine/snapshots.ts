import { must } from '../../../engine/base/assert.js';
import { rowsOfText } from '../../../engine/base/rows-text.js';
import { Engine } from '../../../engine/engine.js';
import type { Row } from '../../../engine/snapshot/columns.js';
import type { ExportedTable } from '../../../engine/snapshot/tables.js';
import { newHasher } from '../reference/pair.js';

export type Tables = ReadonlyMap<string, Row[]>;

/** Cells that a text leaves out are null. */
export function* rowsOf({ form, blocks }: ExportedTable): Generator<Row> {
  for (const block of blocks)
    for (const row of rowsOfText(Buffer.from(block).toString()))
      yield form.columns.map((_, index) => row[index] ?? null);
}

export function tablesOf(engine: Engine): Tables {
  return new Map(Array.from(engine.exportTables(), (table) => [table.form.name, [...rowsOf(table)]]));
}

export function engineOf(tables: Tables): Engine {
  return Engine.fromTables((name) => must(tables.get(name), `table ${name}`));
}

export const restored = (engine: Engine): Engine => engineOf(tablesOf(engine));

export const digestsOf = (engine: Engine): string =>
  `${engine.rollingDigest()} ${engine.stateDigest(newHasher)}`;
