/** `tote restore`: a new data directory that ends at a chosen command or moment. */
import { resolve } from 'node:path';
import { Option } from 'commander';
import { isoText } from '../../../engine/base/iso-text.js';
import { shellWord } from '../../errors.js';
import { acknowledgedSeq } from '../../journal/mark.js';
import { restore } from '../../upkeep/restore/restore.js';
import { Stretches } from '../../upkeep/restore/stretches.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { type Moment, parseMoment } from '../frame/options.js';
import { showProgress } from '../frame/progress.js';

export const restoreCommand = defineCommand<{ readonly to?: Moment; readonly out: string }>({
  details:
    'The data directory itself is not changed. It may be damaged, or without its journal: all that is good from the first good ' +
    'snapshot behind the last damage on is taken, and all that the new directory lacks is reported. The commands from the newest ' +
    'good snapshot to the end are replayed and compared with the journal before anything is written. Without --to ' +
    'the new directory ends with the last command available; the exit code is 1 if acknowledged ones are missing. ' +
    'If the chosen command is lost, the new directory ends before the gap. With a time the exit code is also 1 if commands ' +
    'from before it may be lost.',
  examples: [
    ['restore ./data --out ./restored', 'everything that is good, from a damaged directory'],
    ['restore --to 120000 --out ./restored', 'up to command 120000 of ./data'],
    ['restore --to 2026-11-17T14:03:00Z --out ./tuesday', 'as it was on Tuesday at 14:03'],
  ],
  options: [
    new Option(
      '--to <SEQ|TIME>',
      'its last command: this one, or the last one at or before this time',
    ).argParser(parseMoment),
    new Option('--out <dir>', 'the new directory; it must not exist, or be empty').makeOptionMandatory(),
  ],
  needs: 'folder',
  run: ({ dir, out }, options) => {
    const { to } = options;
    const stretches = new Stretches(dir, showProgress('reading', acknowledgedSeq(dir.markFile)));
    const isOfTime = to !== undefined && 'timeMs' in to;
    const toSeq = to === undefined ? null : 'seq' in to ? to.seq : stretches.seqAtTime(to.timeMs);
    const onSeq = showProgress('replaying', toSeq ?? stretches.lastSeq);
    const target = { out: options.out, toSeq, isOfTime };
    const { timeMs, ...restored } = restore(dir, stretches, target, onSeq);
    out.answer({ out: resolve(options.out), ...restored, time: isoText(timeMs) });
    out.note(`Check it with: npx tote verify ${shellWord(options.out)}`);
    return restored.lacksCommands ? EXIT.faulty : EXIT.done;
  },
});
