/** Finds the end of a response. Parsing headers into objects would make the client measure itself. */

export interface Frame {
  status: number;
  bodyAt: number;
  endAt: number;
  /** The server says that it closes the connection after this answer. */
  isLast: boolean;
}

export const INCOMPLETE = 0;
export const COMPLETE = 1;
/** Not an HTTP/1.1 response with a Content-Length. */
export const MALFORMED = 2;
type Framing = typeof INCOMPLETE | typeof COMPLETE | typeof MALFORMED;

const ZERO = 48;
const HEADER_BYTES_MAX = 16_384;
const LENGTH = /\r\ncontent-length: *(\d{1,9})\r\n/i;
/** uWebSockets.js writes it last, in this case. */
const USUAL_LENGTH = Buffer.from('\r\nContent-Length: ');
const LAST = /\r\nconnection: *close\r\n/i;
const USUAL_LAST = Buffer.from('\r\nConnection: close');

/** The response begins at 0 in `bytes` and has arrived up to `end`. */
export function frameHttp(bytes: Buffer, end: number, frame: Frame): Framing {
  const headEnd = bytes.indexOf('\r\n\r\n', 0, 'latin1');
  if (headEnd < 0 || headEnd + 4 > end) return end > HEADER_BYTES_MAX ? MALFORMED : INCOMPLETE;
  const digit = (at: number): number => (bytes[at] as number) - ZERO;
  // "HTTP/1.1 201": the digits stand at 9 to 11.
  frame.status = digit(9) * 100 + digit(10) * 10 + digit(11);
  frame.bodyAt = headEnd + 4;
  const length = contentLength(bytes, headEnd, frame);
  if (length < 0) return MALFORMED;
  frame.endAt = frame.bodyAt + length;
  return end >= frame.endAt ? COMPLETE : INCOMPLETE;
}

function contentLength(bytes: Buffer, headEnd: number, frame: Frame): number {
  const usualAt = bytes.lastIndexOf(USUAL_LENGTH, headEnd);
  const text = usualAt < 0 ? '' : bytes.toString('latin1', usualAt + USUAL_LENGTH.length, headEnd);
  if (/^\d{1,9}$/.test(text)) {
    const lastAt = Math.max(usualAt - USUAL_LAST.length, 0);
    frame.isLast = bytes.compare(USUAL_LAST, 0, USUAL_LAST.length, lastAt, usualAt) === 0;
    return Number(text);
  }
  const head = bytes.toString('latin1', 0, headEnd + 2);
  frame.isLast = LAST.test(head);
  const line = LENGTH.exec(head);
  return line === null ? -1 : Number(line[1]);
}
