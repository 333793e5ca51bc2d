/** `tote standby init`: the data directory of a standby, from a backup or from the leader's own directory. */
import { resolve } from 'node:path';
import { Argument, Option } from 'commander';
import { findDataDir } from '../../data-dir/layout.js';
import { acknowledgedSeq } from '../../journal/mark.js';
import { type BackedUp, backup } from '../../upkeep/backup/backup.js';
import type { BackupJson } from '../answers/answers.js';
import { type CliCommand, defineFreeCommand } from '../frame/command.js';
import { EXIT, UsageError } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { startProgress } from '../frame/progress.js';
import { backupAddress, fetchBackup } from './fetched-backup.js';

interface StandbyOptions {
  readonly from: string;
  readonly tokenFile?: string;
  readonly out: string;
}

export const standbyCommand: CliCommand = defineFreeCommand<StandbyOptions>({
  name: 'standby',
  summary: 'make the data directory of a standby from a backup',
  details:
    'Copies a backup, or the data directory of the leader where it can be read from here, with the secrets that all machines of an ' +
    'exchange share. An address gives a tar archive of a backup, over https or from this machine, and room for it twice is needed. A server with TOTE_REPLICATION and TOTE_ROLE=standby or auto goes on from there with the replicated log, which must ' +
    'reach back to the end of the copy. Ends with 1 if a damaged part was left out.',
  examples: [
    ['standby init --from /mnt/backup --out /var/lib/tote', 'from a backup of the leader'],
    [
      'standby init --from https://one.example.com/backup.tar --token-file token --out /var/lib/tote',
      'from a web server that asks for a token',
    ],
    [
      'standby init --from /mnt/backup --out /var/lib/tote --json',
      'for a script: "seq" is where the log must go on',
    ],
  ],
  operands: [new Argument('<ACTION>', 'what to do').choices(['init'])],
  options: [
    new Option('--from <DIR|URL>', 'the backup').makeOptionMandatory(),
    new Option('--token-file <FILE>', 'with an address: sent as Authorization: Bearer'),
    new Option('--out <DIR>', "the standby's new data directory").makeOptionMandatory(),
  ],
  run: async (out, { from, tokenFile, out: to }) => {
    const copied = await copyFrom(from, tokenFile ?? null, to);
    if (out.isJson) {
      const answer: BackupJson = { to: resolve(to), ...copied, time: isoText(copied.timeMs) };
      out.document(answer);
    } else {
      out.facts([
        ['data directory', resolve(to)],
        ['last command', `${copied.seq} of ${isoText(copied.timeMs)}`],
        ['next', `start a server on it with TOTE_REPLICATION and TOTE_ROLE=auto`],
      ]);
      for (const fault of copied.faults) out.line(`FAULT ${fault}`);
    }
    return copied.faults.length === 0 ? EXIT.done : EXIT.faulty;
  },
});

/** Of an address, what was fetched is gone afterwards. */
async function copyFrom(from: string, tokenFile: string | null, to: string): Promise<BackedUp> {
  const url = backupAddress(from);
  if (url === null) {
    if (tokenFile !== null) throw new UsageError('--token-file is of use only with an address in --from');
    return copy(from, to);
  }
  const { folder, remove } = await fetchBackup(url, tokenFile, to);
  try {
    return copy(folder, to);
  } finally {
    remove();
  }
}

function copy(from: string, to: string): BackedUp {
  const source = findDataDir(from);
  const progress = startProgress('copying', acknowledgedSeq(source.markFile), 'commands');
  const copied = backup(source, to, (seq) => progress.update(seq));
  progress.end();
  return copied;
}
