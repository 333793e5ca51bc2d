/** `tote verify`: checks that everything in a data directory is as it was written, and adds up. */
import { basename } from 'node:path';
import { Option } from 'commander';
import { acknowledgedSeq } from '../../journal/mark.js';
import { type VerifyReport, verify } from '../../upkeep/verify/verify.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { countOf, countText } from '../frame/output.js';
import { startProgress } from '../frame/progress.js';
import { readHead, readTrustedKeys } from '../past/api-files.js';

/** More are counted. */
const SNAPSHOTS_NAMED_MAX = 3;

export const verifyCommand = defineCommand<{ readonly keys?: readonly string[]; readonly head?: string }>({
  details:
    'Reads every row of the journal (checksums, chain of hashes, seals), replays all commands and compares the digest of ' +
    'every batch, the Merkle root of every round, the whole state with every snapshot, every row of the archive, and after ' +
    'every batch the books: house + accounts + open stakes + open seeds = deposits - withdrawals. Checks the signature of each root, in the ' +
    'journal and in the archive, with the keys of the directory. If the beginning of the journal has been pruned, it ' +
    'starts from the oldest snapshot. Names the first bad row of each part and continues with the others. Ends with 1 if ' +
    'anything is wrong.',
  examples: [
    ['verify', 'the data directory ./data, also while the server runs'],
    ['verify --keys one.json --keys two.json', 'the same, where two machines sign, each with its own keys'],
    ['verify --head keys.json', 'the same, and that nothing is missing that the server signed there'],
    ['verify /mnt/backup --json', 'a backup, for a script: "isGood" and "faults"'],
  ],
  options: [
    new Option(
      '--keys <FILE>',
      'check signatures with these keys, an answer of GET /keys that was noted elsewhere, and not with those of the directory; can be given more than once',
    ).argParser((path, before: readonly string[] = []) => [...before, path]),
    new Option(
      '--head <FILE>',
      'check that the journal has what this signed head has, of an answer of GET /keys or a heartbeat of the stream',
    ),
  ],
  run: (context, { keys, head }) => {
    const { dir, out } = context;
    const progress = startProgress('verifying', acknowledgedSeq(dir.markFile), 'commands');
    const startedMs = performance.now();
    const onSeq = (seq: number): void => progress.update(seq);
    const report = verify(dir, {
      onSeq,
      ...(keys !== undefined && { notedKeys: keys.flatMap(readTrustedKeys) }),
      ...(head !== undefined && { notedHead: { file: head, head: readHead(head) } }),
    });
    progress.end();
    if (out.isJson) out.document(report);
    else tell(context, report, (performance.now() - startedMs) / 1_000);
    return report.isGood ? EXIT.done : EXIT.faulty;
  },
});

function tell({ dir, out }: Context, report: VerifyReport, seconds: number): void {
  const { segments, replayed, archive, snapshotsCompared, faults, faultCount, notes } = report;
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const first = (segments[0]?.start.lastSeq ?? 0) + 1;
  out.facts([
    ['data directory', dir.root],
    [
      'journal',
      `${countOf(segments.length, 'segment')}, ${countText(rows)} batches, commands ${first} to ${report.lastSeq}`,
    ],
    ['replayed', replayedText(report)],
    ['state digest', replayed?.stateDigest ?? 'none'],
    ['snapshots', snapshotsText(snapshotsCompared.map((name) => basename(name)))],
    ['archive', archive === null ? 'none' : archiveText(archive)],
    ['signatures', signaturesText(report)],
    ['time', `${seconds.toFixed(1)} s`],
  ]);
  for (const note of notes) out.line(`note: ${note}`);
  for (const { part, file, what } of faults)
    out.line(`FAULT ${part}${file === '' ? '' : ` ${file}`}: ${what}`);
  if (faultCount > faults.length) out.line(`and ${faultCount - faults.length} more faults`);
  out.line(report.isGood ? 'Everything is good.' : `${faultCount} faults.`);
}

function snapshotsText(names: readonly string[]): string {
  if (names.length === 0) return 'none compared';
  if (names.length <= SNAPSHOTS_NAMED_MAX) return names.join(', ');
  return `${names.length} compared, from ${names[0]} to ${names.at(-1)}`;
}

function replayedText({ replayed, faults }: VerifyReport): string {
  if (replayed === null) return 'nothing';
  const { fromSeq, toSeq, batches } = replayed;
  const from = fromSeq === 0 ? 'from the beginning' : `from the snapshot at ${fromSeq}`;
  const isGood = !faults.some(({ part }) => part === 'replay' || part === 'conservation');
  const verdict = isGood ? ', all digests equal, books balanced' : '';
  return `${countText(toSeq - fromSeq)} commands in ${countText(batches)} batches, ${from}${verdict}`;
}

function signaturesText({ signatures: { journal, archive } }: VerifyReport): string {
  return `${countText(journal)} of roots in the journal, ${countText(archive)} in the archive`;
}

function archiveText({ seq, rowsChecked, rowsCompared }: NonNullable<VerifyReport['archive']>): string {
  return `up to ${seq}, ${countText(rowsChecked)} rows checked, ${countText(rowsCompared)} compared with the journal`;
}
