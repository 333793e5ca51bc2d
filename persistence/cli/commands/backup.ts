/** `tote backup`: a consistent copy of the data directory of a running or stopped server. */
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { acknowledgedSeq } from '../../journal/mark.js';
import { type BackedUp, backup } from '../../upkeep/backup/backup.js';
import type { BackupJson } from '../answers/answers.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { countText } from '../frame/output.js';
import { startProgress } from '../frame/progress.js';

export const backupCommand = defineCommand<{ readonly withoutSecrets?: boolean }>({
  name: 'backup',
  summary: 'copy a running or stopped server to BACKUP_DIR; again: what is new',
  details:
    'The copy is a data directory itself: "verify" checks it and a server starts on it. Everything that was acknowledged ' +
    'before the command began is in it. Run again with the same BACKUP_DIR, it adds what is new. ' +
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
  run: (context, { withoutSecrets = false }, [to = '']) => {
    const { dir, out } = context;
    const progress = startProgress('copying', acknowledgedSeq(dir.markFile), 'commands');
    const copied = backup(dir, to, (seq) => progress.update(seq), !withoutSecrets);
    progress.end();
    if (out.isJson) {
      const answer: BackupJson = { to: resolve(to), ...copied, time: isoText(copied.timeMs) };
      out.document(answer);
    } else tell(context, to, copied);
    return copied.faults.length === 0 ? EXIT.done : EXIT.faulty;
  },
});

function tell({ out }: Context, to: string, copied: BackedUp): void {
  const {
    seq,
    timeMs,
    segmentsWritten,
    batchesAppended,
    snapshotsCopied,
    snapshotsRemoved,
    archive,
    faults,
  } = copied;
  const list = (names: readonly string[]): string => (names.length === 0 ? 'none' : names.join(', '));
  out.facts([
    ['copy', resolve(to)],
    ['last command', `${seq} of ${isoText(timeMs)}`],
    ['segments written', list(segmentsWritten)],
    ['batches appended', countText(batchesAppended)],
    ['snapshots copied', list(snapshotsCopied)],
    ['snapshots removed', list(snapshotsRemoved)],
    ['archive', archive === null ? 'none' : `up to ${archive.seq}, ${countText(archive.rowsAdded)} rows new`],
  ]);
  for (const fault of faults) out.line(`FAULT ${fault}`);
}
