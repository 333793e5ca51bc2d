/**
 * The one way to refuse a request, in both APIs. A handler of the public API returns a `Refused`: refusals are common
 * there (moved odds, a reached limit), and throwing costs more than the rest of an order. Handlers of the operator API
 * await what they need, and throw it (`Refusal`).
 */
import { type ArchiveAnswer, type ArchiveRefusal, isRefusal } from '../../engine/model/archive-reads.js';
import { ERROR_STATUS, type ErrorCode, errorText } from '../../engine/model/errors.js';
import type { HeaderList } from '../../engine/model/ports.js';

/** Nothing was changed. A class, so that `instanceof` tells it from a result. */
export class Refused {
  readonly status: number;
  /** JSON of the failure envelope. */
  readonly body: string;

  /**
   * `detail` is a sentence for people, or '' if the code says it all. `extension` is JSON of further members of the
   * envelope, each behind a comma, or ''.
   */
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly headers: HeaderList = [],
    readonly extension = '',
  ) {
    this.status = ERROR_STATUS[code];
    this.body = `{"success":false,"error":${JSON.stringify(errorText(code, detail))}${extension}}`;
  }
}

/** Ends a function that awaits. */
export class Refusal extends Error {
  constructor(readonly refused: Refused) {
    super(errorText(refused.code, refused.detail));
  }
}

export function refuse(code: ErrorCode, detail: string): never {
  throw new Refusal(new Refused(code, detail));
}

export function unlessRefused<T>(value: T | Refused): T {
  if (value instanceof Refused) throw new Refusal(value);
  return value;
}

/** `detail` names the field and says what was expected. */
export const invalid = (detail: string): Refused => new Refused('invalid_request', detail);

export const refuseInvalid = (detail: string): never => refuse('invalid_request', detail);

/** A programming error, which was logged with this id. */
export const internalError = (requestId: string): Refused =>
  new Refused('internal_error', `an error of the server, logged as ${requestId}`);

export const refusedBy = ({ refused, detail }: ArchiveRefusal): Refused =>
  new Refused(refused, detail, ['Retry-After', '1']);

/** `ask` is one of `ArchiveReads`. A refusal is thrown. */
export const readPast = <A extends ArchiveAnswer>(
  ask: (tell: (told: A | ArchiveRefusal) => void) => void,
): Promise<A> =>
  new Promise((resolve, reject) =>
    ask((told) => (isRefusal(told) ? reject(new Refusal(refusedBy(told))) : resolve(told as A))),
  );
