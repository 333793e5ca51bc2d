/**
 * Answers questions once the archive has come as far as they need, or refuses after a while. It knows nothing of
 * threads.
 */
import type { ArchiveAnswer, ArchiveQuestion, ArchiveRefusal } from '../../../engine/model/archive-reads.js';
import type { ArchiveReader } from './reader.js';

/** A server that has just started has yet to open the archive. */
export const WAIT_MS_MAX = 5_000;

const BEHIND: ArchiveRefusal = {
  refused: 'archive_behind',
  detail: 'the newest events are not stored yet; try again',
};
const UNAVAILABLE: ArchiveRefusal = {
  refused: 'archive_unavailable',
  detail: 'older data cannot be read now; try again later',
};

export type AnsweringReader = Pick<ArchiveReader, 'answer' | 'takeUnfinished' | 'close'>;

interface Waiting {
  readonly question: ArchiveQuestion;
  readonly untilMs: number;
  readonly tell: (answer: ArchiveAnswer) => void;
}

interface WaitingParts {
  /** null if the archive's writer has to make or convert it first. May throw. */
  readonly open: () => AnsweringReader | null;
  readonly nowMs: () => number;
  /** Asks the archive's writer to reach this command soon. */
  readonly hurry: (seq: number) => void;
  /** Soon, behind the questions that have come meanwhile. */
  readonly schedule: (lookAgain: () => void) => void;
  readonly note: (thrown: unknown) => void;
}

export class WaitingQuestions {
  #reader: AnsweringReader | null = null;
  #waiting: Waiting[] = [];
  #isScheduled = false;

  constructor(private readonly parts: WaitingParts) {}

  /** The next question stops waiting then; null if none waits. */
  get nextEndMs(): number | null {
    return this.#waiting[0]?.untilMs ?? null;
  }

  ask(question: ArchiveQuestion, tell: (answer: ArchiveAnswer) => void): void {
    const waiting = { question, untilMs: this.parts.nowMs() + WAIT_MS_MAX, tell };
    if (this.#tellIfReached(waiting)) return;
    this.#waiting.push(waiting);
    if (!this.#goOn()) this.parts.hurry(question.reachedSeq);
  }

  /** Call it when the archive has grown, or time has passed. */
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

  /** Call it when the archive may be another file. */
  forget(): void {
    this.#reader?.close();
    this.#reader = null;
  }

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
