/** What `verify` finds: faults that name the file, the place in it and what is wrong there. */

export type Part = 'journal' | 'mark' | 'secret' | 'replay' | 'conservation' | 'snapshot' | 'archive';

export interface Fault {
  readonly part: Part;
  /** Path of the file; '' where it is about no single one. */
  readonly file: string;
  /** The sequence number at or after which it is wrong; null where it is about none. */
  readonly seq: number | null;
  /** A sentence for people. */
  readonly what: string;
}

/** Faults that are kept for each part; more are counted only. */
const KEPT_OF_PART_MAX = 20;

export class Findings {
  readonly faults: Fault[] = [];
  /** What could not be checked, and why, in sentences. */
  readonly notes: string[] = [];
  readonly #countOf = new Map<Part, number>();

  fault(part: Part, file: string, seq: number | null, what: string): void {
    const count = (this.#countOf.get(part) ?? 0) + 1;
    this.#countOf.set(part, count);
    if (count <= KEPT_OF_PART_MAX) this.faults.push({ part, file, seq, what });
  }

  note(sentence: string): void {
    this.notes.push(sentence);
  }

  /** All faults, those that are not kept included. */
  get count(): number {
    return [...this.#countOf.values()].reduce((sum, count) => sum + count, 0);
  }

  has(part: Part): boolean {
    return this.#countOf.has(part);
  }
}
