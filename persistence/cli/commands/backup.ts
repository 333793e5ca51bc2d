/** `tote backup` and `tote standby init`: a consistent copy of the data directory of a running or stopped server. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { type DataDir, findDataDir } from '../../data-dir/layout.js';
import { messageOf } from '../../errors.js';
import { acknowledgedSeq } from '../../journal/mark.js';
import { type BackedUp, backup } from '../../upkeep/backup/backup.js';
import type { BackupJson } from '../answers/answers.js';
import { defineCommand, defineFreeCommand } from '../frame/command.js';
import { EXIT, type ExitCode } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { countText, type Output } from '../frame/output.js';
import { startProgress } from '../frame/progress.js';

export const backupCommand = defineCommand<{ readonly withoutSecrets?: boolean }>({
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
  run: ({ dir, out }, { withoutSecrets = false }, [to = '']) => {
    const code = copy(out, dir, to, !withoutSecrets, tellCopied);
    if (code === EXIT.done) stamp(out, dir.backupStamp, to);
    return code;
  },
});

interface StandbyOptions {
  readonly from: string;
  readonly out: string;
}

export const standbyCommand = defineFreeCommand<StandbyOptions>({
  details:
    'Copies a backup, or the data directory of the leader where it can be read from here, with the secrets that all machines of an ' +
    'exchange share. A server with TOTE_REPLICATION and TOTE_ROLE=standby or auto goes on from there with the replicated log, which must ' +
    'reach back to the end of the copy. Ends with 1 if a damaged part was left out.',
  examples: [
    ['standby init --from /mnt/backup --out /var/lib/tote', 'from a backup of the leader'],
    [
      'standby init --from /mnt/backup --out /var/lib/tote --json',
      'for a script: "seq" is where the log must go on',
    ],
  ],
  operands: [new Argument('<ACTION>', 'the action').choices(['init'])],
  options: [
    new Option('--from <DIR>', 'the backup').makeOptionMandatory(),
    new Option('--out <DIR>', "the standby's new data directory").makeOptionMandatory(),
  ],
  run: (out, { from, out: to }) => copy(out, findDataDir(from), to, true, tellStandby),
});

/** The server has an alarm for its age. */
function stamp(out: Output, path: string, to: string): void {
  try {
    writeFileSync(path, `${resolve(to)}\n`, { mode: 0o600 });
  } catch (thrown) {
    out.note(`The server does not learn of this backup, and may raise backup_old: ${messageOf(thrown)}`);
  }
}

type Tell = (out: Output, to: string, copied: BackedUp) => void;

function copy(out: Output, from: DataDir, to: string, hasSecrets: boolean, tell: Tell): ExitCode {
  const progress = startProgress('copying', acknowledgedSeq(from.markFile), 'commands');
  const copied = backup(from, to, (seq) => progress.update(seq), hasSecrets);
  progress.end();
  if (out.isJson) {
    out.document({ to: resolve(to), ...copied, time: isoText(copied.timeMs) } satisfies BackupJson);
  } else {
    tell(out, to, copied);
    for (const fault of copied.faults) out.line(`FAULT ${fault}`);
  }
  return copied.faults.length === 0 ? EXIT.done : EXIT.faulty;
}

const tellStandby: Tell = (out, to, { seq, timeMs }) =>
  out.facts([
    ['data directory', resolve(to)],
    ['last command', `${seq} of ${isoText(timeMs)}`],
    ['next', 'start a server on it with TOTE_REPLICATION and TOTE_ROLE=auto'],
  ]);

const tellCopied: Tell = (out, to, copied) => {
  const { seq, timeMs, segmentsWritten, batchesAppended, snapshotsCopied, snapshotsRemoved, archive } =
    copied;
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
};
