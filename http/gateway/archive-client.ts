/** A gateway's questions to the archive's reader, over a port that `start/server.ts` provides. */
import type { MessagePort } from 'node:worker_threads';
import {
  type ArchiveAnswer,
  type ArchiveQuestion,
  type ArchiveReads,
  type ArchiveRefusal,
  type ArchiveRequest,
  type ArchiveResponse,
  archiveReads,
} from '../../engine/model/archive-reads.js';
import { later } from '../kit/client-work.js';

const PENDING_MAX = 64;
const OVERLOADED: ArchiveRefusal = {
  refused: 'overloaded',
  detail: 'too many requests wait for the archive; try again',
};

export class ArchiveClient {
  readonly reads: ArchiveReads = archiveReads((question, tell) => this.#ask(question, tell));
  readonly #pending = new Map<number, (answer: ArchiveAnswer) => void>();
  #asked = 0;

  constructor(private readonly port: MessagePort) {
    port.on('message', ({ id, answer }: ArchiveResponse) => {
      const tell = this.#pending.get(id);
      this.#pending.delete(id);
      tell?.(answer);
    });
  }

  close(): void {
    this.port.close();
  }

  #ask(question: ArchiveQuestion, tell: (answer: ArchiveAnswer) => void): void {
    if (this.#pending.size >= PENDING_MAX) {
      tell(OVERLOADED);
      return;
    }
    this.#asked += 1;
    this.#pending.set(this.#asked, later(tell));
    this.port.postMessage({ id: this.#asked, question } satisfies ArchiveRequest);
  }
}
