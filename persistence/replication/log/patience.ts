/**
 * Waiting for servers that do not answer: what failed is tried again until it succeeds. That there is trouble is told once,
 * and once that it is over. A `JournalError` says that trying again is of no use, and so does an assertion.
 */
import { AssertionError } from '../../../engine/base/assert.js';
import { JournalError, messageOf } from '../../errors.js';

export class Patience {
  #isInTrouble = false;

  /** `onTrouble` gets the reason of the first failure in a row, and null once nothing is waited for any more. */
  constructor(
    private readonly pause: () => Promise<void>,
    private readonly onTrouble: (reason: string | null) => void,
  ) {}

  /** The result of `attempt`, which is repeated while it throws. Throws a `JournalError` or an assertion of its. */
  async until<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await attempt();
        this.#tell(null);
        return result;
      } catch (thrown) {
        if (thrown instanceof JournalError || thrown instanceof AssertionError) {
          this.#tell(null);
          throw thrown;
        }
        this.#tell(messageOf(thrown));
      }
      await this.pause();
    }
  }

  #tell(reason: string | null): void {
    if (this.#isInTrouble === (reason !== null)) return;
    this.#isInTrouble = reason !== null;
    this.onTrouble(reason);
  }
}

/**
 * The troubles of activities that go on side by side: one that succeeds does not end another one's. Told is one reason at a
 * time, and null once none is left.
 */
export class Troubles {
  readonly #reasons = new Map<string, string>();
  #told: string | null = null;

  constructor(private readonly tell: (reason: string | null) => void) {}

  /** Takes the reasons of this activity; null for none. */
  of(activity: string): (reason: string | null) => void {
    return (reason) => {
      if (reason === null) this.#reasons.delete(activity);
      else this.#reasons.set(activity, reason);
      const [first = null] = this.#reasons.values();
      if (first === this.#told) return;
      this.#told = first;
      this.tell(first);
    };
  }
}
