/**
 * Checks the rows that a start skips, before its snapshot: a chunk at a time, when the shadow has nothing else to do.
 * A damaged row does no harm now, but what lies before it cannot be shown, and no older snapshot can replace the
 * newest.
 */
import { messageOf } from '../../engine/base/attempt.js';
import type { OldRowsState } from '../../engine/model/shadow-status.js';
import type { DataDir } from '../data-dir/layout.js';
import { codeOf } from '../errors.js';
import { absentPath, readAbsent } from '../journal/segment/absent.js';
import { findSegments, firstSeqOf } from '../journal/segment/names.js';
import { CHUNK_CHARS, rowsOfSegment } from '../journal/segment/segment.js';
import type { Rest } from '../thread/pace.js';

export class OldRowsCheck {
  readonly #faults: string[] = [];
  readonly #steps: Generator<number, void, undefined>;
  #checkedSeq = 0;
  #isDone = false;

  /** Checks up to `endSeq`. `onFault` is called once for each fault. */
  constructor(
    readonly dir: DataDir,
    readonly endSeq: number,
    private readonly onFault: (sentence: string) => void,
    private readonly rest: Rest,
  ) {
    this.#steps = this.#check();
  }

  get state(): OldRowsState {
    const { endSeq } = this;
    return { isDone: this.#isDone, checkedSeq: this.#checkedSeq, endSeq, faults: [...this.#faults] };
  }

  step(): boolean {
    const step = this.#steps.next();
    this.#isDone = step.done === true;
    this.#checkedSeq = step.done === true ? this.endSeq : step.value;
    return !this.#isDone;
  }

  *#check(): Generator<number, void, undefined> {
    const paths = findSegments(this.dir.journal).filter((path) => firstSeqOf(path) <= this.endSeq);
    this.#checkBeginning(findSegments(this.dir.journal)[0]);
    for (const path of paths) yield* this.#checkSegment(path);
  }

  #checkBeginning(first: string | undefined): void {
    const beforeSeq = first === undefined ? 0 : firstSeqOf(first) - 1;
    try {
      const absentSeq = readAbsent(this.dir) ?? 0;
      if (beforeSeq <= absentSeq) return;
      this.#fault(
        `Sequence numbers ${absentSeq + 1} to ${beforeSeq} are missing from the journal and were not pruned (${absentPath(this.dir)}).`,
      );
    } catch (thrown) {
      if (codeOf(thrown) !== 'absent_unreadable') throw thrown;
      this.#fault(messageOf(thrown));
    }
  }

  *#checkSegment(path: string): Generator<number, void, undefined> {
    let chars = 0;
    try {
      for (const { lastSeq, commands } of rowsOfSegment(path)) {
        this.rest();
        if (lastSeq >= this.endSeq) return;
        chars += commands.length;
        if (chars < CHUNK_CHARS) continue;
        chars = 0;
        yield lastSeq;
      }
    } catch (thrown) {
      // Retention has deleted it meanwhile: no loss.
      if (codeOf(thrown) === 'segment_gone') return;
      if (codeOf(thrown) !== 'journal_corrupt') throw thrown;
      this.#fault(messageOf(thrown));
    }
  }

  #fault(sentence: string): void {
    this.#faults.push(sentence);
    this.onFault(sentence);
  }
}
