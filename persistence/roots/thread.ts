/** The event loop's side of the thread that makes roots (`worker.ts`). */
import type { MadeRoot } from '../../engine/model/commands.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import { startThread, Thread } from '../thread/thread.js';
import type { FromRootsThread, RootsOptions, ToRootsThread } from './messages.js';

export interface RootsEvents {
  onRoot(root: MadeRoot): void;
  onHead(head: SignedHead): void;
  onFatal(error: unknown): void;
}

export class RootsThread extends Thread<ToRootsThread, FromRootsThread> {
  constructor(
    options: RootsOptions,
    private readonly events: RootsEvents,
  ) {
    const file = new URL('./worker.js', import.meta.url);
    super(() => startThread({ file, name: 'roots', data: options, transferred: [options.shadow] }));
  }

  protected override onMessage(message: FromRootsThread): void {
    if (this.isClosing) return;
    if (message.kind === 'head') this.events.onHead(message.head);
    else this.events.onRoot(message.root);
  }

  protected override onError(error: Error): void {
    this.events.onFatal(error);
  }
}
