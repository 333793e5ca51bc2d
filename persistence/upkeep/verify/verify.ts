/**
 * Checks all parts of a data directory and reports the faults of each; a fault in one part does not keep the others
 * from being checked. Nothing is changed, and a server may be running: its new data is checked as far as it existed
 * at that time.
 */
import { existsSync } from 'node:fs';
import { newSha256 } from '../../../crypto/hashes.js';
import type { Mark, StoredBatch } from '../../../engine/model/ports.js';
import type { NotedKey } from '../../../engine/model/proofs/signing.js';
import { type ArchiveReport, checkArchive } from '../../archive/check.js';
import { hasForeignWal } from '../../archive/file.js';
import { walPath } from '../../data-dir/files.js';
import type { DataDir } from '../../data-dir/layout.js';
import { readOperatorTokens } from '../../data-dir/operator-tokens.js';
import { isOtherSecret, openMasterSecret, readOperatorToken } from '../../data-dir/secrets.js';
import { JournalError } from '../../errors.js';
import { acknowledgedSeq, readMarkFile } from '../../journal/mark.js';
import { absentPath, readAbsent } from '../../journal/segment/absent.js';
import { checkChain } from '../../journal/segment/chain.js';
import { findSegments, firstSeqOf, sourceOf } from '../../journal/segment/names.js';
import { SnapshotFiles } from '../../snapshot/files.js';
import { Findings } from './findings.js';
import { HeadCheck, type NotedHead } from './head-check.js';
import { JournalRows } from './journal-rows.js';
import { ReplayCheck } from './replay-check.js';
import { RootSignatures } from './root-signatures.js';

export type VerifyReport = ReturnType<typeof verify>;

interface VerifyOptions {
  /** Called with the last command of each batch that was read. */
  readonly onSeq?: (seq: number) => void;
  /** They take the place of the directory's public keys. */
  readonly notedKeys?: readonly NotedKey[];
  readonly notedHead?: NotedHead;
}

export function verify(dir: DataDir, { onSeq = () => {}, notedKeys, notedHead }: VerifyOptions = {}) {
  const findings = new Findings();
  const head = notedHead === undefined ? null : new HeadCheck(notedHead, findings);
  // Read before the journal, which may grow: everything up to the mark must be in it then.
  const mark = findings.read('mark', dir.markFile, () => readMarkFile(dir.markFile));
  const absentSeq = findings.read('journal', absentPath(dir), () => readAbsent(dir));
  const archive = readArchive(dir, findings);
  const progress = archive?.progress ?? null;
  const snapshots = new SnapshotFiles(dir.snapshots);
  const secret = readSecret(dir);
  const masterSecret = secret instanceof JournalError ? null : secret;
  const signatures = new RootSignatures(dir, masterSecret, notedKeys ?? null, findings);
  const { archiveFile } = dir;
  const sources = { snapshots, archiveFile, archive: progress, masterSecret, signatures };
  const replay = new ReplayCheck(sources, findings);
  const paths = findSegments(dir.journal);
  const rows = new JournalRows(paths.map(sourceOf), absentSeq, findings);
  const last = checkJournal(rows, replay, mark, head, findings, dir, onSeq);
  head?.end(rows, (keyId) => signatures.publicKey(keyId));
  const isWhole = !findings.has('journal');
  const nowSeq = acknowledgedSeq(dir.markFile);
  replay.end(last, isWhole, (seq) => seq > (mark?.lastSeq ?? nowSeq) && seq <= nowSeq);
  if (isWhole && progress !== null && progress.seq > last) {
    const what = `It knows commands up to ${progress.seq}; the journal ends at ${last}.`;
    findings.fault('archive', dir.archiveFile, last, what);
  }
  if (progress !== null) signatures.ofArchive(replay.engine);
  if (!findings.has('journal')) findings.read('journal', dir.journal, () => checkChain(dir.journal));
  checkSecret(dir, secret, replay, findings);
  checkTokens(dir, findings);
  return {
    isGood: findings.count === 0,
    /** Not all: `faultCount` is the number of all. */
    faults: findings.faults,
    faultCount: findings.count,
    notes: findings.notes,
    segments: rows.segments,
    /** The last good command that follows all before it. */
    lastSeq: last,
    replayed: describeReplay(replay),
    snapshotsCompared: replay.compared.map(({ name }) => name),
    archive:
      progress === null
        ? null
        : { seq: progress.seq, rowsChecked: archive?.rowsChecked ?? 0, rowsCompared: replay.rowsCompared },
    signatures: signatures.checked,
  };
}

/** `fromSeq` is 0 for the beginning. */
function describeReplay(replay: ReplayCheck) {
  const { engine, fromSeq, batches } = replay;
  if (engine === null) return null;
  const stateDigest = engine.stateDigest(newSha256);
  return { fromSeq, toSeq: engine.seq, batches, rollingDigest: engine.rollingDigest(), stateDigest };
}

