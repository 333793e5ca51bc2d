/**
 * The shadow's thread with the two beside it: the reader of the archive, and the one that makes the roots of rounds.
 */
import { MessageChannel } from 'node:worker_threads';
import type { MadeRoot } from '../../engine/model/commands.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import { ReaderThread } from '../archive/reader/thread.js';
import type { Store } from '../recovery/open-store.js';
import type { RootNote } from '../roots/messages.js';
import { type RootsEvents, RootsThread } from '../roots/thread.js';
import type { ShadowOptions } from './messages.js';
import { type ShadowEvents, ShadowThread } from './thread.js';

export interface ArchiveThreads {
  readonly shadow: ShadowThread;
  readonly reader: ReaderThread;
  /** `publish` gets the roots of the rounds that the returned function tells of. Only for the machine that leads. */
  readonly makeRoots: (publish: (root: MadeRoot) => void) => (notes: readonly RootNote[]) => void;
  /** `take` gets the newest signed head of the journal, beginning with the last one. */
  readonly takeHeads: (take: (head: SignedHead) => void) => void;
  /** The first answer waits for none of the three, and comes sooner without them. */
  readonly begin: () => void;
  readonly close: () => Promise<void>;
}

/** `onFatal`: a programming error in the reader, or in the thread of roots. */
export function startArchiveThreads(
  options: Omit<ShadowOptions, 'dir' | 'reader' | 'roots'>,
  betHashes: SharedArrayBuffer,
  { dir, masterSecret, signing }: Pick<Store, 'dir' | 'masterSecret' | 'signing'>,
  events: ShadowEvents & Omit<RootsEvents, 'onRoot' | 'onHead'>,
): ArchiveThreads {
  const toReader = new MessageChannel();
  const toRoots = new MessageChannel();
  const shadow = new ShadowThread({ ...options, dir, reader: toReader.port1, roots: toRoots.port1 }, events);
  const reader = new ReaderThread({ path: dir.archiveFile, shadow: toReader.port2 }, events);
  let onRoot = (_root: MadeRoot): void => undefined;
  let newest: SignedHead | null = null;
  let takeHead = (_head: SignedHead): void => undefined;
  const onHead = (head: SignedHead): void => {
    newest = head;
    takeHead(head);
  };
  const ofRoots = { masterSecret, betHashes, signing, shadow: toRoots.port2 };
  const { onFatal } = events;
  const roots = new RootsThread(ofRoots, { onFatal, onHead, onRoot: (root) => onRoot(root) });
  return {
    shadow,
    reader,
    makeRoots: (publish) => {
      onRoot = publish;
      return (notes) => roots.post(notes);
    },
    takeHeads: (take) => {
      takeHead = take;
      if (newest !== null) take(newest);
    },
    begin: () => {
      for (const thread of [shadow, reader, roots]) thread.begin();
    },
    close: async () => {
      await reader.close();
      await shadow.close();
      await roots.close();
    },
  };
}
