/**
 * The shadow's thread: runs it slice by slice and reports its status. After an error the shadow is started again, at
 * growing intervals. Only a divergence ends the server, and the event loop does that.
 */
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { signerOf } from '../../crypto/signing.js';
import { must } from '../../engine/base/assert.js';
import { messageOf } from '../../engine/base/attempt.js';
import { isoText } from '../../engine/base/iso-text.js';
import type { RefusedAt } from '../../engine/model/operators.js';
import { type ShadowState, STATUS_AT_START } from '../../engine/model/shadow-status.js';
import { headStatement } from '../../engine/proofs/statements.js';
import type { FromReader, ReaderNews, ReadFailure } from '../archive/reader/messages.js';
import type { ArchivePosition } from '../archive/schema.js';
import { databaseBytes } from '../data-dir/files.js';
import { copyNeedsBytes, DEFAULT_SPACE_THRESHOLDS, freeBytesOf, SpaceWatch } from '../data-dir/space.js';
import { codeOf, JournalError } from '../errors.js';
import { findSegments } from '../journal/segment/names.js';
import { toErrorParts } from '../thread/error-parts.js';
import { backgroundPace, threadCpuMs } from '../thread/pace.js';
import type { CloseMessage } from '../thread/thread.js';
import type { FromShadow, ShadowOptions } from './messages.js';
import { Shadow } from './shadow.js';

const POLL_MS = 200;
/** While someone waits for the archive. */
const WANTED_POLL_MS = 5;
/** Reads of the archive wait for a shadow that is behind. */
const HURRIED_AFTER_MS = 1_000;
const STATUS_EVERY_MS = 500;
const SPACE_EVERY_MS = 1_000;
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 5 * 60_000;

const port = must(parentPort, "the parent's port");
const options = workerData as ShadowOptions;
const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now(), threadCpuMs };
const pace = backgroundPace();
const rest = (): void => pace.rest();
const post = (message: FromShadow): void => port.postMessage(message);
const sign = signerOf(options.signing);
const note = (text: string): void => post({ kind: 'note', text });
const freeBytes = (): number => freeBytesOf(options.dir.journal);

const space = new SpaceWatch(options.space ?? DEFAULT_SPACE_THRESHOLDS, freeBytes);
let shadow: Shadow | null = null;
let status = STATUS_AT_START;
let spaceAtMs = Number.NEGATIVE_INFINITY;
let recoveryNeedsBytes = 0;
/** When the shadow was last at the journal's end. */
let atEndMs = clock.monotonicMs();
let statusAtMs = Number.NEGATIVE_INFINITY;
let retryMs = RETRY_MS_MIN;
/** Why the last shadow ended; null once one has reached the journal's end. */
let trouble: string | null = null;
let damage: readonly string[] = [];
/** The reader's failures with the archive that is open: all that were noted, and the first damage, which stays. */
const noted = new Set<string>();
let unreadable: string | null = null;
/** The archive's reader waits for `wantedSeq`, 0 for nothing; it was last told of `toldSeq`. */
let wantedSeq = 0;
let toldSeq = 0;
let cancelTurn = (): void => {};

function turnNext(): void {
  const immediate = setImmediate(turn);
  cancelTurn = () => clearImmediate(immediate);
}

function turnAfter(ms: number): void {
  const timer = setTimeout(() => {
    pace.begin();
    turn();
  }, ms);
  cancelTurn = () => clearTimeout(timer);
}

function turn(): void {
  checkSpace();
  if (space.level !== 'ok') {
    report('paused', `too little disk space is free (level ${space.level})`);
    turnAfter(SPACE_EVERY_MS);
    return;
  }
  try {
    shadow ??= openShadow();
    const next = shadow.step();
    tellArchived(shadow);
    retryMs = RETRY_MS_MIN;
    const isAtEnd = next === 'idle' || next === 'checking';
    const nowMs = clock.monotonicMs();
    if (isAtEnd) [trouble, damage, atEndMs] = [null, [], nowMs];
    pace.isHurried = nowMs - atEndMs > HURRIED_AFTER_MS;
    report(isAtEnd ? 'following' : next, trouble ?? shadow.complaint ?? unreadable);
    if (next === 'idle') turnAfter(shadow.isWanted ? WANTED_POLL_MS : POLL_MS);
    else turnNext();
  } catch (thrown) {
    onError(thrown);
  }
}

