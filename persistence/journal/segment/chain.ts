/**
 * Checks that a journal's segments are connected: each begins where the one before it was sealed, with that one's
 * chain hash. A missing or exchanged segment is named. Only a sealed segment's last row is read here; `verify` reads
 * the rest.
 */
import { closing } from '../../data-dir/closing.js';
import { fileBytes, rollbackPath, walPath } from '../../data-dir/files.js';
import { JournalError } from '../../errors.js';
import { CHAIN_START } from './batch-row.js';
import { findSegments, firstSeqOf, recoveredPath, sourceOf } from './names.js';
import { damaged, type SegmentSeal } from './schema.js';
import { Segment } from './segment.js';

interface Link {
  readonly path: string;
  readonly seal: SegmentSeal;
}

/** The last segment may be open. Throws `journal_incomplete`, `journal_corrupt` and `other_format`. */
export function checkChain(journalDir: string): void {
  const paths = findSegments(journalDir);
  let before: Link | null = null;
  for (const path of paths) {
    const isLast = path === paths.at(-1);
    const beside = strayBeside(path);
    // Recovery handles those of the last segment.
    if (beside !== null && !isLast) throw damaged(path, `it was sealed, but ${beside} lies beside it`);
    using segment = closing(Segment.open(sourceOf(path), 'read'));
    checkBegin(segment, path, before);
    if (!isLast) before = { path, seal: sealOf(segment) };
  }
}

/** A file beside a segment that SQLite would apply to it, or null. A sealed segment has none. */
function strayBeside(path: string): string | null {
  const sides = [walPath(path), rollbackPath(path), recoveredPath(path)];
  return sides.find((side) => fileBytes(side) > 0) ?? null;
}

/** `path` is that of the journal's file. Throws `journal_corrupt`. */
export function checkName({ start }: Segment, path: string): void {
  if (firstSeqOf(path) === start.lastSeq + 1) return;
  throw damaged(path, `it begins at sequence number ${start.lastSeq + 1}, which is not that of its name`);
}

function checkBegin(segment: Segment, path: string, before: Link | null): void {
  const { start } = segment;
  checkName(segment, path);
  if (before === null) {
    if (start.lastSeq === 0 && start.chain !== CHAIN_START) {
      throw damaged(path, 'it does not begin with the chain hash of a beginning');
    }
    return;
  }
  const { lastSeq, chain } = before.seal;
  if (start.lastSeq > lastSeq) {
    throw new JournalError(
      'journal_incomplete',
      `A segment of the journal is missing: ${before.path} ends at sequence number ${lastSeq}, and the next one is ${path}; ` +
        `${lastSeq + 1} to ${start.lastSeq} are missing. Put the file back from a backup, or make a new directory of what is good: npx tote restore DATA_DIR --out NEW_DIR`,
    );
  }
  if (start.chain !== chain) {
    throw damaged(
      path,
      `it does not follow from ${before.path}, which was sealed at sequence number ${lastSeq}`,
    );
  }
}

function sealOf(segment: Segment): SegmentSeal {
  const { seal, path } = segment;
  if (seal === null) throw damaged(path, 'it is not sealed, but another segment follows it');
  const tail = segment.tail();
  if (tail?.lastSeq !== seal.lastSeq || tail.chain !== seal.chain || tail.digest !== seal.digest) {
    throw damaged(
      path,
      `its last row is not the one that it was sealed with, sequence number ${seal.lastSeq}`,
    );
  }
  return seal;
}
