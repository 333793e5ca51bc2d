/** Bodies of public data, and how long each stands for the data that it was built from. */
import { constants, gzipSync } from 'node:zlib';
import { type Compressor, TaggedBody } from '../kit/tagged-body.js';

const HEADERS = {
  content: '\r\nContent-Type: application/json',
  // A key's owner may keep it, and asks each time whether it still holds.
  caching: '\r\nCache-Control: private, no-cache',
};

/**
 * At once, because the data may be others by the time a thread were ready. Brotli at the qualities that take no longer
 * makes nothing smaller.
 */
const COMPRESSOR: Compressor = {
  codings: ['gzip'],
  compress: (bytes, _coding, done) => done(gzipSync(bytes, { level: constants.Z_BEST_SPEED })),
};

export const publicBody = (bytes: Uint8Array): TaggedBody => new TaggedBody(bytes, HEADERS, COMPRESSOR);

/** A body with the time and the version of the data at which it was built. */
export class CachedBody {
  #body: TaggedBody | null = null;
  #madeAtMs = Number.NEGATIVE_INFINITY;
  #version = -1;

  /** The body if it is fresh. Within the millisecond in which it was built, the version decides. */
  get(nowMs: number, version: number, ageMsMax: number): TaggedBody | null {
    const ageMs = nowMs - this.#madeAtMs;
    const isFresh = ageMs > 0 ? ageMs < ageMsMax : ageMs === 0 && this.#version === version;
    return isFresh ? this.#body : null;
  }

  set(bytes: Uint8Array, nowMs: number, version: number): TaggedBody {
    const body = publicBody(bytes);
    this.#body = body;
    this.#madeAtMs = nowMs;
    this.#version = version;
    return body;
  }

  invalidate(): void {
    this.#madeAtMs = Number.NEGATIVE_INFINITY;
  }
}
