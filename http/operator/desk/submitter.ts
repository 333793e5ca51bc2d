/**
 * Submits the commands of operators with who sent them and why, so that no question can change anything without saying so in
 * the journal. A question is answered in one go, or notes at its beginning in whose name it goes on.
 */
import type { Sequencer } from '../../../engine/host/sequencer.js';
import type { Outcome } from '../../../engine/model/events.js';
import type { By, OperatorCommand } from '../../../engine/model/operators.js';
import type { EngineReads } from '../../../engine/model/views.js';

export class Submitter {
  #by: By | null = null;

  constructor(private readonly sequencer: Pick<Sequencer, 'engine' | 'stampMs' | 'submit'>) {}

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

  submit(command: OperatorCommand): Outcome {
    return this.sequencer.submit(this.#by === null ? command : { ...command, by: this.#by });
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
