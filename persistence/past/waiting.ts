/**
 * Questions and when they are answered: at once, when the archive has come as far as they need, or, after a while, with a
 * refusal. It knows nothing of threads.
 */
import type { ArchiveAnswer, ArchiveQuestion, ArchiveRefusal } from '../../engine/model/archive-reads.js';

/** How long a question waits for the archive: when a server has just started, it is yet to be opened. */
export const WAIT_MS_MAX = 5_000;

const BEHIND: ArchiveRefusal = {
  refused: 'archive_behind',
  detail: 'the newest events are not stored yet; try again',
};
const UNAVAILABLE: ArchiveRefusal = {
  refused: 'archive_unavailable',
  detail: 'older data cannot be read now; try again later',
};

export interface AnsweringReader {
  /** null if the archive has not come as far as the question needs. May throw. */
  answer(question: ArchiveQuestion): { readonly answer: ArchiveAnswer } | null;
  /** Whether an answer since the last call needs more work, and nothing to wait for. */
  takeUnfinished(): boolean;
  close(): void;
}

interface Waiting {
  readonly question: ArchiveQuestion;
  readonly untilMs: number;
  readonly tell: (answer: ArchiveAnswer) => void;
}

export interface WaitingParts {
  /** Opens the archive as it is now; null if whoever writes it has to make or convert it first. May throw. */
  readonly open: () => AnsweringReader | null;
  readonly nowMs: () => number;
  /** Asks whoever writes the archive to come as far as this command soon. */
  readonly hurry: (seq: number) => void;
  /** Calls `lookAgain` soon, behind the questions that have come meanwhile. */
  readonly schedule: (lookAgain: () => void) => void;
  /** Says what went wrong, to operators. */
  readonly note: (thrown: unknown) => void;
}

export class WaitingQuestions {
  #reader: AnsweringReader | null = null;
  #waiting: Waiting[] = [];
  #isScheduled = false;

  constructor(private readonly parts: WaitingParts) {}

  /** When the next of them stops waiting; null if none waits. */
  get nextEndMs(): number | null {
    return this.#waiting[0]?.untilMs ?? null;
  }

  ask(question: ArchiveQuestion, tell: (answer: ArchiveAnswer) => void): void {
    const waiting = { question, untilMs: this.parts.nowMs() + WAIT_MS_MAX, tell };
    if (this.#tellIfReached(waiting)) return;
    this.#waiting.push(waiting);
    if (!this.#goOn()) this.parts.hurry(question.reachedSeq);
  }

  /** The archive has grown, or time has passed. */
  lookAgain(): void {
    const nowMs = this.parts.nowMs();
    this.#waiting = this.#waiting.filter((waiting) => {
      if (this.#tellIfReached(waiting)) return false;
      if (waiting.untilMs > nowMs) return true;
      waiting.tell(BEHIND);
      return false;
    });
    this.#goOn();
  }

  /** Goes on soon with an answer that is being worked out. Returns whether one is. */
  #goOn(): boolean {
    const isUnfinished = this.#reader?.takeUnfinished() ?? false;
    if (isUnfinished && !this.#isScheduled) {
      this.#isScheduled = true;
      this.parts.schedule(() => {
        this.#isScheduled = false;
        this.lookAgain();
      });
    }
    return isUnfinished;
  }

  /** The archive may be another file by now. */
  forget(): void {
    this.#reader?.close();
    this.#reader = null;
  }

  /** Nobody waits after this. */
  close(): void {
    for (const { tell } of this.#waiting) tell(BEHIND);
    this.#waiting = [];
    this.forget();
  }

  #tellIfReached({ question, tell }: Waiting): boolean {
    try {
      this.#reader ??= this.parts.open();
      const found = this.#reader?.answer(question) ?? null;
      if (found === null) return false;
      tell(found.answer);
    } catch (thrown) {
      this.forget();
      this.parts.note(thrown);
      tell(UNAVAILABLE);
    }
    return true;
  }
}
