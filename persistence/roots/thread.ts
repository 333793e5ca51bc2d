/** The event loop's side of the thread that makes roots (`worker.ts`). */
import type { SignedHead } from '../../engine/proofs/statements.js';
import { fromErrorParts } from '../journal/messages.js';
import { type CloseMessage, Thread } from '../thread/thread.js';
import type { FromRootsThread, MadeRoot, RootsOptions } from './messages.js';

export interface RootsEvents {
  onRoot(root: MadeRoot): void;
  onHead(head: SignedHead): void;
  /** The journal has another root than that of its bets: the process must end. */
  onDiverged(error: Error): void;
  onFatal(error: unknown): void;
}

export class RootsThread extends Thread<CloseMessage, FromRootsThread> {
  constructor(
    options: RootsOptions,
    private readonly events: RootsEvents,
  ) {
    const file = new URL('./worker.js', import.meta.url);
    super({ file, name: 'roots', data: options, transferred: [options.shadow] });
  }

  protected override onMessage(message: FromRootsThread): void {
    if (message.kind === 'diverged') this.events.onDiverged(fromErrorParts(message.error));
    else if (this.isClosing) return;
    else if (message.kind === 'head') this.events.onHead(message.head);
    else this.events.onRoot(message.root);
  }

  protected override onError(error: Error): void {
    this.events.onFatal(error);
  }
}
