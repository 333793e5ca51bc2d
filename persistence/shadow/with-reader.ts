/**
 * The shadow's thread with the two beside it: the reader of the archive, and the one that makes the roots of rounds.
 */
import { MessageChannel } from 'node:worker_threads';
import type { SignedHead } from '../../engine/proofs/statements.js';
import { ReaderThread } from '../archive/reader/thread.js';
import type { Store } from '../recovery/open-store.js';
import type { MadeRoot } from '../roots/messages.js';
import { type RootsEvents, RootsThread } from '../roots/thread.js';
import type { ShadowOptions } from './messages.js';
import { type ShadowEvents, ShadowThread } from './thread.js';

/** Kept until someone takes them. A standby's roots are on record, but for the last ones. */
const ROOTS_KEPT_MAX = 1_000;

export interface RootTaker {
  publish(root: MadeRoot): void;
  publishKept(root: MadeRoot): void;
}

export interface ArchiveThreads {
  readonly shadow: ShadowThread;
  readonly reader: ReaderThread;
  readonly roots: {
    readonly hurry: () => void;
    readonly isMaking: () => boolean;
    /** Begins with the roots that were made before. */
    readonly takeBy: (taker: RootTaker) => void;
  };
  /** `take` gets the newest signed head of the journal, beginning with the last one. */
  readonly takeHeads: (take: (head: SignedHead) => void) => void;
  readonly close: () => Promise<void>;
}

/** `onFatal`: a programming error in the reader, or in the thread of roots. */
export function startArchiveThreads(
  options: Omit<ShadowOptions, 'dir' | 'reader' | 'roots'>,
  betHashes: SharedArrayBuffer,
  { dir, masterSecret, signing, recovered }: Pick<Store, 'dir' | 'masterSecret' | 'signing' | 'recovered'>,
  events: ShadowEvents & Omit<RootsEvents, 'onRoot' | 'onHead'>,
): ArchiveThreads {
  const toReader = new MessageChannel();
  const toRoots = new MessageChannel();
  const shadow = new ShadowThread({ ...options, dir, reader: toReader.port1, roots: toRoots.port1 }, events);
  const reader = new ReaderThread({ path: dir.archiveFile, shadow: toReader.port2 }, events);
  const kept: MadeRoot[] = [];
  let taker = (root: MadeRoot): void => {
    kept.push(root);
    if (kept.length > ROOTS_KEPT_MAX) kept.shift();
  };
  let newest: SignedHead | null = null;
  let takeHead = (_head: SignedHead): void => undefined;
  const onHead = (head: SignedHead): void => {
    newest = head;
    takeHead(head);
  };
  const ofRoots = { masterSecret, betHashes, signing, startSeq: recovered.lastSeq, shadow: toRoots.port2 };
  const { onDiverged, onFatal } = events;
  const roots = new RootsThread(ofRoots, { onDiverged, onFatal, onHead, onRoot: (root) => taker(root) });
  return {
    shadow,
    reader,
    roots: {
      hurry: () => shadow.look(),
      isMaking: () => shadow.status.state !== 'failed' && shadow.status.state !== 'paused',
      takeBy: (given) => {
        taker = (root) => given.publish(root);
        for (const root of kept.splice(0)) given.publishKept(root);
      },
    },
    takeHeads: (take) => {
      takeHead = take;
      if (newest !== null) take(newest);
    },
    close: async () => {
      await reader.close();
      await shadow.close();
      await roots.close();
    },
  };
}
