/** The event loop's side of the shadow's thread (`worker.ts`), with its last status. Only a clean stop waits for it. */
import { unreachable } from '../../engine/base/assert.js';
import type { RefusedAt } from '../../engine/model/operators.js';
import { type ShadowStatus, STATUS_AT_START } from '../../engine/model/shadow-status.js';
import type { SignedHead } from '../../engine/proofs/statements.js';
import { fromErrorParts } from '../thread/error-parts.js';
import { startThread, Thread } from '../thread/thread.js';
import type { FromShadow, ShadowNews, ShadowOptions } from './messages.js';

/** A clean stop waits this long for the present step, gives up a snapshot in progress, and terminates the thread. */
export const CLOSE_MS_MAX = 1_000;
/** One that follows tells its status each half a second, and none of its steps takes as long. */
const SILENT_MS_MAX = 60_000;

export interface ShadowEvents {
  /** The server's engine or the shadow's is wrong: the process must end. */
  onDiverged(error: Error): void;
  onNote(text: string): void;
  onNews(news: ShadowNews): void;
  onHead(head: SignedHead): void;
}

export class ShadowThread extends Thread<RefusedAt, FromShadow> {
  #status: ShadowStatus = STATUS_AT_START;
  /** Monotonic: when it began, or last told its status. */
  #toldAtMs = Number.POSITIVE_INFINITY;

  constructor(
    options: ShadowOptions,
    private readonly events: ShadowEvents,
    closeMsMax = CLOSE_MS_MAX,
    private readonly silentMsMax = SILENT_MS_MAX,
  ) {
    const file = new URL('./worker.js', import.meta.url);
    const transferred = [options.reader];
    super(() => startThread({ file, name: 'shadow', data: options, transferred }), closeMsMax);
  }

  override begin(): void {
    this.#toldAtMs = performance.now();
    super.begin();
  }

  /** At most half a second old if the thread is well. One that has failed is silent until it tries again. */
  get status(): ShadowStatus {
    const silentMs = performance.now() - this.#toldAtMs;
    if (this.#status.state === 'failed' || silentMs < this.silentMsMax) return this.#status;
    const reason = `its thread has told nothing for ${Math.floor(silentMs / 1_000)} s: the disk of archive or snapshots may hang`;
    return { ...this.#status, state: 'failed', reason };
  }

  /** For the archive. While it cannot be written, only the log has them. */
  keepRefusals(refused: RefusedAt): void {
    if (!this.isClosing) this.post(refused);
  }

  protected override onMessage(message: FromShadow): void {
    switch (message.kind) {
      case 'status':
        this.#status = message.status;
        this.#toldAtMs = performance.now();
        break;
      case 'note':
        this.events.onNote(message.text);
        break;
      case 'news':
        this.events.onNews(message.news);
        break;
      case 'head':
        this.events.onHead(message.head);
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

  /** Without the thread there are no snapshots until a restart, but the server goes on. The status says so. */
  #onEnd(reason: string): void {
    if (this.isClosing || this.#status.state === 'failed') return;
    this.#status = { ...this.#status, state: 'failed', reason };
  }
}
