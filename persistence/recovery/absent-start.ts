/**
 * What a start does about the file `absent`: it writes one if there is none, and reports what is missing without a
 * reason.
 */
import { must } from '../../engine/base/assert.js';
import type { DataDir } from '../data-dir/layout.js';
import { codeOf, messageOf } from '../errors.js';
import {
  type AbsentRange,
  absentPath,
  prunedBefore,
  readAbsent,
  uncovered,
} from '../journal/segment/absent.js';
import { findSegments, firstSeqOf } from '../journal/segment/names.js';

export interface AbsentAtStart {
  readonly absent: readonly AbsentRange[];
  /** A sentence for the operator, or null. */
  readonly note: string | null;
  readonly isToWrite: boolean;
}

/** What is recorded as absent. Without the file, what is missing at the beginning counts as pruned from now on. */
export function absentAtStart(dir: DataDir): AbsentAtStart {
  const firstSeq = firstSeqOf(must(findSegments(dir.journal)[0], 'a segment'));
  const pruned = prunedBefore(firstSeq);
  const written = `1 to ${firstSeq - 1} are recorded as pruned now.`;
  try {
    const absent = readAbsent(dir);
    if (absent === null) {
      const sentence = `Nothing says why the journal begins at sequence number ${firstSeq}: ${written}`;
      return { absent: pruned, note: firstSeq === 1 ? null : sentence, isToWrite: true };
    }
    const [missing] = uncovered(absent, 1, firstSeq - 1);
    return { absent, note: missing === undefined ? null : lostBeginning(dir, missing), isToWrite: false };
  } catch (thrown) {
    if (codeOf(thrown) !== 'absent_unreadable') throw thrown;
    const note = `${messageOf(thrown)} ${firstSeq === 1 ? 'It is made anew.' : written}`;
    return { absent: pruned, note, isToWrite: true };
  }
}

const lostBeginning = (dir: DataDir, { firstSeq, lastSeq }: Omit<AbsentRange, 'why'>): string =>
  `Sequence numbers ${firstSeq} to ${lastSeq} are missing from the journal, and ${absentPath(dir)} does not say that they were ` +
  'pruned: they are lost. Put the files back from a backup, or make a new directory of what is good: npx tote restore DATA_DIR --out NEW_DIR';
