/** The two threads of the archive: the shadow, which writes it, and the reader, for which the shadow hurries. */
import { MessageChannel } from 'node:worker_threads';
import { PastThread } from '../past/thread.js';
import type { ShadowOptions } from './messages.js';
import { type ShadowEvents, ShadowThread } from './thread.js';

export interface ArchiveThreads {
  readonly shadow: ShadowThread;
  readonly past: PastThread;
}

/** `onFatal` is for a programming error in the reader. */
export function startArchiveThreads(
  options: Omit<ShadowOptions, 'past'>,
  events: ShadowEvents & { onFatal(error: unknown): void },
): ArchiveThreads {
  const { port1, port2 } = new MessageChannel();
  const shadow = new ShadowThread({ ...options, past: port1 }, events);
  const past = new PastThread({ path: options.dir.archiveFile, shadow: port2 }, events);
  return { shadow, past };
}
