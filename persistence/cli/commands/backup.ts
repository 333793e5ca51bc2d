/** `tote backup`: a consistent copy of the data directory of a running or stopped server. */
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { messageOf } from '../../../engine/base/attempt.js';
import { isoText } from '../../../engine/base/iso-text.js';
import { writeFileDurably } from '../../data-dir/files.js';
import { acknowledgedSeq } from '../../journal/mark.js';
import { backup } from '../../upkeep/backup/backup.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import type { Output } from '../frame/output.js';
import { showProgress } from '../frame/progress.js';

export const backupCommand = defineCommand<{ readonly withoutSecrets?: boolean }, [to: string]>({
  details:
    'The copy is a data directory itself: "verify" checks it and a server starts on it. Everything that was acknowledged ' +
    'before the command began is in it. Run again with the same BACKUP_DIR, it adds what is new. Meanwhile nothing of the source is deleted. ' +
    'It contains the master secret, the signing keys and the operator token in clear: keep it as safe as the original, or leave ' +
    'them out with --without-secrets and keep them elsewhere. Snapshots that the server has ' +
    'deleted are removed from the copy, too; segments never. Ends with 1 if a damaged part was left out.',
  examples: [
    ['backup /mnt/backup', './data to /mnt/backup'],
    ['backup /mnt/backup /var/lib/tote', 'another data directory'],
    ['backup /mnt/backup --without-secrets', 'no server starts on the copy before the secrets are put there'],
    ['backup /mnt/backup --json', 'for a script: "seq" is the last command in the copy'],
  ],
  operands: [
    new Argument(
      '<BACKUP_DIR>',
      'where the copy goes: missing, empty, or an earlier backup of the same server',
    ),
  ],
  options: [new Option('--without-secrets', 'leave out master secret, signing keys and operator tokens')],
  run: ({ dir, out }, { withoutSecrets = false }, [to]) => {
    const onSeq = showProgress('copying', acknowledgedSeq(dir.markFile));
    const { timeMs, ...copied } = backup(dir, to, onSeq, !withoutSecrets);
    out.answer({ to: resolve(to), ...copied, time: isoText(timeMs) });
    if (copied.faults.length > 0) return EXIT.faulty;
    stamp(out, dir.backupStamp, to);
    return EXIT.done;
  },
});

/** The server has an alarm for its age. */
function stamp(out: Output, path: string, to: string): void {
  try {
    writeFileDurably(path, `${resolve(to)}\n`);
  } catch (thrown) {
    out.note(`The server does not learn of this backup, and may raise backup_old: ${messageOf(thrown)}`);
  }
}
