/** `tote backup`: a consistent copy of the data directory of a running or stopped server; repeated, a warm standby. */
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { acknowledgedSeq } from '../../journal/mark.js';
import { type BackedUp, backup } from '../../upkeep/backup/backup.js';
import type { BackupJson } from '../answers/answers.js';
import { followBackup } from '../follow/follow-backup.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT, UsageError } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { parseKeep, parseWhole } from '../frame/options.js';
import { countText } from '../frame/output.js';
import { startProgress } from '../frame/progress.js';

const EVERY_SECONDS = 2;

interface BackupOptions {
  readonly follow?: boolean;
  /** Seconds. */
  readonly every?: number;
  /** Milliseconds; null for ever. */
  readonly keep?: number | null;
}

export const backupCommand = defineCommand<BackupOptions>({
  name: 'backup',
  summary: 'copy a running or stopped server to BACKUP_DIR; again: what is new',
  details:
    'The copy is a data directory itself: "verify" checks it and a server starts on it. Everything that was acknowledged ' +
    'before the command began is in it. Run again with the same BACKUP_DIR, it adds what is new, as for a warm standby. ' +
    'It contains the master secret and the operator token: keep it as safe as the original. Snapshots that the server has ' +
    'deleted are removed from the copy, too; segments never, but for --keep. Ends with 1 if a damaged part was left out. With --follow ' +
    'it goes on until SIGINT or SIGTERM, and says once a minute, and whenever there is news, how far behind the copy can be.',
  examples: [
    ['backup /mnt/backup', './data to /mnt/backup'],
    ['backup /mnt/backup /var/lib/tote', 'another data directory'],
    ['backup /mnt/backup --follow', 'keeps the copy current, a few seconds behind'],
    ['backup /mnt/backup --json', 'for a script: "seq" is the last command in the copy'],
  ],
  operands: [
    new Argument(
      '<BACKUP_DIR>',
      'where the copy goes: missing, empty, or an earlier backup of the same server',
    ),
  ],
  options: [
    new Option('--follow', 'go on, one pass after another'),
    new Option(
      '--every <seconds>',
      `with --follow: the pause between two passes (default: ${EVERY_SECONDS})`,
    ).argParser((text) => parseWhole(text, 1, 'whole seconds, at least 1')),
    new Option(
      '--keep <age>',
      'with --follow: segments of the copy that are older are deleted, as "prune" would: 12h, 30d (default: all are kept)',
    ).argParser(parseKeep),
  ],
  run: (context, { follow, every, keep }, [to = '']) => {
    const { dir, out } = context;
    if (follow === true)
      return followBackup(context, to, { everyMs: (every ?? EVERY_SECONDS) * 1_000, keepMs: keep ?? null });
    if (every !== undefined || keep !== undefined)
      throw new UsageError('--every and --keep go with --follow.');
    const progress = startProgress('copying', acknowledgedSeq(dir.markFile), 'commands');
    const copied = backup(dir, to, (seq) => progress.update(seq));
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
