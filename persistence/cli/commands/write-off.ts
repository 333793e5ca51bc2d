/** `tote write-off`: continues for good without what the journal has lost. */
import { Option } from 'commander';
import { lockDataDir } from '../../data-dir/lock.js';
import { acknowledgedSeq } from '../../journal/mark.js';
import { type WrittenOff, writeOff } from '../../upkeep/restore/write-off.js';
import { Salvage } from '../../upkeep/salvage/salvage.js';
import type { WriteOffJson } from '../answers/answers.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { startProgress } from '../frame/progress.js';

interface WriteOffOptions {
  readonly dryRun?: boolean;
}

export const writeOffCommand = defineCommand<WriteOffOptions>({
  name: 'write-off',
  summary: 'continue for good without what the journal has lost (CHANGES the directory)',
  details:
    'For a stopped server whose journal lacks a segment or has a damaged row, if a good snapshot replaces them. What is ' +
    'missing is recorded as lost, and a damaged segment is split into its good pieces and kept as "….damaged". Then a server ' +
    'starts, and "verify" finds no fault. The states of the lost part, up to the next good snapshot, can no longer be shown. ' +
    'Refused, with 1, if acknowledged commands would be missing: use "restore" then. If there is a backup, put the file back ' +
    'from it instead.',
  examples: [
    ['write-off --dry-run', 'what would be written off, and what could not be shown any more'],
    ['write-off', 'does it'],
  ],
  options: [new Option('--dry-run', 'change nothing')],
  run: (context, { dryRun: isDry = false }) => {
    const { dir, out } = context;
    const lock = lockDataDir(dir);
    try {
      const progress = startProgress('reading', acknowledgedSeq(dir.markFile), 'commands');
      const salvage = new Salvage(dir, (seq) => progress.update(seq));
      progress.end();
      const done = writeOff(dir, salvage, isDry);
      if (out.isJson) out.document({ isDone: !isDry, ...done } satisfies WriteOffJson);
      else tell(context, done, isDry);
      return EXIT.done;
    } finally {
      lock.release();
    }
  },
});

function tell({ out }: Context, { absent, cut, unshown }: WrittenOff, isDry: boolean): void {
  const lost = absent.filter(({ why }) => why === 'lost');
  for (const name of cut) out.line(`${isDry ? 'would cut' : 'cut'}  ${name}, kept as ${name}.damaged`);
  for (const { firstSeq, lastSeq } of lost) out.line(`lost  ${firstSeq} to ${lastSeq}`);
  for (const { firstSeq, lastSeq, why } of unshown) {
    out.line(`note: The states from ${firstSeq} to ${lastSeq} cannot be shown any more: ${why}`);
  }
  if (lost.length === 0) out.line('Nothing is missing that could be written off.');
}
