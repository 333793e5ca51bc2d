/**
 * The event loop's side of the shadow's thread (`worker.ts`), with its last status. Nothing ever waits for it except a clean
 * stop of the server, and that not for long: it gives up a snapshot in progress.
 */
import { unreachable } from '../../engine/base/assert.js';
import type { RefusedAt } from '../../engine/model/operators.js';
import { fromErrorParts } from '../journal/messages.js';
import { Thread } from '../thread/thread.js';
import {
  type FromShadow,
  type ShadowNews,
  type ShadowOptions,
  type ShadowStatus,
  STATUS_AT_START,
  type ToShadow,
} from './messages.js';

/** How long a clean stop waits for the present step of the shadow; then the thread is terminated. */
const CLOSE_MS_MAX = 1_000;

export interface ShadowEvents {
  /** The server's engine or the shadow's is wrong: the process must end. */
  onDiverged(error: Error): void;
  /** A sentence that an operator should read once. */
  onNote(text: string): void;
  /** What the shadow has done. */
  onNews(news: ShadowNews): void;
}

export class ShadowThread extends Thread<ToShadow, FromShadow> {
  #status: ShadowStatus = STATUS_AT_START;

  constructor(
    options: ShadowOptions,
    private readonly events: ShadowEvents,
    closeMsMax = CLOSE_MS_MAX,
  ) {
    const file = new URL('./worker.js', import.meta.url);
    super({ file, name: 'shadow', data: options, transferred: [options.past, options.roots], closeMsMax });
  }

  /** The last status of the thread, at most half a second old if it is well. */
  get status(): ShadowStatus {
    return this.#status;
  }

  /** Has it look at the journal now. */
  look(): void {
    if (!this.isClosing) this.post({ kind: 'look' });
  }

  /** For the archive: what was refused at the operator port. While the archive cannot be written, only the log has it. */
  keepRefusals(refused: RefusedAt): void {
    if (!this.isClosing) this.post({ kind: 'refused', refused });
  }

  protected override onMessage(message: FromShadow): void {
    switch (message.kind) {
      case 'status':
        this.#status = message.status;
        break;
      case 'note':
        this.events.onNote(message.text);
        break;
      case 'news':
        this.events.onNews(message.news);
        break;
      case 'diverged':
        this.events.onDiverged(fromErrorParts(message.error));
        break;
      default:
        unreachable(message);
    }
  }

  protected override onError(error: Error): void {
    this.#onEnd(`it ended with an error: ${error.message}`);
  }

  protected override onEnded(exitCode: number): void {
    this.#onEnd(`it ended with code ${exitCode}`);
  }

  /**
   * Without the thread there are no snapshots, but the server goes on. The status says so; a restart starts it again.
   */
  #onEnd(reason: string): void {
    if (this.isClosing || this.#status.state === 'failed') return;
    this.#status = { ...this.#status, state: 'failed', reason };
  }
}
