/** `tote status`: a data directory at a glance. */
import { isoOrNull, isoText } from '../../../engine/base/iso-text.js';
import { inspect } from '../../upkeep/inspect.js';
import { defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';

export const statusCommand = defineCommand({
  details:
    'Shows the data directory at a glance, without reading the whole journal, which is for "verify". The server itself ' +
    'tells more on GET /operator/v1/status. Ends with 1 if a part cannot be read or is missing.',
  examples: [
    ['status', 'the directory ./data, or that of TOTE_DATA_DIR'],
    ['status /mnt/backup --json', 'a backup, for a script'],
  ],
  run: ({ dir, out }) => {
    const { holder, mark, setup, segments, snapshots, archive, ...found } = inspect(dir);
    const sequence = segments.at(-1)?.lastSeq ?? 0;
    const last = segments.findLast(({ lastTimeMs }) => lastTimeMs > 0);
    const sum = (files: readonly { readonly bytes: number }[]): number =>
      files.reduce((bytes, file) => bytes + file.bytes, 0);
    out.answer({
      dataDir: dir.root,
      server: { isRunning: holder !== null, pid: holder?.pid ?? null },
      wasStoppedUncleanly: found.wasStoppedUncleanly,
      setup,
      sequence,
      lastTime: isoOrNull(last?.lastTimeMs),
      firstSequence: segments[0]?.firstSeq ?? 1,
      acknowledged: mark?.lastSeq ?? null,
      journalBytes: sum(segments),
      snapshotBytes: sum(snapshots),
      archive:
        archive === null ? null : { fromSeq: archive.fromSeq, seq: archive.seq, bytes: found.archiveBytes },
      /** In commands behind the journal. */
      shadowLag: archive === null ? null : Math.max(0, sequence - archive.seq),
      totalBytes: found.totalBytes,
      freeBytes: found.freeBytes,
      spaceLevel: found.spaceLevel,
      segments,
      snapshots: snapshots.map(({ writtenMs, ...rest }) => ({ ...rest, written: isoText(writtenMs) })),
      faults: found.faults,
    });
    return found.faults.length === 0 ? EXIT.done : EXIT.faulty;
  },
});
