/** Refusals of the API: a code of the one registry and a sentence for people. */
import { ERROR_STATUS, type ErrorCode, errorText } from '../../engine/errors.js';

/** A refusal on its way to the client. A class of its own, so that it is told from a result by `instanceof`. */
export class Refused {
  constructor(
    readonly code: ErrorCode,
    /** '' where the code alone is the answer. */
    readonly detail: string,
  ) {}

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  /** The envelope of a failure. */
  get body(): string {
    return `{"success":false,"error":${JSON.stringify(errorText(this.code, this.detail))}}`;
  }
}

/** 400 `invalid_request`; `detail` names the field and says what was expected. */
export const invalid = (detail: string): Refused => new Refused('invalid_request', detail);
