/** The engine's side of the replication's thread (`worker.ts`). Nothing here waits. */
import { JournalError } from '../errors.js';
import { fromErrorParts } from '../thread/error-parts.js';
import { endedText, startThread, Thread } from '../thread/thread.js';
import type { FromReplication, ReplicationOptions, ToReplication } from './messages.js';

const CLOSE_MS_MAX = 2_000;

export interface ReplicationEvents {
  onMessage(message: Exclude<FromReplication, { kind: 'failed' }>): void;
  onFailure(error: Error): void;
}

export interface ReplicationLink {
  post(message: ToReplication): void;
  close(): Promise<void>;
}

export class ReplicationThread extends Thread<ToReplication, FromReplication> implements ReplicationLink {
  #hasFailed = false;

  constructor(
    options: ReplicationOptions,
    private readonly events: ReplicationEvents,
  ) {
    const file = new URL('./worker.js', import.meta.url);
    super(() => startThread({ file, name: 'replication', data: options }), CLOSE_MS_MAX);
    this.begin();
    // Node waits for one thread after the other: for the journal's, whose disk hangs, perhaps before it ends this one.
    process.on('exit', () => void this.close());
  }

  get #isOver(): boolean {
    return this.#hasFailed || this.isClosing;
  }

  protected override onMessage(message: FromReplication): void {
    if (message.kind === 'failed') this.onError(fromErrorParts(message.error));
    else if (!this.#isOver) this.events.onMessage(message);
  }

  protected override onEnded(exitCode: number): void {
    this.onError(new JournalError('replication_thread_ended', endedText('replicates', exitCode)));
  }

  protected override onError(error: Error): void {
    if (this.#isOver) return;
    this.#hasFailed = true;
    this.events.onFailure(error);
  }
}
