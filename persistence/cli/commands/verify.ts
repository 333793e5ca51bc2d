/** `tote verify`: checks that everything in a data directory is as it was written, and adds up. */
import { Option } from 'commander';
import { acknowledgedSeq } from '../../journal/mark.js';
import { verify } from '../../upkeep/verify/verify.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { showProgress } from '../frame/progress.js';
import { readHead, readTrustedKeys } from '../sources/api-files.js';

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
  run: ({ dir, out }, { keys, head }) => {
    const report = verify(dir, {
      onSeq: showProgress('verifying', acknowledgedSeq(dir.markFile)),
      ...(keys !== undefined && { notedKeys: keys.flatMap(readTrustedKeys) }),
      ...(head !== undefined && { notedHead: { file: head, head: readHead(head) } }),
    });
    const { isGood, segments, snapshotsCompared, ...rest } = report;
    out.answer(report, {
      verdict: isGood ? 'Everything is good.' : 'Not all is good: see the faults.',
      ...rest,
      firstSeq: (segments[0]?.start.lastSeq ?? 0) + 1,
      segments: segments.length,
      snapshotsCompared: snapshotsCompared.length,
    });
    return isGood ? EXIT.done : EXIT.faulty;
  },
});
