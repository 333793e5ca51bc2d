/** `tote restore`: a new data directory that ends at a chosen command or moment. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import { acknowledgedSeq } from '../../journal/mark.js';
import { hasSegments } from '../../journal/segment/names.js';
import { type Restored, restore } from '../../upkeep/restore/restore.js';
import { seqAtTime } from '../../upkeep/restore/restore-points.js';
import { Salvage } from '../../upkeep/salvage/salvage.js';
import type { RestoreJson } from '../answers/answers.js';
import { type Context, dataDirWithJournal, defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { parseSeq, parseTimeMs } from '../frame/options.js';
import { startProgress } from '../frame/progress.js';

interface RestoreOptions {
  readonly toSeq?: number;
  readonly toTime?: number;
  readonly fromSnapshot?: boolean;
  readonly out: string;
}

export const restoreCommand = defineCommand<RestoreOptions>({
  details:
    'The data directory itself is not changed. It may be damaged: all that is good behind the last damage is taken, a good ' +
    'snapshot replaces everything before it, and all that the new directory lacks is reported. The commands from the newest good ' +
    'snapshot to the end are replayed and compared with the journal before anything is written. Without --to-seq and ' +
    '--to-time the new directory ends with the last command available; the exit code is 1 if acknowledged ones are missing. ' +
    'If the chosen command is lost, the new directory ends before the gap. With --from-snapshot it begins with the newest ' +
    'good snapshot and loses whatever came after that: for a directory whose journal is gone.',
  examples: [
    ['restore ./data --out ./restored', 'everything that is good, from a damaged directory'],
    ['restore --to-seq 120000 --out ./restored', 'up to command 120000 of ./data'],
    ['restore --from-snapshot ./data --out ./restored', 'the journal is gone, the snapshots are there'],
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
    new Option('--from-snapshot', 'begin a new journal behind the newest good snapshot').conflicts([
      'toSeq',
      'toTime',
    ]),
    new Option('--out <dir>', 'the new directory; it must not exist, or be empty').makeOptionMandatory(),
  ],
  worksWithoutJournal: true,
  run: async (context, options) => {
    const { dir, out } = context;
    const { toSeq = null, toTime, fromSnapshot: isWithoutRows = false } = options;
    if (!isWithoutRows) await dataDirWithJournal(dir.root);
    const salvage = isWithoutRows ? new Salvage(dir, () => {}, []) : readAll(context);
    if (isWithoutRows && hasSegments(dir.journal))
      out.note('The source has a journal: without --from-snapshot more of it may come back.');
    const target = {
      out: options.out,
      toSeq: toTime === undefined ? toSeq : seqAtTime(salvage, dir, toTime),
    };
    const progress = startProgress('replaying', target.toSeq ?? salvage.lastSeq, 'commands');
    const restored = restore(dir, salvage, target, (seq) => progress.update(seq));
    progress.end();
    if (out.isJson) {
      const answer: RestoreJson = { out: resolve(options.out), ...restored, time: isoText(restored.timeMs) };
      out.document(answer);
    } else tell(context, options.out, restored);
    return restored.lacksCommands ? EXIT.faulty : EXIT.done;
  },
});

function readAll({ dir }: Context): Salvage {
  const progress = startProgress('reading', acknowledgedSeq(dir.markFile), 'commands');
  try {
    return new Salvage(dir, (seq) => progress.update(seq));
  } finally {
    progress.end();
  }
}

function tell({ out }: Context, path: string, restored: Restored): void {
  const { seq, timeMs, stateDigest, isBatchSplit, segments, snapshots, archive, notes } = restored;
  out.facts([
    ['restored', resolve(path)],
    ['last command', `${seq} of ${isoText(timeMs)}${isBatchSplit ? ' (its batch was cut in two)' : ''}`],
    ['state digest', stateDigest],
    ['segments', segments.join(', ')],
    ['snapshots', snapshots.length === 0 ? 'none' : snapshots.join(', ')],
    ['archive', archive === null ? 'as far back as the journal reaches' : `up to ${archive.seq}`],
  ]);
  for (const note of notes) out.line(`note: ${note}`);
  out.line(`Check it with: npx tote verify ${path}`);
}
