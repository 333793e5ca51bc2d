/** `tote snapshot`: writes the present state as a snapshot, with or without a running server. */
import { newSha256 } from '../../../crypto/hashes.js';
import { must } from '../../../engine/base/assert.js';
import { isoText } from '../../../engine/base/iso-text.js';
import { fileBytes } from '../../data-dir/files.js';
import { openPart } from '../../data-dir/layout.js';
import { JournalError } from '../../errors.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { withHistory } from '../sources/records.js';

export const snapshotCommand = defineCommand({
  details:
    'Replays the journal from the newest good snapshot to its end and writes the state as a new snapshot, without ' +
    'disturbing a running server. The next start is then as fast as possible, and "prune" may delete more. ' +
    'The server itself writes snapshots, too (TOTE_SNAPSHOT_COMMANDS, and after 15 minutes), and removes the oldest.',
  examples: [
    ['snapshot', 'before a restart that must be quick'],
    ['snapshot /var/lib/tote --json', 'for a script: "seq" and "path"'],
  ],
  run: (context) => {
    const { dir, out } = context;
    const files = new SnapshotFiles(dir.snapshots);
    return withHistory(
      context,
      'replaying',
      (history, journal) => {
        const { lastSeq } = history;
        if (lastSeq === 0)
          throw new JournalError('not_found', 'Nothing has happened yet: there is no state to write down.');
        const engine = history.engineAt(lastSeq);
        openPart(dir.snapshots);
        const { name: path } = files.save(engine, must(journal.chainAt(lastSeq), 'the end of a batch'));
        const stateDigest = engine.stateDigest(newSha256);
        out.answer({
          seq: engine.seq,
          time: isoText(engine.timeMs),
          path,
          bytes: fileBytes(path),
          stateDigest,
        });
        return EXIT.done;
      },
      files,
    );
  },
});
