/**
 * The one way to refuse a request, in both APIs: a handler returns a `Refused`. It is returned and not thrown, because
 * refusals are common (odds that moved, a limit that is reached) and a thrown error costs more than the rest of an order.
 */
import { ERROR_STATUS, type ErrorCode, errorText } from '../../engine/model/errors.js';
import type { HeaderList } from '../../engine/model/ports.js';

/** A refusal on its way to the client: nothing was changed. A class, so that `instanceof` tells it from a result. */
export class Refused {
  readonly status: number;
  /** The envelope of a failure. */
  readonly body: string;

  /** `detail`, a sentence for people, is '' where the code alone is the answer; `headers` are those of its own. */
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly headers: HeaderList = [],
  ) {
    this.status = ERROR_STATUS[code];
    this.body = `{"success":false,"error":${JSON.stringify(errorText(code, detail))}}`;
  }
}

/** 400 `invalid_request`; `detail` names the field and says what was expected. */
export const invalid = (detail: string): Refused => new Refused('invalid_request', detail);
