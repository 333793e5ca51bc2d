/** The event loop's side of the reader's thread (`worker.ts`). */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { startThread, Thread } from '../../thread/thread.js';
import type { ReaderOptions, ToReader } from './messages.js';

interface ReaderEvents {
  /** A programming error: the process must end. */
  onFatal(error: unknown): void;
}

export class ReaderThread extends Thread<ToReader, never> {
  constructor(
    options: ReaderOptions,
    private readonly events: ReaderEvents,
  ) {
    const file = new URL('./worker.js', import.meta.url);
    super(() => startThread({ file, name: 'reader', data: options, transferred: [options.shadow] }));
  }

  /** A port for another gateway's questions (`ArchiveAsked`), answered there (`ArchiveTold`). */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.post({ kind: 'gateway', port: port1 }, [port1]);
    return port2;
  }

  protected override onMessage(): void {}

  protected override onError(error: Error): void {
    this.events.onFatal(error);
  }
}
