/**
 * A whole small data directory as an operator has one: a random stream of real commands in a journal of three
 * segments, snapshots, archive, mark, secrets.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { must } from '../../engine/assert.js';
import type { Command } from '../../engine/commands.js';
import { CHAIN_START } from '../../persistence/batch-row.js';
import { openDataDir } from '../../persistence/data-dir.js';
import { masterSecretFingerprint } from '../../persistence/secrets.js';
import { findSegments, removeDatabase, segmentPath, writeSegment } from '../../persistence/segment-files.js';
import { Dice } from '../support/reference/dice.js';
import { runStream } from '../support/reference/stream.js';
import { type MadeDir, makeDataDir } from './made-dir.js';

const SECRET = Buffer.alloc(32, 7);
const SEGMENTS = 3;
/** Snapshots stand after these batches. */
export const SNAPSHOTS_AFTER: readonly number[] = [10, 45, 80];

export interface OperatorDirOptions {
  readonly steps?: number;
  /** The journal begins with this batch, as retention leaves it. */
  readonly firstBatch?: number;
}

function commandsOf(steps: number): Command[] {
  const dice = new Dice(11);
  const { accepted } = runStream(
    11,
    Array.from({ length: steps }, () => dice.whole(0, 0xffff_ffff)),
  );
  const fingerprint = masterSecretFingerprint(SECRET);
  return accepted.map((command) =>
    command.kind === 'configure'
      ? { ...command, rules: { ...command.rules, masterSecretFingerprint: fingerprint } }
      : command,
  );
}

/** Makes it at `root`. Batches have 1 to 6 commands. */
export function makeOperatorDir(
  root: string,
  { steps = 1_000, firstBatch = 0 }: OperatorDirOptions = {},
): MadeDir {
  const dir = openDataDir(root);
  writeFileSync(dir.masterSecretFile, SECRET, { mode: 0o600 });
  writeFileSync(dir.operatorTokenFile, `${'operator'.repeat(4)}\n`, { mode: 0o600 });
  const made = makeDataDir(root, commandsOf(steps), {
    batchSize: (index) => 1 + (index % 6),
    snapshotsAfter: SNAPSHOTS_AFTER,
    hasArchive: true,
  });
  writeSegments(made, firstBatch);
  return made;
}

function writeSegments({ dir, batches }: MadeDir, firstBatch: number): void {
  for (const path of findSegments(dir.journal)) removeDatabase(path);
  const size = Math.ceil((batches.length - firstBatch) / SEGMENTS);
  for (let from = firstBatch; from < batches.length; from += size) {
    const rows = batches.slice(from, from + size);
    const { firstSeq } = must(rows[0], 'a row');
    const meta = { createdMs: 1, firstSeq, previousChain: batches[from - 1]?.chain ?? CHAIN_START };
    writeSegment(segmentPath(dir.journal, firstSeq), meta, rows, { isSealed: from + size < batches.length });
  }
}

/** Flips one bit of the byte at `offset`. */
export function flipBit(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes[offset] = must(bytes[offset], 'a byte') ^ 1;
  writeFileSync(path, bytes);
}

/** Puts `replacement`, of the same length, in the place of the first `found` in the file. */
export function replaceBytes(path: string, found: string, replacement: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(found);
  if (at < 0 || found.length !== replacement.length) throw new Error(`${path} has no ${found}`);
  bytes.write(replacement, at, 'latin1');
  writeFileSync(path, bytes);
}

export const removeFile = (path: string): void => rmSync(path);
