/** An error that is no mistake in the program. Its message is a sentence for operators, who need no stack. */
export class KnownError extends Error {
  constructor(
    /** The name by which documents call it. */
    readonly code: string,
    sentence: string,
    options?: ErrorOptions,
  ) {
    super(sentence, options);
  }
}
