/** Refusals of the API: a code of the one registry and a sentence for people. */
import { ERROR_STATUS, type ErrorCode, errorText } from '../../engine/model/errors.js';

/** A refusal on its way to the client. A class of its own, so that it is told from a result by `instanceof`. */
export class Refused {
  readonly status: number;
  /** The envelope of a failure. */
  readonly body: string;

  /** `detail` is '' where the code alone is the answer. */
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
  ) {
    this.status = ERROR_STATUS[code];
    this.body = `{"success":false,"error":${JSON.stringify(errorText(code, detail))}}`;
  }
}

/** 400 `invalid_request`; `detail` names the field and says what was expected. */
export const invalid = (detail: string): Refused => new Refused('invalid_request', detail);
