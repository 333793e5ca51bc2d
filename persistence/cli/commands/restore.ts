/** `tote restore`: a new data directory that ends at a chosen command or moment. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import { acknowledgedSeq } from '../../journal/mark.js';
import { type Restored, restore } from '../../upkeep/restore/restore.js';
import { Stretches } from '../../upkeep/restore/stretches.js';
import type { RestoreJson } from '../answers/answers.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { parseSeq, parseTimeMs } from '../frame/options.js';
import { startProgress } from '../frame/progress.js';

interface RestoreOptions {
  readonly toSeq?: number;
  readonly toTime?: number;
  readonly out: string;
}

export const restoreCommand = defineCommand<RestoreOptions>({
  details:
    'The data directory itself is not changed. It may be damaged, or without its journal: all that is good from the newest good ' +
    'snapshot behind the last damage on is taken, and all that the new directory lacks is reported. The commands from the newest ' +
    'good snapshot to the end are replayed and compared with the journal before anything is written. Without --to-seq and ' +
    '--to-time the new directory ends with the last command available; the exit code is 1 if acknowledged ones are missing. ' +
    'If the chosen command is lost, the new directory ends before the gap.',
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
  worksWithoutJournal: true,
  run: (context, options) => {
    const { dir, out } = context;
    const { toSeq = null, toTime } = options;
    const stretches = readAll(context);
    const target = { out: options.out, toSeq: toTime === undefined ? toSeq : stretches.seqAtTime(toTime) };
    const progress = startProgress('replaying', target.toSeq ?? stretches.lastSeq, 'commands');
    const restored = restore(dir, stretches, target, (seq) => progress.update(seq));
    progress.end();
    if (out.isJson) {
      const answer: RestoreJson = { out: resolve(options.out), ...restored, time: isoText(restored.timeMs) };
      out.document(answer);
    } else tell(context, options.out, restored);
    return restored.lacksCommands ? EXIT.faulty : EXIT.done;
  },
});

function readAll({ dir }: Context): Stretches {
  const progress = startProgress('reading', acknowledgedSeq(dir.markFile), 'commands');
  try {
    return new Stretches(dir, (seq) => progress.update(seq));
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
