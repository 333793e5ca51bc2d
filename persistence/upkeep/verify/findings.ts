/** The faults that `verify` finds, each with its file, position and description. */
import { isPassing, JournalError } from '../../errors.js';

export type Part =
  | 'journal'
  | 'mark'
  | 'secret'
  | 'replay'
  | 'conservation'
  /** A Merkle root on record is not that of its round's bets. */
  | 'root'
  /** A signature of a Merkle root is none of the key that it names. */
  | 'signature'
  /** The journal is not the one of a signed head. */
  | 'head'
  | 'snapshot'
  | 'archive';

export interface Fault {
  readonly part: Part;
  /** '' if the fault is not about a single file. */
  readonly file: string;
  /** The sequence number of the fault, or the one before it; null if there is none. */
  readonly seq: number | null;
  readonly what: string;
}

/** Further faults of a part are only counted. */
const KEPT_OF_PART_MAX = 20;

export class Findings {
  readonly faults: Fault[] = [];
  /** Sentences on parts that could not be checked. */
  readonly notes: string[] = [];
  readonly #countOf = new Map<Part, number>();

  fault(part: Part, file: string, seq: number | null, what: string): void {
    const count = (this.#countOf.get(part) ?? 0) + 1;
    this.#countOf.set(part, count);
    if (count <= KEPT_OF_PART_MAX) this.faults.push({ part, file, seq, what });
  }

  /** null if it cannot be read, which is a fault of the part. Throws what `isPassing`. */
  read<T>(part: Part, file: string, read: () => T): T | null {
    try {
      return read();
    } catch (thrown) {
      if (!(thrown instanceof JournalError) || isPassing(thrown)) throw thrown;
      this.fault(part, file, null, thrown.message);
      return null;
    }
  }

  note(sentence: string): void {
    this.notes.push(sentence);
  }

  /** Includes faults that are not kept. */
  get count(): number {
    return [...this.#countOf.values()].reduce((sum, count) => sum + count, 0);
  }

  has(part: Part): boolean {
    return this.#countOf.has(part);
  }
}
