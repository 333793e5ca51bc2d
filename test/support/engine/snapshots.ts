import { must } from '../../../engine/base/assert.js';
import { Engine } from '../../../engine/engine.js';
import type { Row } from '../../../engine/snapshot/columns.js';
import { newHasher } from '../reference/pair.js';

export type Tables = ReadonlyMap<string, Row[]>;

export function tablesOf(engine: Engine): Tables {
  return new Map([...engine.exportTables()].map(({ form, rows }) => [form.name, [...rows]]));
}

export function engineOf(tables: Tables): Engine {
  return Engine.fromTables((name) => must(tables.get(name), `table ${name}`));
}

export const restored = (engine: Engine): Engine => engineOf(tablesOf(engine));

export const digestsOf = (engine: Engine): string =>
  `${engine.rollingDigest()} ${engine.stateDigest(newHasher)}`;
