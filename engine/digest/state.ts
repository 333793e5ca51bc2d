/**
 * SHA-256 over the tables of a snapshot, which are the whole state in a canonical order, for tests and `verify`. It covers
 * content only, not where a row is in memory or what has expired.
 */
import type { NewHasher } from '../model/ports.js';
import type { ExportedTable } from '../snapshot/tables.js';

export function stateDigest(tables: Iterable<ExportedTable>, newHasher: NewHasher): string {
  const hasher = newHasher();
  for (const { form, blocks } of tables) {
    hasher.update(`${form.name}\n`);
    for (const block of blocks) hasher.update(block);
  }
  return hasher.digestHex();
}
