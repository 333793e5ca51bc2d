/**
 * What a journal no longer holds, and why: the file `absent` in its folder. `pruned` ranges were deleted by retention;
 * `lost` ones were damaged or missing, and an operator decided to continue without them. Whatever is missing and not
 * recorded here is a fault.
 *
 *     tote-absent v1
 *     pruned 1 66409
 *     lost 66410 133536
 *     crc=0a1b2c3d
 *
 * It is written before segments are deleted. So after a crash it may name some that still exist, which count, and it
 * never omits one that is gone. The first start of a directory writes it.
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

/** In order, without overlaps; null if there is no file. Throws `absent_unreadable`. */
export function readAbsent(dir: Pick<DataDir, 'journal'>): readonly AbsentRange[] | null {
  const path = absentPath(dir);
  try {
    return parse(readFileSync(path, 'latin1'));
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw new JournalError(
      'absent_unreadable',
      `The file ${path}, which lists what the journal no longer holds, cannot be read: ${messageOf(thrown)}. Put it back from a ` +
        'backup, or delete it: then the next start records what is missing at the beginning as pruned.',
      { cause: thrown },
    );
  }
}

/** Writes the file, durably. */
export function writeAbsent(dir: Pick<DataDir, 'journal'>, ranges: readonly AbsentRange[]): void {
  const lines = ranges.map(({ why, firstSeq, lastSeq }) => `${why} ${firstSeq} ${lastSeq}\n`);
  const text = `${HEAD}\n${lines.join('')}`;
  writeFileDurably(absentPath(dir), `${text}crc=${crcHex(text)}\n`, 0o600);
}

/** `ranges` with `added`. What is recorded already keeps its reason. */
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

/** The part of `ranges` up to `lastSeq`. */
export const absentUpTo = (ranges: readonly AbsentRange[], lastSeq: number): AbsentRange[] =>
  ranges
    .filter(({ firstSeq }) => firstSeq <= lastSeq)
    .map((range) => ({ ...range, lastSeq: Math.min(range.lastSeq, lastSeq) }));

/** What a journal that begins with `firstSeq` lacks, if nothing records why. */
export const prunedBefore = (firstSeq: number): AbsentRange[] =>
  firstSeq === 1 ? [] : [{ why: 'pruned', firstSeq: 1, lastSeq: firstSeq - 1 }];

/** The parts of `firstSeq` to `lastSeq` that no range covers. */
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

/** Whether the ranges cover all of `firstSeq` to `lastSeq`. True for an empty range. */
export const isRecorded = (ranges: readonly AbsentRange[], firstSeq: number, lastSeq: number): boolean =>
  uncovered(ranges, firstSeq, lastSeq).length === 0;

/**
 * The first sequence number of the journal as readers see it: of the segments that begin with `firstSeqs`, in order,
 * the first one after the last gap. A range in which a segment begins is no gap: the file was put back, or is not
 * deleted yet.
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
