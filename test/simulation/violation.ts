/** An invariant that does not hold, with what it is about, so that the trace can be cut down to that. */
export class Violation extends Error {
  override readonly name = 'Violation';

  /** `about` holds words that stand in the trace's lines of the account, round or bet concerned. */
  constructor(
    readonly invariant: string,
    sentence: string,
    readonly about: readonly string[] = [],
  ) {
    super(`${invariant}: ${sentence}`);
  }
}

/** Holds an invariant; the sentence is only made where it does not hold. */
export function check(
  condition: boolean,
  invariant: string,
  sentence: () => string,
  about: () => readonly string[] = () => [],
): asserts condition {
  if (!condition) throw new Violation(invariant, sentence(), about());
}
