/**
 * Orders as nearly all clients send them: op, id, perhaps an Idempotency-Key, then the order in its usual form. They
 * are read from their bytes, without a value of JSON. `readRequest` reads the same from them, and anything else.
 */
import { asciiText, type ParsedOrder, parseUsual } from '../api/order-request.js';

export interface UsualOrder {
  readonly op: 'order';
  readonly id: number;
  readonly idempotencyKey?: string;
  readonly content: ParsedOrder;
}

const encoder = new TextEncoder();
/** The pieces before id, key and order, with spaces as JavaScript or Python writes them. */
const FORMS = ['', ' '].map((gap) => ({
  beforeId: encoder.encode(`{"op":${gap}"order",${gap}"id":${gap}`),
  beforeKey: encoder.encode(`,${gap}"idempotencyKey":${gap}"`),
  beforeOrder: encoder.encode(`,${gap}"order":${gap}`),
}));

const ZERO = 0x30;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const CLOSING_BRACE = 0x7d;
/** Ids with more digits may be too large. */
const ID_DIGITS_MAX = 9;

export function readUsualOrder(bytes: Uint8Array): UsualOrder | null {
  for (const { beforeId, beforeKey, beforeOrder } of FORMS) {
    const idAt = behind(bytes, 0, beforeId);
    if (idAt < 0) continue;
    const idEnd = endOfDigits(bytes, idAt);
    const id = idOf(bytes, idAt, idEnd);
    if (id < 0) return null;
    const keyAt = behind(bytes, idEnd, beforeKey);
    const keyEnd = keyAt < 0 ? idEnd : endOfKey(bytes, keyAt);
    if (keyEnd < 0) return null;
    const orderAt = behind(bytes, keyAt < 0 ? keyEnd : keyEnd + 1, beforeOrder);
    const end = bytes.length - 1;
    if (orderAt < 0 || bytes[end] !== CLOSING_BRACE) return null;
    const content = parseUsual(bytes.subarray(orderAt, end));
    if (content === null) return null;
    return keyAt < 0
      ? { op: 'order', id, content }
      : { op: 'order', id, idempotencyKey: asciiText(bytes, keyAt, keyEnd), content };
  }
  return null;
}

/** The end of a piece that begins at `at`; -1 if it is another one. */
function behind(bytes: Uint8Array, at: number, piece: Uint8Array): number {
  for (let of = 0; of < piece.length; of++) if (bytes[at + of] !== piece[of]) return -1;
  return at + piece.length;
}

function endOfDigits(bytes: Uint8Array, at: number): number {
  while ((bytes[at] as number) >= ZERO && (bytes[at] as number) < ZERO + 10) at++;
  return at;
}

/** -1 if it is no number of JSON, or has many digits. */
function idOf(bytes: Uint8Array, at: number, end: number): number {
  const digits = end - at;
  if (digits === 0 || digits > ID_DIGITS_MAX || (digits > 1 && bytes[at] === ZERO)) return -1;
  let id = 0;
  for (; at < end; at++) id = id * 10 + (bytes[at] as number) - ZERO;
  return id;
}

/** The position of the quote behind a text of visible ASCII; -1 for any other text. */
function endOfKey(bytes: Uint8Array, at: number): number {
  for (; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) return at;
    if (byte < 0x21 || byte > 0x7e || byte === BACKSLASH) return -1;
  }
  return -1;
}