function openShadow(): Shadow {
  const opened = new Shadow(options, clock, note, rest, (news) => post({ kind: 'news', news }), postHead);
  noted.clear();
  unreadable = null;
  options.reader?.postMessage('opened' satisfies ReaderNews);
  opened.want(wantedSeq);
  return opened;
}

function postHead({ seq, chain, timeMs }: ArchivePosition): void {
  const head = { seq, chain, time: isoText(timeMs) };
  const { keyId } = options.signing;
  post({ kind: 'head', head: { ...head, keyId, signature: sign(headStatement(head)) } });
}

function tellArchived({ archiveSeq }: Shadow): void {
  if (wantedSeq === 0 || archiveSeq === toldSeq) return;
  toldSeq = archiveSeq;
  if (archiveSeq >= wantedSeq) wantedSeq = 0;
  options.reader?.postMessage(archiveSeq satisfies ReaderNews);
}

function onWanted(seq: number): void {
  wantedSeq = Math.max(wantedSeq, seq);
  shadow?.want(wantedSeq);
  lookNow();
}

/** Noted once, not with every question. */
function onUnread({ text, isDamage }: ReadFailure): void {
  if (!noted.has(text)) note(text);
  noted.add(text);
  if (isDamage) unreadable ??= text;
}

function lookNow(): void {
  if (status.state !== 'following') return;
  cancelTurn();
  turnNext();
}

function onError(thrown: unknown): void {
  if (thrown instanceof JournalError && thrown.code === 'replay_mismatch') {
    dropShadow();
    post({ kind: 'diverged', error: toErrorParts(thrown) });
    return;
  }
  if (trouble === null) note(messageOf(thrown));
  trouble = messageOf(thrown);
  if (codeOf(thrown) === 'journal_corrupt') damage = [trouble];
  report('failed', trouble);
  dropShadow();
  turnAfter(retryMs);
  retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
}

/** The next shadow starts from a snapshot and the archive's end. */
function dropShadow(): void {
  const dropped = shadow;
  shadow = null;
  dropped?.abandon();
}

function checkSpace(): void {
  const nowMs = clock.monotonicMs();
  if (nowMs - spaceAtMs < SPACE_EVERY_MS) return;
  spaceAtMs = nowMs;
  space.check();
  const open = findSegments(options.dir.journal).at(-1);
  recoveryNeedsBytes = open === undefined ? 0 : copyNeedsBytes(databaseBytes(open));
}

function madeAtMs(path: string): number | null {
  const file = statSync(path, { throwIfNoEntry: false });
  return file === undefined ? null : Math.floor(file.mtimeMs);
}

function report(state: ShadowState, reason: string | null): void {
  const nowMs = clock.monotonicMs();
  const isNews = state !== status.state || reason !== status.reason;
  if (!isNews && nowMs - statusAtMs < STATUS_EVERY_MS) return;
  statusAtMs = nowMs;
  const oldRows = shadow?.oldRows ?? status.oldRows;
  const { heapUsed: heapUsedBytes, arrayBuffers: arrayBuffersBytes } = process.memoryUsage();
  status = {
    state,
    reason,
    appliedSeq: shadow?.appliedSeq ?? status.appliedSeq,
    archiveSeq: shadow?.archiveSeq ?? status.archiveSeq,
    snapshot: shadow?.snapshot ?? status.snapshot,
    oldRows: { ...oldRows, faults: [...new Set([...oldRows.faults, ...damage])] },
    heapUsedBytes,
    arrayBuffersBytes,
    recoveryNeedsBytes,
    freeBytes: freeBytes(),
    backupAtMs: madeAtMs(options.dir.backupStamp),
    // It is written once, and nobody has reason to touch it.
    createdAtMs: madeAtMs(options.dir.masterSecretFile) ?? Number.NaN,
  };
  post({ kind: 'status', status });
}

function close(): void {
  cancelTurn();
  try {
    shadow?.close();
  } finally {
    options.reader?.close();
    port.close();
  }
}

options.reader?.on('message', (told: FromReader) => {
  if (typeof told === 'number') onWanted(told);
  else onUnread(told);
});
port.on('message', (message: RefusedAt | CloseMessage) => {
  if ('kind' in message) close();
  else shadow?.keepRefusals(message);
});
turnNext();
