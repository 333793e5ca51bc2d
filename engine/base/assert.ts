/**
 * Assertions are for programming errors. After a failed one the ledger can no longer be trusted, so nothing catches it
 * and the process stops. Bad input is rejected with a code from `errors.ts` instead.
 */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** `message` says what must be true. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Fails an assertion on a hot path, where building the message on every call would cost too much. */
export function fail(message: string): never {
  throw new AssertionError(message);
}

export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionError(`${what} is missing`);
  return value;
}

/** The end of an exhaustive switch: the compiler proves that no case is left. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`);
}
