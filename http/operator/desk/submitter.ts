/**
 * Submits the commands of operators with who sent them and why, so that no question can change anything without saying so in
 * the journal. A question is answered in one go, or notes at its beginning in whose name it goes on.
 */
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { Outcome } from '../../../engine/model/events.js';
import type { By, OperatorCommand, RecordRefusals } from '../../../engine/model/operators.js';
import type { EngineReads } from '../../../engine/model/views.js';

export class Submitter {
  #by: By | null = null;
  #lastSeq: number;

  constructor(private readonly sequencer: Pick<Sequencer, 'engine' | 'stampMs' | 'submit'>) {
    this.#lastSeq = sequencer.engine.seq;
  }

  /** No action of an operator has a higher number than this one. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Whose question is being answered; null where it only reads. */
  get by(): By | null {
    return this.#by;
  }

  get engine(): EngineReads {
    return this.sequencer.engine;
  }

  stampMs(): number {
    return this.sequencer.stampMs();
  }

  submit(command: OperatorCommand | RecordRefusals): Outcome {
    const by = this.#by;
    const isOwn = by === null || command.kind === 'recordRefusals';
    const outcome = this.sequencer.submit(isOwn ? command : { ...command, by });
    this.noteAll();
    return outcome;
  }

  /** The last command so far was an operator's, or may have been. */
  noteAll(): void {
    this.#lastSeq = this.engine.seq;
  }

  /** Runs `answer`, whose commands are `by` somebody. */
  inNameOf<T>(by: By | null, answer: () => T): T {
    this.#by = by;
    try {
      return answer();
    } finally {
      this.#by = null;
    }
  }
}
