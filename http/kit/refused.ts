/**
 * The one way to refuse a request, in both APIs. Code that reads a request throws a `Refused`, and the caller of the
 * handler answers with it. The frequent ones (moved odds, a reached limit, a wrong key) are sent without throwing.
 */
import { type ArchiveAnswer, type ArchiveRefusal, isRefusal } from '../../engine/model/archive-reads.js';
import { ERROR_STATUS, type ErrorCode, errorText } from '../../engine/model/errors.js';
import type { HeaderList } from '../../engine/model/ports.js';

/** Nothing was changed. No `Error`: it would take down the stack each time. */
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

export function refuse(code: ErrorCode, detail: string): never {
  throw new Refused(code, detail);
}

/** `detail` names the field and says what was expected. */
export const invalid = (detail: string): Refused => new Refused('invalid_request', detail);

export function refuseInvalid(detail: string): never {
  throw invalid(detail);
}

export const NOT_FOUND = new Refused('not_found', 'no such path');
export const UPGRADE_REQUIRED = new Refused('upgrade_required', 'the stream is a WebSocket of version 13', [
  'Upgrade',
  'websocket',
  'Sec-WebSocket-Version',
  '13',
]);

/** A programming error, which was logged with this id. */
export const internalError = (requestId: string): Refused =>
  new Refused('internal_error', `an error of the server, logged as ${requestId}`);

/** An operator has to act where the archive cannot be read. */
export const refusedBy = ({ refused, detail }: ArchiveRefusal): Refused =>
  new Refused(refused, detail, ['Retry-After', refused === 'archive_unavailable' ? '60' : '1']);

/** `read` is one of `ArchiveReads`. A refusal is thrown. */
export const readArchive = <Q, A extends ArchiveAnswer>(
  read: (question: Q, tell: (told: A | ArchiveRefusal) => void) => void,
  question: Q,
): Promise<A> =>
  new Promise((resolve, reject) =>
    read(question, (told) => (isRefusal(told) ? reject(refusedBy(told)) : resolve(told as A))),
  );
