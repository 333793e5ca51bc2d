/** Compares the states of two engines, cell by cell: digests of the full states take many times as long. */
import type { Engine } from '../../../engine/engine.js';
import type { Row } from '../../../engine/snapshot/columns.js';

/** Also false if only an order differs, which does not affect digests: those decide then. */
export function isSameState(one: Engine, other: Engine): boolean {
  const others = [...other.exportTables()];
  return [...one.exportTables()].every((table, index) => {
    const match = others[index];
    return match?.form.name === table.form.name && areSameRows(table.rows, match.rows);
  });
}

function areSameRows(one: Iterable<Row>, other: Iterable<Row>): boolean {
  const others = other[Symbol.iterator]();
  for (const row of one) {
    const next = others.next();
    if (next.done === true || !isSameRow(row, next.value)) return false;
  }
  return others.next().done === true;
}

export function isSameRow(row: readonly unknown[], other: readonly unknown[]): boolean {
  for (let column = 0; column < row.length; column++) if (row[column] !== other[column]) return false;
  return row.length === other.length;
}
