/**
 * What a journal does not hold any more, and why: the file `absent` in its folder. `pruned` was let go of by retention;
 * `lost` was damaged or missing, and an operator decided to go on without it. What is missing and does not stand there
 * is a fault.
 *
 *     tote-absent v1
 *     pruned 1 66409
 *     lost 66410 133536
 *     crc=0a1b2c3d
 *
 * It is written before segments are deleted, so that after a crash it may name some that are still there, and never
 * misses one that is gone: what is there counts. Directories of versions that had no such file get one at their
 * next start.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../../engine/base/assert.js';
import { isMissing, writeFileDurably } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { JournalError, messageOf } from '../../errors.js';
import { crcHex } from './batch-row.js';

export interface AbsentRange {
  readonly why: 'pruned' | 'lost';
  readonly firstSeq: number;
  readonly lastSeq: number;
}

const HEAD = 'tote-absent v1';
const LINE = /^(pruned|lost) ([1-9]\d{0,15}) ([1-9]\d{0,15})$/;
const CRC_LINE = /^crc=[0-9a-f]{8}\n$/;

export const absentPath = ({ journal }: Pick<DataDir, 'journal'>): string => join(journal, 'absent');

/** In order, without overlaps; null where there is no file. Throws `absent_unreadable`. */
export function readAbsent(dir: Pick<DataDir, 'journal'>): readonly AbsentRange[] | null {
  const path = absentPath(dir);
  try {
    return parse(readFileSync(path, 'latin1'));
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw new JournalError(
      'absent_unreadable',
      `The file ${path}, which says what the journal holds no more, cannot be read: ${messageOf(thrown)}. Put it back from a ` +
        'backup, or delete it: then the next start writes down that what is missing at the beginning was pruned.',
      { cause: thrown },
    );
  }
}

/** Makes the file, durably. */
export function writeAbsent(dir: Pick<DataDir, 'journal'>, ranges: readonly AbsentRange[]): void {
  const lines = ranges.map(({ why, firstSeq, lastSeq }) => `${why} ${firstSeq} ${lastSeq}\n`);
  const text = `${HEAD}\n${lines.join('')}`;
  writeFileDurably(absentPath(dir), `${text}crc=${crcHex(text)}\n`, 0o600);
}

/** `ranges` and `added`; what stands there already keeps its reason. */
export function withAbsent(ranges: readonly AbsentRange[], added: AbsentRange): AbsentRange[] {
  assert(added.firstSeq >= 1 && added.lastSeq >= added.firstSeq, 'a range of sequence numbers');
  const fresh = uncovered(ranges, added.firstSeq, added.lastSeq).map((range) => ({
    why: added.why,
    ...range,
  }));
  const all = [...ranges, ...fresh].sort((a, b) => a.firstSeq - b.firstSeq);
  const joined: AbsentRange[] = [];
  for (const range of all) {
    const before = joined.at(-1);
    if (before?.why === range.why && before.lastSeq + 1 === range.firstSeq) {
      joined[joined.length - 1] = { ...before, lastSeq: range.lastSeq };
    } else joined.push(range);
  }
  return joined;
}

/** What a journal that begins with `firstSeq` lacks, where nothing says why. */
export const prunedBefore = (firstSeq: number): AbsentRange[] =>
  firstSeq === 1 ? [] : [{ why: 'pruned', firstSeq: 1, lastSeq: firstSeq - 1 }];

/** The parts of `firstSeq` to `lastSeq` that no range holds. */
export function uncovered(
  ranges: readonly AbsentRange[],
  firstSeq: number,
  lastSeq: number,
): { readonly firstSeq: number; readonly lastSeq: number }[] {
  const parts: { firstSeq: number; lastSeq: number }[] = [];
  let from = firstSeq;
  for (const range of ranges) {
    if (range.lastSeq < from || range.firstSeq > lastSeq) continue;
    if (range.firstSeq > from) parts.push({ firstSeq: from, lastSeq: range.firstSeq - 1 });
    from = range.lastSeq + 1;
  }
  if (from <= lastSeq) parts.push({ firstSeq: from, lastSeq });
  return parts;
}

/** Whether all of `firstSeq` to `lastSeq` stands there; of an empty range it does. */
export const isWrittenDown = (ranges: readonly AbsentRange[], firstSeq: number, lastSeq: number): boolean =>
  uncovered(ranges, firstSeq, lastSeq).length === 0;

/**
 * Of segments that begin with `firstSeqs`, in order, where those after the last gap begin: what readers take for the
 * journal. A range in which a segment begins is none: the file was put back, or not deleted yet.
 */
export function firstAfterGaps(ranges: readonly AbsentRange[], firstSeqs: readonly number[]): number {
  const gap = ranges.findLast(
    (range) => !firstSeqs.some((firstSeq) => firstSeq >= range.firstSeq && firstSeq <= range.lastSeq),
  );
  return firstSeqs.find((firstSeq) => firstSeq > (gap?.lastSeq ?? 0)) ?? firstSeqs.at(-1) ?? 1;
}

function parse(text: string): AbsentRange[] {
  const crcAt = text.lastIndexOf('crc=');
  const [body, crcLine] = [text.slice(0, crcAt), text.slice(crcAt)];
  if (crcAt < 0 || !CRC_LINE.test(crcLine) || crcLine !== `crc=${crcHex(body)}\n`) {
    throw new Error('its checksum does not match');
  }
  const [head, ...lines] = body.slice(0, -1).split('\n');
  if (head !== HEAD) throw new Error(`it does not begin with "${HEAD}"`);
  let before = 0;
  return lines.map((line) => {
    const [, why, firstSeq, lastSeq] = LINE.exec(line) ?? [];
    const range = { why: why as AbsentRange['why'], firstSeq: Number(firstSeq), lastSeq: Number(lastSeq) };
    if (why === undefined || range.firstSeq <= before || range.lastSeq < range.firstSeq) {
      throw new Error(`the line "${line}" is not one of a range behind the one before`);
    }
    before = range.lastSeq;
    return range;
  });
}
