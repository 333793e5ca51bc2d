/** `tote restore`: a new data directory that ends at a chosen command or moment. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import { JournalError } from '../../errors.js';
import { History } from '../../replay/history.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { type Restored, restore } from '../../upkeep/restore/restore.js';
import { Salvage } from '../../upkeep/salvage/salvage.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { parseSeq, parseTimeMs } from '../frame/options.js';
import { startProgress } from '../frame/progress.js';
import { lastSeqHint } from '../frame/whereabouts.js';

interface RestoreOptions {
  readonly toSeq?: number;
  readonly toTime?: number;
  readonly out: string;
}

export const restoreCommand = defineCommand<RestoreOptions>({
  name: 'restore',
  summary: 'make a new data directory that ends at a chosen command or moment',
  details:
    'The data directory itself is not changed. It may be damaged: it is read as far as it is good, and what the new ' +
    'directory lacks is told. All commands up to the end are carried out again and compared with the journal before ' +
    'anything is written. Without --to-seq and --to-time the new directory ends with the last good command.',
  examples: [
    ['restore ./data --out ./restored', 'everything that is good, from a damaged directory'],
    ['restore --to-seq 120000 --out ./restored', 'up to command 120000 of ./data'],
    ['restore --to-time 2026-11-17T14:03:00Z --out ./tuesday', 'as it was on Tuesday at 14:03'],
  ],
  options: [
    new Option('--to-seq <n>', 'last sequence number of the new directory').argParser(parseSeq),
    new Option(
      '--to-time <time>',
      'its last command is the last one at or before this: ISO 8601, or ms since 1970',
    )
      .argParser(parseTimeMs)
      .conflicts('toSeq'),
    new Option('--out <dir>', 'the new directory; it must not exist, or be empty').makeOptionMandatory(),
  ],
  run: (context, options) => {
    const { dir, out } = context;
    const salvage = readAll(context);
    const toSeq = endOf(context, salvage, options);
    const progress = startProgress('carrying out again', toSeq, 'commands');
    const restored = restore(dir, salvage, { out: options.out, toSeq }, (seq) => progress.update(seq));
    progress.end();
    if (out.isJson) out.document({ out: resolve(options.out), ...restored, time: isoText(restored.timeMs) });
    else tell(context, options.out, restored);
    return EXIT.done;
  },
});

function readAll({ dir }: Context): Salvage {
  const progress = startProgress('reading', lastSeqHint(dir), 'commands');
  try {
    return new Salvage(dir, (seq) => progress.update(seq));
  } finally {
    progress.end();
  }
}

function endOf({ dir }: Context, salvage: Salvage, { toSeq, toTime }: RestoreOptions): number {
  if (toSeq !== undefined) return toSeq;
  if (salvage.lastSeq === 0) {
    throw new JournalError(
      'not_found',
      `The journal in ${dir.journal} has no good command: ${salvage.fault ?? 'it is empty'}`,
    );
  }
  if (toTime === undefined) return salvage.lastSeq;
  const seq = new History(salvage, new SnapshotFiles(dir.snapshots)).seqAt(toTime);
  if (seq >= salvage.firstSeq) return seq;
  throw new JournalError(
    'not_found',
    `The journal has no command at or before ${isoText(toTime)}: it begins later.`,
  );
}

function tell({ out }: Context, path: string, restored: Restored): void {
  const { seq, timeMs, stateDigest, isBatchSplit, segments, snapshots, archive, notes } = restored;
  out.facts([
    ['restored', resolve(path)],
    ['last command', `${seq} of ${isoText(timeMs)}${isBatchSplit ? ' (its batch was cut in two)' : ''}`],
    ['state digest', stateDigest],
    ['segments', segments.join(', ')],
    ['snapshots', snapshots.length === 0 ? 'none' : snapshots.join(', ')],
    [
      'archive',
      archive === null ? 'none: the server makes it again from the journal' : `up to ${archive.seq}`,
    ],
  ]);
  for (const note of notes) out.line(`note: ${note}`);
  out.line(`Check it with: npx tote verify ${path}`);
}
