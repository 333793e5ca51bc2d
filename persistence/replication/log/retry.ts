/** Repeats an attempt until it succeeds. A `JournalError` or an assertion says that trying again is of no use. */
import { AssertionError } from '../../../engine/base/assert.js';
import { messageOf } from '../../../engine/base/attempt.js';
import { JournalError } from '../../errors.js';

export class Retry {
  /** `onTrouble` gets the reason of each failure, and null at each end. */
  constructor(
    private readonly pause: () => Promise<void>,
    private readonly onTrouble: (reason: string | null) => void,
  ) {}

  /** Throws a `JournalError` or an assertion of `attempt`. */
  async until<T>(attempt: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await attempt();
        this.onTrouble(null);
        return result;
      } catch (thrown) {
        if (thrown instanceof JournalError || thrown instanceof AssertionError) {
          this.onTrouble(null);
          throw thrown;
        }
        this.onTrouble(messageOf(thrown));
      }
      await this.pause();
    }
  }
}

/**
 * Troubles of activities side by side: one that succeeds does not end another's. One reason is told at a time, and once,
 * null once none is left.
 */
export class Troubles {
  readonly #reasons = new Map<string, string>();
  #told: string | null = null;

  constructor(private readonly tell: (reason: string | null) => void) {}

  /** null for no trouble. */
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
