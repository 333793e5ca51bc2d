/**
 * Finds the end of a response. Parsing headers into objects would make the client measure itself, so status, body and
 * length are found in the bytes directly, with a plain search if the length is not where uWebSockets.js writes it
 * (last).
 */

/** Parts of a response, as offsets into the framed buffer. */
export interface Frame {
  status: number;
  bodyAt: number;
  endAt: number;
}

export const INCOMPLETE = 0;
export const COMPLETE = 1;
/** Not an HTTP/1.1 response with a Content-Length. */
export const MALFORMED = 2;
export type Framing = typeof INCOMPLETE | typeof COMPLETE | typeof MALFORMED;

const CR = 13;
const LF = 10;
const ZERO = 48;
const HEADER_BYTES_MAX = 16_384;
const LENGTH_NAME = 'content-length: ';
/** Longest "content-length: N" line searched for at the end of the headers. */
const LENGTH_DIGITS_MAX = 9;

/** Frames the response that begins at 0 in `bytes` and has arrived up to `end`. */
export function frameHttp(bytes: Buffer, end: number, frame: Frame): Framing {
  const bodyAt = findBody(bytes, end);
  if (bodyAt < 0) return end > HEADER_BYTES_MAX ? MALFORMED : INCOMPLETE;
  // "HTTP/1.1 201": the digits stand at 9 to 11.
  frame.status = digit(bytes, 9) * 100 + digit(bytes, 10) * 10 + digit(bytes, 11);
  const length = contentLength(bytes, bodyAt);
  if (length < 0) return MALFORMED;
  frame.bodyAt = bodyAt;
  frame.endAt = bodyAt + length;
  return end >= frame.endAt ? COMPLETE : INCOMPLETE;
}

/** Offset after the empty line, or -1. Steps by four: any four consecutive bytes include one of the CRLFCRLF. */
function findBody(bytes: Buffer, end: number): number {
  let at = 3;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte > CR) at += 4;
    else if (byte === LF && bytes[at - 2] === LF && bytes[at - 1] === CR && bytes[at - 3] === CR)
      return at + 1;
    else at += 1;
  }
  return -1;
}

function digit(bytes: Buffer, at: number): number {
  return (bytes[at] as number) - ZERO;
}

function contentLength(bytes: Buffer, bodyAt: number): number {
  // Backwards over the last line's digits, usually those of the length.
  let at = bodyAt - 5;
  let length = 0;
  let unit = 1;
  while (bodyAt - 5 - at < LENGTH_DIGITS_MAX) {
    const value = digit(bytes, at);
    if (value < 0 || value > 9) break;
    length += value * unit;
    unit *= 10;
    at -= 1;
  }
  if (unit > 1 && endsWithLengthName(bytes, at)) return length;
  const line = /\r\ncontent-length: *(\d{1,9})\r\n/i.exec(bytes.toString('latin1', 0, bodyAt));
  return line === null ? -1 : Number(line[1]);
}

/** Whether "\ncontent-length: " ends at `at`, whatever its case. */
function endsWithLengthName(bytes: Buffer, at: number): boolean {
  const from = at - LENGTH_NAME.length + 1;
  if (from < 1 || bytes[from - 1] !== LF) return false;
  for (let index = 0; index < LENGTH_NAME.length; index += 1) {
    if (((bytes[from + index] as number) | 0x20) !== (LENGTH_NAME.charCodeAt(index) | 0x20)) return false;
  }
  return true;
}