/** Replays rows that follow each other; returns the last of these. */
function checkJournal(
  rows: JournalRows,
  replay: ReplayCheck,
  mark: Mark | null,
  head: HeadCheck | null,
  findings: Findings,
  dir: DataDir,
  onSeq: (seq: number) => void,
): number {
  let atMark: StoredBatch | null = null;
  const onRow = (row: StoredBatch): void => {
    if (row.lastSeq === mark?.lastSeq) atMark = row;
    head?.onRow(row);
  };
  let last = 0;
  for (const { row, path } of rows.unbroken(onRow, (start) => {
    last = start.lastSeq;
    replay.begin(start);
  })) {
    replay.apply(row, path);
    last = row.lastSeq;
    onSeq(last);
  }
  const end = rows.segments.at(-1)?.end.lastSeq ?? 0;
  // The row at the mark may be the last one of the absent part; then the snapshot there replaces it.
  const startSeq = rows.start?.lastSeq ?? 0;
  if (startSeq === 0 || startSeq !== mark?.lastSeq) checkMark(dir, mark, atMark, end, findings);
  return last;
}

/** `atMark` is the row that ends at the mark, `end` the end of the journal. */
function checkMark(
  dir: DataDir,
  mark: Mark | null,
  atMark: StoredBatch | null,
  end: number,
  findings: Findings,
): void {
  const fault = (seq: number, what: string): void => findings.fault('mark', dir.markFile, seq, what);
  if (mark === null) {
    if (end > 0 && !findings.has('mark'))
      fault(end, 'It is missing: nothing says which commands were acknowledged last.');
  } else if (mark.lastSeq > end) {
    fault(
      mark.lastSeq,
      `${mark.lastSeq} was acknowledged, but the journal ends at ${end}: ${end + 1} to ${mark.lastSeq} are missing.`,
    );
  } else if (mark.lastSeq > 0 && atMark?.checksum !== mark.checksum && !findings.has('journal')) {
    const there = atMark === null ? 'no batch ends there' : `the batch there has ${atMark.checksum}`;
    fault(
      mark.lastSeq,
      `The batch that ends at ${mark.lastSeq} was acknowledged with the checksum ${mark.checksum}; ${there}.`,
    );
  }
}

/** Pruned commands are only in the archive: if the journal is pruned, a missing archive is a loss. */
function readArchive(dir: DataDir, findings: Findings): ArchiveReport | null {
  const [first] = findSegments(dir.journal);
  const firstSeq = first === undefined ? 1 : firstSeqOf(first);
  if (!existsSync(dir.archiveFile)) {
    if (firstSeq === 1) findings.note('There is no archive: the server makes one from the journal.');
    else {
      const what = `It is missing, and the journal begins at ${firstSeq} only: nothing here tells what came before. Put it back from a backup before a server starts.`;
      findings.fault('archive', dir.archiveFile, null, what);
    }
    return null;
  }
  if (hasForeignWal(dir)) {
    const what = 'It is of the archive whose place this one has taken. Delete it, as a start does.';
    findings.fault('archive', walPath(dir.archiveFile), null, what);
    return null;
  }
  const report = checkArchive(dir.archiveFile);
  const { fromSeq, seq } = report.progress ?? { fromSeq: 0, seq: firstSeq };
  if (fromSeq > 0) {
    findings.note(`The archive begins after sequence number ${fromSeq}: it does not tell what came before.`);
  }
  if (seq < firstSeq - 1) {
    const what = `The journal begins at ${firstSeq} only: nothing here tells what lies between. Put a later one from a backup in its place before a server starts.`;
    findings.fault('archive', dir.archiveFile, seq, `It ends at ${seq}. ${what}`);
  }
  for (const what of report.faults) findings.fault('archive', dir.archiveFile, null, what);
  return report;
}

function readSecret(dir: DataDir): Uint8Array | JournalError {
  try {
    return openMasterSecret(dir, false);
  } catch (thrown) {
    if (!(thrown instanceof JournalError)) throw thrown;
    return thrown;
  }
}

function checkSecret(
  dir: DataDir,
  secret: Uint8Array | JournalError,
  replay: ReplayCheck,
  findings: Findings,
): void {
  const rules = replay.engine?.rules ?? null;
  if (rules === null) return;
  const fault = (what: string): void => findings.fault('secret', dir.masterSecretFile, null, what);
  if (secret instanceof JournalError) fault(secret.message);
  else if (isOtherSecret(rules, secret)) fault('It is not the secret that the rounds were opened with.');
}

/** A start fails on these files, too. */
function checkTokens(dir: DataDir, findings: Findings): void {
  const { operatorTokenFile, operatorTokensFile } = dir;
  findings.read('secret', operatorTokenFile, () => readOperatorToken(dir));
  findings.read('secret', operatorTokensFile, () => readOperatorTokens(operatorTokensFile, false));
}
