/**
 * The shadow's thread with the two beside it: the reader of the archive, and the one that makes the roots of rounds.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ArchiveRequest } from '../../engine/model/archive-reads.js';
import type { MadeRoot } from '../../engine/model/commands.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { ReaderOptions, ToReader } from '../archive/reader/messages.js';
import type { Store } from '../recovery/open-store.js';
import type { RootNote, RootsOptions, ToRootsThread } from '../roots/messages.js';
import { startThread, Thread } from '../thread/thread.js';
import type { ShadowOptions } from './messages.js';
import { CLOSE_MS_MAX, type ShadowEvents, ShadowThread } from './thread.js';

const LEFT_BEHIND =
  'the stop goes on without the thread of archive and snapshots: its disk may hang. The process ends once that disk answers, or by SIGKILL; either loses nothing';

/** One of the two beside the shadow's. */
class SideThread<To, From> extends Thread<To, From> {
  constructor(
    file: URL,
    name: string,
    data: ReaderOptions | RootsOptions,
    protected override readonly onError: (error: unknown) => void,
    protected override readonly onMessage: (message: From) => void = () => undefined,
    transferred: readonly MessagePort[] = [],
  ) {
    super(() => startThread({ file, name, data, transferred }), CLOSE_MS_MAX);
  }
}

export type ArchiveThreads = ReturnType<typeof startArchiveThreads>;

/** `onFatal`: a programming error in the reader, or in the thread of roots. */
export function startArchiveThreads(
  options: Omit<ShadowOptions, 'dir' | 'reader' | 'signing'>,
  betHashes: SharedArrayBuffer,
  { dir, masterSecret, signing }: Pick<Store, 'dir' | 'masterSecret' | 'signing'>,
  events: Omit<ShadowEvents, 'onHead'> & { onFatal(error: unknown): void },
) {
  const toReader = new MessageChannel();
  const { onFatal } = events;
  const readerFile = new URL('../archive/reader/worker.js', import.meta.url);
  const ofReader = { path: dir.archiveFile, shadow: toReader.port2 };
  const reader = new SideThread<ToReader, never>(readerFile, 'reader', ofReader, onFatal, undefined, [
    toReader.port2,
  ]);
  let onRoot = (_root: MadeRoot): void => undefined;
  let newest: SignedHead | null = null;
  let takeHead = (_head: SignedHead): void => undefined;
  const onHead = (head: SignedHead): void => {
    newest = head;
    takeHead(head);
  };
  const ofShadow = { ...options, dir, signing, reader: toReader.port1 };
  const shadow = new ShadowThread(ofShadow, { ...events, onHead });
  const rootsFile = new URL('../roots/worker.js', import.meta.url);
  const ofRoots = { masterSecret, betHashes, signing };
  const onMade = (root: MadeRoot): void => {
    if (!roots.isClosing) onRoot(root);
  };
  const roots = new SideThread<ToRootsThread, MadeRoot>(rootsFile, 'roots', ofRoots, onFatal, onMade);
  return {
    /** The caller begins it. */
    shadow,
    reader,
    /** A port for another gateway's questions (`ArchiveRequest`), answered there (`ArchiveResponse`). The first begins the reader. */
    connect: (): MessagePort => {
      const { port1, port2 } = new MessageChannel();
      port1.once('message', (first: ArchiveRequest) => {
        reader.begin();
        reader.post({ port: port1, first }, [port1]);
      });
      return port2;
    },
    /**
     * `publish` gets the roots of the rounds that the returned function tells of. The thread begins with the first bet or lock.
     * Only for the machine that leads.
     */
    makeRoots: (publish: (root: MadeRoot) => void) => {
      onRoot = publish;
      return (notes: readonly RootNote[]): void => {
        roots.begin();
        roots.post(notes);
      };
    },
    /** `take` gets the newest signed head of the journal, beginning with the last one. */
    takeHeads: (take: (head: SignedHead) => void): void => {
      takeHead = take;
      if (newest !== null) take(newest);
    },
    close: async (): Promise<void> => {
      const all = [reader, shadow, roots];
      for (const thread of all) await thread.close();
      if (all.some(({ isRunning }) => isRunning)) events.onNote(LEFT_BEHIND);
    },
  };
}
