export class Violation extends Error {
  override readonly name = 'Violation';

  /** `about` has words in the trace's lines of the account, round or bet concerned: the trace is cut down to these. */
  constructor(
    readonly invariant: string,
    sentence: string,
    readonly about: readonly string[] = [],
  ) {
    super(`${invariant}: ${sentence}`);
  }
}

export function check(
  condition: boolean,
  invariant: string,
  sentence: () => string,
  about: () => readonly string[] = () => [],
): asserts condition {
  if (!condition) throw new Violation(invariant, sentence(), about());
}
