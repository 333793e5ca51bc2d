/**
 * The shadow's thread, other side: runs the shadow slice by slice and tells how it is. What goes wrong with it is told
 * and tried again, ever more seldom; only a divergence ends the server, and that is for the event loop to do.
 */
import { availableParallelism } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { must } from '../../engine/base/assert.js';
import type { Clock } from '../../engine/model/ports.js';
import { databaseBytes } from '../data-dir/database-files.js';
import { copyNeedsBytes, DEFAULT_SPACE_THRESHOLDS, freeBytesOf, SpaceWatch } from '../data-dir/space.js';
import { JournalError, messageOf } from '../errors.js';
import { toErrorParts } from '../journal/messages.js';
import { findSegments } from '../journal/segment/names.js';
import { hasCoreToSpare, noRest, Pace, sleeper } from '../thread/pace.js';
import { lowerThreadPriority } from '../thread/priority.js';
import {
  type FromShadow,
  type ShadowOptions,
  type ShadowState,
  STATUS_AT_START,
  type ToShadow,
} from './messages.js';
import { Shadow } from './shadow.js';

/** How soon a command that is durable is looked for. */
const POLL_MS = 200;
const STATUS_EVERY_MS = 500;
const SPACE_EVERY_MS = 1_000;
const RETRY_MS_MIN = 1_000;
const RETRY_MS_MAX = 5 * 60_000;
/** Behind the event loop and the journal's thread, where cores are scarce: the lowest rank there is. */
const NICE = 19;

const port = must(parentPort, "the parent's port");
const options = workerData as ShadowOptions;
const clock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
const pace = new Pace(clock, sleeper());
const rest = hasCoreToSpare(availableParallelism()) ? noRest : () => pace.rest();
const tell = (message: FromShadow): void => port.postMessage(message);
const note = (text: string): void => tell({ kind: 'note', text });
const freeBytes = (): number => freeBytesOf(options.dir.journal);

const space = new SpaceWatch(options.space ?? DEFAULT_SPACE_THRESHOLDS, freeBytes);
let shadow: Shadow | null = null;
let status = STATUS_AT_START;
let spaceAtMs = Number.NEGATIVE_INFINITY;
let recoveryNeedsBytes = 0;
let statusAtMs = Number.NEGATIVE_INFINITY;
let retryMs = RETRY_MS_MIN;
/** Why the last shadow ended; it is over when one has come to the journal's end. */
let trouble: string | null = null;
/** Ends the wait for the next turn. */
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

/** One slice, then the next: at once where there is more, after a while where there is not. */
function turn(): void {
  lookAtSpace();
  if (space.level !== 'ok') {
    say('paused', `too little disk space is free (level ${space.level})`);
    turnAfter(SPACE_EVERY_MS);
    return;
  }
  try {
    shadow ??= new Shadow(options, clock, note, rest, (news) => tell({ kind: 'news', news }));
    const next = shadow.step();
    retryMs = RETRY_MS_MIN;
    const isAtEnd = next === 'idle' || next === 'checking';
    if (isAtEnd) trouble = null;
    say(isAtEnd ? 'following' : next, trouble ?? shadow.complaint);
    if (next === 'idle') turnAfter(POLL_MS);
    else turnNext();
  } catch (thrown) {
    onError(thrown);
  }
}

function onError(thrown: unknown): void {
  if (thrown instanceof JournalError && thrown.code === 'replay_mismatch') {
    dropShadow();
    tell({ kind: 'diverged', error: toErrorParts(thrown) });
    return;
  }
  trouble = messageOf(thrown);
  say('failed', trouble);
  dropShadow();
  turnAfter(retryMs);
  retryMs = Math.min(retryMs * 2, RETRY_MS_MAX);
}

/** A shadow after an error is not used again: the next one begins at a snapshot and the archive's end. */
function dropShadow(): void {
  const dropped = shadow;
  shadow = null;
  dropped?.abandon();
}

function lookAtSpace(): void {
  const nowMs = clock.monotonicMs();
  if (nowMs - spaceAtMs < SPACE_EVERY_MS) return;
  spaceAtMs = nowMs;
  space.check();
  const open = findSegments(options.dir.journal).at(-1);
  recoveryNeedsBytes = open === undefined ? 0 : copyNeedsBytes(databaseBytes(open));
}

/** Tells the state when it changes, and now and then. */
function say(state: ShadowState, reason: string | null): void {
  const nowMs = clock.monotonicMs();
  const isNews = state !== status.state || reason !== status.reason;
  if (!isNews && nowMs - statusAtMs < STATUS_EVERY_MS) return;
  statusAtMs = nowMs;
  const { heapUsed: heapUsedBytes, arrayBuffers: arrayBuffersBytes } = process.memoryUsage();
  status = {
    state,
    reason,
    appliedSeq: shadow?.appliedSeq ?? status.appliedSeq,
    archiveSeq: shadow?.archiveSeq ?? status.archiveSeq,
    snapshot: shadow?.snapshot ?? status.snapshot,
    oldRows: shadow?.oldRows ?? status.oldRows,
    heapUsedBytes,
    arrayBuffersBytes,
    recoveryNeedsBytes,
    freeBytes: freeBytes(),
  };
  tell({ kind: 'status', status });
}

function close(): void {
  cancelTurn();
  try {
    shadow?.close();
  } finally {
    tell({ kind: 'closed' });
    port.close();
  }
}

lowerThreadPriority(NICE);
port.on('message', (message: ToShadow) => {
  if (message.kind === 'close') close();
});
turnNext();
