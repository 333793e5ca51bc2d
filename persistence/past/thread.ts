/** The event loop's side of the reader's thread (`worker.ts`). */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Thread } from '../thread/thread.js';
import type { FromPast, PastOptions, ToPast } from './messages.js';

export interface PastEvents {
  onNote(text: string): void;
  /** A programming error: the process must end. */
  onFatal(error: unknown): void;
}

export class PastThread extends Thread<ToPast, FromPast> {
  constructor(
    options: PastOptions,
    private readonly events: PastEvents,
  ) {
    const file = new URL('./worker.js', import.meta.url);
    super({ file, name: 'past', data: options, transferred: [options.shadow] });
  }

  /** A port for another gateway's questions (`ArchiveAsked`), answered there (`ArchiveTold`). */
  connect(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.post({ kind: 'gateway', port: port1 }, [port1]);
    return port2;
  }

  protected override onMessage({ text }: FromPast): void {
    this.events.onNote(text);
  }

  protected override onError(error: Error): void {
    this.events.onFatal(error);
  }
}
