/** `tote status`: a data directory at a glance. */
import { basename } from 'node:path';
import { type Inspection, inspect } from '../../upkeep/inspect.js';
import { type Context, defineCommand } from '../frame/command.js';
import { EXIT } from '../frame/exit-codes.js';
import { isoText } from '../frame/format.js';
import { bytesText, countOf } from '../frame/output.js';
import { RULES_FROM } from '../words/describe-command.js';

export const statusCommand = defineCommand({
  details:
    'Shows the data directory at a glance, without reading the whole journal, which is for "verify". The server itself ' +
    'tells more on GET /operator/v1/status. Ends with 1 if a part cannot be read.',
  examples: [
    ['status', 'the directory ./data, or that of TOTE_DATA_DIR'],
    ['status /mnt/backup --json', 'a backup, for a script'],
  ],
  run: (context) => {
    const found = inspect(context.dir);
    if (context.out.isJson) context.out.document(toJson(context, found));
    else tell(context, found);
    return found.faults.length === 0 ? EXIT.done : EXIT.faulty;
  },
});

function summaryOf({ segments, archive, snapshots }: Inspection) {
  const last = segments.at(-1);
  const sequence = last?.lastSeq ?? 0;
  return {
    sequence,
    lastTimeMs: segments.findLast(({ lastTimeMs }) => lastTimeMs > 0)?.lastTimeMs ?? 0,
    firstSequence: segments[0]?.firstSeq ?? 1,
    journalBytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
    snapshotBytes: snapshots.reduce((sum, { bytes }) => sum + bytes, 0),
    /** In commands behind the journal. */
    shadowLag: archive === null ? null : Math.max(0, sequence - archive.seq),
  };
}

export type StatusJson = ReturnType<typeof toJson>;

function toJson({ dir }: Context, found: Inspection) {
  const { lastTimeMs, ...summary } = summaryOf(found);
  const { holder, isInUse, mark, setup, segments, snapshots, archive, archiveBytes, totalBytes } = found;
  return {
    dataDir: dir.root,
    server: { isRunning: holder !== null, pid: holder?.pid ?? null },
    wasStoppedUncleanly: holder === null && isInUse,
    setup,
    ...summary,
    lastTime: lastTimeMs === 0 ? null : isoText(lastTimeMs),
    acknowledged: mark?.lastSeq ?? null,
    segments,
    snapshots: snapshots.map(({ writtenMs, ...rest }) => ({ ...rest, written: isoText(writtenMs) })),
    archive: archive === null ? null : { fromSeq: archive.fromSeq, seq: archive.seq, bytes: archiveBytes },
    totalBytes,
    freeBytes: found.freeBytes,
    spaceLevel: found.spaceLevel,
    faults: found.faults,
  };
}

function tell({ dir, out }: Context, found: Inspection): void {
  const summary = summaryOf(found);
  const { mark, segments, snapshots, archive, archiveBytes, faults } = found;
  const newest = snapshots[0];
  out.facts([
    ['data directory', dir.root],
    ['server', serverText(found)],
    ['set up with', setupText(found)],
    ['sequence', sequenceText(summary)],
    ['acknowledged', mark === null ? 'nothing' : `up to ${mark.lastSeq}`],
    ['journal', `${countOf(segments.length, 'segment')}, ${bytesText(summary.journalBytes)}`],
    [
      'snapshots',
      newest === undefined
        ? 'none'
        : `${snapshots.length}, the last at ${newest.seq} of ${isoText(newest.writtenMs)}, ${bytesText(summary.snapshotBytes)}`,
    ],
    [
      'archive',
      archive === null
        ? 'none'
        : `up to ${archive.seq}, ${bytesText(archiveBytes)}${archive.fromSeq > 0 ? `, from ${archive.fromSeq + 1}` : ''}`,
    ],
    ['shadow', shadowText(found, summary.shadowLag)],
    [
      'on disk',
      `${bytesText(found.totalBytes)}; ${bytesText(found.freeBytes)} free, level ${found.spaceLevel}`,
    ],
  ]);
  out.line('');
  out.table(
    ['segment', 'first', 'last', 'state', 'bytes'],
    segments.map(({ path, firstSeq, lastSeq, isSealed, bytes }) => [
      basename(path),
      firstSeq,
      lastSeq,
      isSealed ? 'sealed' : 'open',
      bytes,
    ]),
  );
  for (const fault of faults) out.line(`FAULT ${fault}`);
}

function serverText({ holder, isInUse }: Inspection): string {
  if (holder !== null) return `runs${holder.pid === null ? '' : `, process ${holder.pid}`}`;
  return isInUse
    ? 'does not run; the last one did not stop cleanly, the next start recovers'
    : 'does not run; the last one stopped cleanly';
}

function setupText({ setup }: Inspection): string {
  if (setup === null) return 'not in the journal yet; the next start writes it there';
  return `feed ${setup.feed}, clock ${setup.clock}, ${RULES_FROM[setup.rulesFrom]}`;
}

function sequenceText({ sequence, firstSequence, lastTimeMs }: ReturnType<typeof summaryOf>): string {
  if (sequence === 0) return '0: nothing has happened yet';
  const begin = firstSequence === 1 ? '' : `; the journal begins at ${firstSequence}`;
  const time = lastTimeMs === 0 ? '' : ` of ${isoText(lastTimeMs)}`;
  return `${sequence}${time}${begin}`;
}

function shadowText({ holder }: Inspection, lag: number | null): string {
  const where =
    lag === null ? 'the archive is still to be made' : `${countOf(lag, 'command')} behind the journal`;
  return holder === null ? `${where} (the server does not run)` : where;
}
