/**
 * The requests of a run: the templates round-robin, each with the next serial number written into its bytes. The
 * bytes are reused, so they must be sent before the next request is taken.
 */
import { assert } from '../../engine/base/assert.js';
import { type RequestTemplate, SERIAL_DIGITS } from './job.js';

const ZERO = 48;

export class Requests {
  readonly #bytes: readonly Buffer[];
  readonly #serialAt: Int32Array;
  #next = 0;
  #serial: number;
  #sent = 0;

  constructor(templates: readonly RequestTemplate[], firstSerial: number) {
    assert(templates.length > 0, 'a run needs a request');
    this.#bytes = templates.map(({ text }) => Buffer.from(text, 'latin1'));
    this.#serialAt = Int32Array.from(templates, ({ serialAt }) => serialAt);
    this.#serial = firstSerial;
  }

  get template(): number {
    return this.#next;
  }

  get sent(): number {
    return this.#sent;
  }

  get nextSerial(): number {
    return this.#serial;
  }

  /** Good until the next call. */
  take(): Buffer {
    const bytes = this.#bytes[this.#next] as Buffer;
    const serialAt = this.#serialAt[this.#next] as number;
    if (serialAt >= 0) {
      let rest = this.#serial;
      for (let at = serialAt + SERIAL_DIGITS - 1; at >= serialAt; at -= 1) {
        const tenth = Math.floor(rest / 10);
        bytes[at] = ZERO + rest - tenth * 10;
        rest = tenth;
      }
      this.#serial += 1;
    }
    this.#sent += 1;
    this.#next = this.#next + 1 === this.#bytes.length ? 0 : this.#next + 1;
    return bytes;
  }
}
