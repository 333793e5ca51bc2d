/** The checksum of an archive row: CRC-32 of its cells as JSON, 8 hex digits. */
import { crcHex } from '../../journal/segment/batch-row.js';

/** A cell of the archive. */
export type ArchiveCell = number | string | null;

/** The checksum of the cells, as it is stored in the row. */
export const archiveChecksum = (cells: readonly ArchiveCell[]): string => crcHex(JSON.stringify(cells));

/** Whether the last cell is the checksum of those before it. */
export const isIntact = (row: readonly ArchiveCell[]): boolean =>
  row.at(-1) === archiveChecksum(row.slice(0, -1));
