/**
 * How an answer is written to its socket: the head in one piece, then the body in the way that its client has to be
 * trusted for. Nothing here remembers anything of the exchange that it belongs to.
 */
import { Buffer } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { HeaderBlock, HeaderList } from '../engine/ports.js';
import type { UwsResponse } from './uws.js';

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

/** What becomes of the connection: it stays, its client is told that it closes, or it is closed at once. */
export type AfterAnswer = 'stay' | 'announceClose' | 'close';

/**
 * Writes an answer, corked by the caller. False: the socket has not taken all of the body, and `tryEnd` has to be called
 * with the rest of it when there is room again.
 *
 * The head goes out in one piece: each `writeHeader` would cost a third of a microsecond. Header values are
 * the server's own and hold no line ends.
 */
export function writeAnswer(
  response: UwsResponse,
  status: number,
  headers: HeaderList | HeaderBlock,
  body: string | Uint8Array,
  isHeadOnly: boolean,
  after: AfterAnswer,
): boolean {
  const hasNoBody = status === 204 || status === 304;
  const isBare = hasNoBody || isHeadOnly;
  let head = headText(status, headers);
  if (after === 'close') {
    response.writeStatus(head).end(isBare ? '' : body, true);
    return true;
  }
  if (after === 'announceClose') head += '\r\nConnection: close';
  if (isBare) {
    // Told a length, `endWithoutBody` waits for ever for the body that it was told not to send.
    if (!hasNoBody) head += `\r\nContent-Length: ${bytesIn(body)}`;
    response.writeStatus(head).endWithoutBody();
    return true;
  }
  if (status === CREATED || goesShortWay(body, after)) {
    response.writeStatus(head).end(body, false);
    return true;
  }
  // `end` would buffer without bound what a client that sends and never reads has asked for.
  const [, isTaken] = response.writeStatus(head).tryEnd(body, bytesIn(body));
  return isTaken;
}

/** Not while closing, which waits until an answer is taken. */
function goesShortWay(body: string | Uint8Array, after: AfterAnswer): boolean {
  return body.length <= SHORT_MAX && after === 'stay' && Math.random() >= LONG_WAY_SHARE;
}

function bytesIn(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

/** Status and headers, as `writeStatus` takes them. */
function headText(status: number, headers: HeaderList | HeaderBlock): string {
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
