/**
 * A body that many requests get: its entity tag and its compressed form are made once, not for every request. Each
 * form has a strong tag of its own (RFC 9110, section 8.8.3), which follows from the bytes alone: every gateway has the
 * same, and so has the server after a restart.
 */
import { hash } from 'node:crypto';
import { flattenString } from '../../engine/base/flatten-string.js';
import type { HeaderBlock } from '../../engine/model/ports.js';
import { acceptsGzip } from './accepts-gzip.js';

/** 132 bits of a SHA-256. */
const TAG_LENGTH = 22;
/** Shorter bodies fit one packet as they are, so compressing them saves nothing. */
export const COMPRESSED_BYTES_MIN = 1_400;

/** Both heads are the last lines of a head, each after a line end. */
interface BodyForm {
  readonly bytes: Uint8Array;
  /** With quotes. */
  readonly etag: string;
  readonly head: HeaderBlock;
  /** For a client that has this form. */
  readonly notModifiedHead: HeaderBlock;
}

/** Calls `done` with the bytes in gzip, at once or later; never if it does not succeed. */
export type Compress = (bytes: Uint8Array, done: (compressed: Uint8Array) => void) => void;

interface BodyHeaders {
  /** Describe the body; in answers with a body alone. */
  readonly content: HeaderBlock;
  /** How long the body may be kept; in a 304, too. */
  readonly caching: HeaderBlock;
}

export class TaggedBody {
  readonly plain: BodyForm;
  readonly #tag: string;
  /** The plain form until the compressed one is ready; null before it is asked for. */
  #gzip: BodyForm | null = null;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly headers: BodyHeaders,
    private readonly compress: Compress,
  ) {
    this.#tag = hash('sha256', bytes, 'base64url').slice(0, TAG_LENGTH);
    this.plain = this.#form(bytes, `"${this.#tag}"`, '');
  }

  /** `acceptEncoding` is '' if absent. */
  form(acceptEncoding: string): BodyForm {
    const { plain, bytes } = this;
    if (bytes.length < COMPRESSED_BYTES_MIN || !acceptsGzip(acceptEncoding)) return plain;
    if (this.#gzip === null) {
      this.#gzip = plain;
      this.compress(bytes, (compressed) => {
        if (compressed.length < bytes.length)
          this.#gzip = this.#form(compressed, `"${this.#tag}-gzip"`, '\r\nContent-Encoding: gzip');
      });
    }
    return this.#gzip;
  }

  #form(bytes: Uint8Array, etag: string, coded: HeaderBlock): BodyForm {
    const vary = this.bytes.length < COMPRESSED_BYTES_MIN ? '' : '\r\nVary: Accept-Encoding';
    const notModifiedHead = flattenString(`${this.headers.caching}\r\nETag: ${etag}${vary}`);
    const head = flattenString(`${this.headers.content}${coded}${notModifiedHead}`);
    return { bytes, etag, head, notModifiedHead };
  }
}

/** `ifNoneMatch` is '' if absent. Weak tags match, too. */
export function isNamed(etag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch === '') return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
