/** Cached bytes, with the time and the version of the data at which they were built. */
export class CachedBytes {
  bytes: Uint8Array = Buffer.alloc(0);
  #madeAtMs = Number.NEGATIVE_INFINITY;
  #version = -1;

  /** Within the millisecond in which the bytes were built, their version decides. */
  isFresh(nowMs: number, version: number, ageMsMax: number): boolean {
    const ageMs = nowMs - this.#madeAtMs;
    return ageMs > 0 ? ageMs < ageMsMax : ageMs === 0 && this.#version === version;
  }
  set(bytes: Uint8Array, nowMs: number, version: number): Uint8Array {
    this.bytes = bytes;
    this.#madeAtMs = nowMs;
    this.#version = version;
    return this.bytes;
  }
  invalidate(): void {
    this.#madeAtMs = Number.NEGATIVE_INFINITY;
  }
}
