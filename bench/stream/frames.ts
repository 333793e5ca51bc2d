/** WebSocket frames as a client of a run needs them: texts to send, and the beginnings of the texts that arrive. */
import { Buffer } from 'node:buffer';

const TEXT = 0x81;
const MASKED = 0x80;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
/** So much of a text is kept: its type, number and time stand there. */
const HEAD_BYTES = 96;

/** A text of a client. The mask is 0, so the bytes stay as they are. */
export function frameOf(text: string): Buffer {
  const payload = Buffer.from(text);
  const short = payload.length < LENGTH_16;
  const head = Buffer.alloc((short ? 2 : 4) + 4);
  head[0] = TEXT;
  head[1] = MASKED | (short ? payload.length : LENGTH_16);
  if (!short) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** Finds the frames in what arrives, which may be cut anywhere. Calls back with the first bytes of each. */
export class FrameReader {
  #held: Buffer | null = null;
  /** Bytes of the present text that are still to come and are skipped. */
  #skip = 0;

  constructor(private readonly onFrame: (head: string) => void) {}

  feed(chunk: Buffer): void {
    let rest = this.#held === null ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = null;
    while (rest.length > 0) {
      const skipped = Math.min(this.#skip, rest.length);
      this.#skip -= skipped;
      rest = rest.subarray(skipped);
      const used = this.#begin(rest);
      if (used === 0) {
        if (rest.length > 0) this.#held = rest;
        return;
      }
      rest = rest.subarray(used);
    }
  }

  /** Reads the beginning of a frame; returns how many bytes of it, or 0 if not enough have arrived. */
  #begin(bytes: Buffer): number {
    if (bytes.length < 2) return 0;
    const code = (bytes[1] as number) & 0x7f;
    const headBytes = code === LENGTH_16 ? 4 : code === LENGTH_64 ? 10 : 2;
    if (bytes.length < headBytes) return 0;
    const length =
      code === LENGTH_16
        ? bytes.readUInt16BE(2)
        : code === LENGTH_64
          ? Number(bytes.readBigUInt64BE(2))
          : code;
    const kept = Math.min(length, HEAD_BYTES);
    if (bytes.length < headBytes + kept) return 0;
    this.#skip = length - kept;
    this.onFrame(bytes.toString('latin1', headBytes, headBytes + kept));
    return headBytes + kept;
  }
}
