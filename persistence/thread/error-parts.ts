/** An error as plain data, to cross between threads: structured cloning drops its class and its code. */
import { messageOf } from '../../engine/base/attempt.js';
import { codeOf, JournalError, type JournalErrorCode } from '../errors.js';

export interface ErrorParts {
  readonly name: string;
  readonly code: string;
  readonly message: string;
  readonly stack: string;
  readonly cause: ErrorParts | null;
  readonly isJournalError: boolean;
}

const CAUSES_MAX = 4;

export function toErrorParts(thrown: unknown, depth = 0): ErrorParts {
  const error = thrown instanceof Error ? thrown : null;
  const hasCause = error?.cause !== undefined && depth < CAUSES_MAX;
  return {
    name: error?.name ?? 'Error',
    code: codeOf(thrown),
    message: messageOf(thrown),
    stack: error?.stack ?? '',
    cause: hasCause ? toErrorParts(error.cause, depth + 1) : null,
    isJournalError: thrown instanceof JournalError,
  };
}

/** With the class, code and stack that it had in its thread. */
export function fromErrorParts(parts: ErrorParts): Error {
  const options = parts.cause === null ? {} : { cause: fromErrorParts(parts.cause) };
  const error = parts.isJournalError
    ? new JournalError(parts.code as JournalErrorCode, parts.message, options)
    : Object.assign(new Error(parts.message, options), { name: parts.name, code: parts.code });
  error.stack = parts.stack;
  return error;
}
