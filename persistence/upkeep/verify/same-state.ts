/** Compares the states of two engines, text by text: digests of the full states take longer. */
import type { Engine } from '../../../engine/engine.js';

/** Also false if only an order differs, which does not affect digests: those decide then. */
export function isSameState(one: Engine, other: Engine): boolean {
  const others = [...other.exportTables()];
  return [...one.exportTables()].every((table, index) => {
    const match = others[index];
    return match?.form.name === table.form.name && areSameBlocks(table.blocks, match.blocks);
  });
}

function areSameBlocks(one: Iterable<Uint8Array>, other: Iterable<Uint8Array>): boolean {
  const others = other[Symbol.iterator]();
  for (const block of one) {
    const next = others.next();
    if (next.done === true || Buffer.compare(block, next.value) !== 0) return false;
  }
  return others.next().done === true;
}
