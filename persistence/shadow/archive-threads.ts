/**
 * The shadow's thread with the two beside it: the reader of the archive, and the one that makes the roots of rounds.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { MadeRoot } from '../../engine/model/commands.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import type { ReaderOptions, ToReader } from '../archive/reader/messages.js';
import type { Store } from '../recovery/open-store.js';
import type { FromRootsThread, RootNote, RootsOptions, ToRootsThread } from '../roots/messages.js';
import { startThread, Thread } from '../thread/thread.js';
import type { ShadowOptions } from './messages.js';
import { type ShadowEvents, ShadowThread } from './thread.js';

/** One of the two beside the shadow's. */
class SideThread<To, From> extends Thread<To, From> {
  constructor(
    file: URL,
    name: string,
    data: ReaderOptions | RootsOptions,
    protected override readonly onError: (error: unknown) => void,
    protected override readonly onMessage: (message: From) => void = () => undefined,
  ) {
    super(() => startThread({ file, name, data, transferred: [data.shadow] }));
  }
}

export interface ArchiveThreads {
  readonly shadow: ShadowThread;
  readonly reader: SideThread<ToReader, never>;
  /** A port for another gateway's questions (`ArchiveRequest`), answered there (`ArchiveResponse`). */
  readonly connect: () => MessagePort;
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
  events: ShadowEvents & { onFatal(error: unknown): void },
): ArchiveThreads {
  const toReader = new MessageChannel();
  const toRoots = new MessageChannel();
  const shadow = new ShadowThread({ ...options, dir, reader: toReader.port1, roots: toRoots.port1 }, events);
  const { onFatal } = events;
  const readerFile = new URL('../archive/reader/worker.js', import.meta.url);
  const ofReader = { path: dir.archiveFile, shadow: toReader.port2 };
  const reader = new SideThread<ToReader, never>(readerFile, 'reader', ofReader, onFatal);
  let onRoot = (_root: MadeRoot): void => undefined;
  let newest: SignedHead | null = null;
  let takeHead = (_head: SignedHead): void => undefined;
  const rootsFile = new URL('../roots/worker.js', import.meta.url);
  const ofRoots = { masterSecret, betHashes, signing, shadow: toRoots.port2 };
  const onMade = (message: FromRootsThread): void => {
    if (roots.isClosing) return;
    if (message.kind === 'root') onRoot(message.root);
    else {
      newest = message.head;
      takeHead(newest);
    }
  };
  const roots = new SideThread<ToRootsThread, FromRootsThread>(rootsFile, 'roots', ofRoots, onFatal, onMade);
  return {
    shadow,
    reader,
    connect: () => {
      const { port1, port2 } = new MessageChannel();
      reader.post({ kind: 'gateway', port: port1 }, [port1]);
      return port2;
    },
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
