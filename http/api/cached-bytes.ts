/** Bytes that are kept for a while, and when and of what version of the data they were made. */
export class ReadyBytes {
  bytes: Uint8Array = Buffer.alloc(0);
  #madeAtMs = Number.NEGATIVE_INFINITY;
  #version = -1;

  /** Within their millisecond nothing grows old, so there the version counts. */
  isFresh(nowMs: number, version: () => number, ageMsMax: number): boolean {
    const ageMs = nowMs - this.#madeAtMs;
    return ageMs > 0 ? ageMs < ageMsMax : ageMs === 0 && this.#version === version();
  }
  set(bytes: Uint8Array, nowMs: number, version: number): Uint8Array {
    this.bytes = bytes;
    this.#madeAtMs = nowMs;
    this.#version = version;
    return this.bytes;
  }
  markOld(): void {
    this.#madeAtMs = Number.NEGATIVE_INFINITY;
  }
}
