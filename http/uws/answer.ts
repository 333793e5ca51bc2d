/** What an answer is made of on the socket: its head, the way that it goes, and what is done where none can be given. */
import { Buffer } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { HeaderBlock, HeaderList } from '../../engine/model/ports.js';
import type { UwsResponse } from './library.js';

/** An answer has this long to be taken once the socket's buffers are full of it. */
export const REPLY_DEADLINE_MS = 30_000;

/**
 * What is made for a client is bounded by limits and by his money, so its answers cannot pile up where he does not
 * read them: they go the short way. All others are of a kind that can be asked for again and again.
 */
const CREATED = 201;
/**
 * Of those the short ones (characters or bytes) may go the short way too, and one in so many, by chance, takes the long
 * one: who does not read what he asks for is found out after a few kilobytes, and cannot know by which request.
 */
const SHORT_MAX = 2_048;
const LONG_WAY_SHARE = 1 / 8;

/** `200 OK`, by status. */
const STATUS_LINES: readonly string[] = Array.from(
  { length: 600 },
  (_, status) => `${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
);

/**
 * Whether the answer is handed over whole, however little of it the socket takes. Not while closing, which waits until
 * an answer is taken.
 */
export function goesShortWay(status: number, body: string | Uint8Array, isClosing: boolean): boolean {
  if (status === CREATED) return true;
  return body.length <= SHORT_MAX && !isClosing && Math.random() >= LONG_WAY_SHARE;
}

export function bytesIn(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

/** Status and headers, as `writeStatus` takes them. */
export function headText(status: number, headers: HeaderList | HeaderBlock): string {
  let head = STATUS_LINES[status] ?? '';
  if (typeof headers === 'string') return `${head}\r\n${headers}`;
  for (let index = 0; index < headers.length; index += 2) {
    head += `\r\n${headers[index]}: ${headers[index + 1]}`;
  }
  return head;
}

/** Closes the connection after a programming error: the library ends the process for an unanswered request. */
export function abandon(response: UwsResponse, onAborted: () => void): void {
  try {
    response.onAborted(onAborted).close();
  } catch {
    // It was answered or closed before the error.
  }
}
