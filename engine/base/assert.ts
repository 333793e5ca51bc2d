/**
 * Programming errors. A failed assertion means that the ledger can no longer be trusted, so nothing catches
 * it: it leaves the engine, and the process stops (design, "Faults"). Bad input is never an assertion; it is a
 * rejection with a code of `errors.ts`.
 */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Throws when `condition` does not hold; `message` says what must be true. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** The failed branch of an assertion on a hot path, where making the message on every call would cost more than the check. */
export function fail(message: string): never {
  throw new AssertionError(message);
}

/** `value`, which must be there; `what` names it in the error. */
export function must<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new AssertionError(`${what} is missing`);
  return value;
}

/** The end of an exhaustive switch: the compiler proves that no case is left. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`);
}
