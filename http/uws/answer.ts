/** Writing an answer to a socket: its head, whether it is buffered, and what happens if there can be none. */
import { Buffer } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import { flattenString } from '../../engine/base/flatten-string.js';
import type { HeadBytes, HeaderBlock, HeaderList } from '../../engine/model/ports.js';
import { headerLines } from '../kit/header-lines.js';
import { internalError } from '../kit/refused.js';
import type { UwsResponse } from './library.js';

export const REPLY_DEADLINE_MS = 30_000;

/**
 * Every answer can be requested again and again, an order's by its Idempotency-Key, and would pile up unread. Those up
 * to this length (characters or bytes) are buffered, except for a random share of them: a client that does not read is
 * noticed after a few kilobytes, and cannot predict by which request.
 */
const BUFFERED_LENGTH_MAX = 2_048;
const UNBUFFERED_SHARE = 1 / 8;
/**
 * An answer without a body does not tell whether it was read: a random share of them ends its connection, before
 * unread ones fill the memory.
 */
const LAST_SHARE = 1 / 128;

const LINE_END = '\r\n';
const STATUS_LINES: readonly string[] = Array.from({ length: 600 }, (_, status) =>
  flattenString(`${status} ${STATUS_CODES[status] ?? 'Unknown'}${LINE_END}`),
);

/**
 * True if the library shall buffer the whole answer, however little of it the socket accepts. Never while closing,
 * which waits until each answer is sent.
 */
export const isBuffered = (body: string | Uint8Array, isClosing: boolean): boolean =>
  body.length <= BUFFERED_LENGTH_MAX && !isClosing && Math.random() >= UNBUFFERED_SHARE;

export const isLastBare = (): boolean => Math.random() < LAST_SHARE;

export function bytesIn(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

/** `more` are further lines, each behind a line end. */
export function headOf(
  status: number,
  headers: HeaderList | HeaderBlock | HeadBytes,
  more = '',
): string | Uint8Array {
  const line = STATUS_LINES[status] ?? '';
  if (typeof headers === 'string') return line + headers + more;
  if (headers instanceof Uint8Array)
    return more === '' ? headers : Buffer.from(headers).toString('latin1') + more;
  return line.slice(0, -LINE_END.length) + headerLines(headers) + more;
}

export function faultAnswer(requestId: string): readonly [head: string | Uint8Array, body: string] {
  const { status, body } = internalError(requestId);
  const headers = [
    'X-Request-Id',
    requestId,
    'Cache-Control',
    'no-store',
    'Content-Type',
    'application/json',
  ];
  return [headOf(status, headers), body];
}

/** Closes the connection after a programming error: the library ends the process if a request is left unanswered. */
export function abandon(response: UwsResponse, onAborted: () => void): void {
  try {
    response.onAborted(onAborted).close();
  } catch {
    // It had been answered or closed before the error.
  }
}
