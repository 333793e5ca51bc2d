/**
 * A GET request whose answer is read as it arrives. A redirection is not followed: the request has a secret in its
 * headers, and the service named in the configuration is the only one that may see it.
 */
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Ended } from './kept-connection.js';

/** The log has so much of a refusal's body; more is read, so that no secret is cut where it could not be recognised. */
const REFUSAL_CHARS_MAX = 200;
const REFUSAL_READ_MAX = 4_096;
/** A service that says 429 without saying how long keeps the address out for a minute (Hermes' rate limits). */
const UNSAID_429_MS = 60_000;
/** A key that is refused will hardly be good a second later. */
const KEY_REFUSED_MS = 30_000;

export interface TextReader {
  onOpen(): void;
  /** The body is cut anywhere but within a character. */
  onText(piece: string): void;
  /** Once, at the end: null where the body is complete. */
  onEnd(end: Ended | null): void;
}

/** `tidy` takes secrets out of the text of a refusal. The function returned ends the request. */
export function getText(
  url: URL,
  headers: Readonly<Record<string, string>>,
  tidy: (text: string) => string,
  reader: TextReader,
): () => void {
  let isOver = false;
  const end = (ended: Ended | null): void => {
    if (isOver) return;
    isOver = true;
    reader.onEnd(ended);
  };
  const fail = (error: Error): void => end({ reason: tidy(troubleOf(error)), askedMs: 0 });
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, { headers }, (answer) => {
    answer.setEncoding('utf8');
    answer.on('error', fail);
    answer.on('close', () => fail(new Error('the connection was lost')));
    if (answer.statusCode !== 200) return readRefusal(answer, tidy, end);
    answer.on('data', (piece: string) => {
      if (!isOver) reader.onText(piece);
    });
    answer.on('end', () => end(null));
    reader.onOpen();
  });
  request.on('error', fail);
  request.end();
  return () => {
    isOver = true;
    request.destroy();
  };
}

/**
 * Where each address of a host has failed, Node puts the sentences into the causes and leaves the error without one.
 */
export function troubleOf(error: Error): string {
  if (error.message !== '') return error.message;
  const causes = error instanceof AggregateError ? error.errors : [];
  const sentences = causes.map((cause: unknown) => (cause instanceof Error ? cause.message : String(cause)));
  return sentences.join('; ') || 'the connection failed';
}

function readRefusal(
  answer: IncomingMessage,
  tidy: (text: string) => string,
  end: (ended: Ended) => void,
): void {
  const status = answer.statusCode ?? 0;
  const askedMs = askedMsOf(status, answer.headers);
  let body = '';
  answer.on('data', (piece: string) => {
    body += piece;
    if (body.length <= REFUSAL_READ_MAX) return;
    end({ reason: refusalText(status, tidy(body)), askedMs });
    answer.destroy();
  });
  answer.on('end', () => end({ reason: refusalText(status, tidy(body)), askedMs }));
}

function refusalText(status: number, body: string): string {
  const said = body.slice(0, REFUSAL_CHARS_MAX).replace(/\s+/g, ' ').trim();
  const redirected = status >= 300 && status < 400 ? ' (redirections are not followed)' : '';
  return `the service answered ${status}${redirected}${said === '' ? '' : `: ${said}`}`;
}

/** `Retry-After` is seconds, or a date by the service's own clock; anything else counts as not said. */
export function askedMsOf(status: number, headers: IncomingHttpHeaders): number {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1_000;
  const untilMs = Date.parse(text) - Date.parse(headers.date ?? '');
  if (!Number.isNaN(untilMs)) return Math.max(0, untilMs);
  if (status === 429) return UNSAID_429_MS;
  return status === 401 || status === 403 ? KEY_REFUSED_MS : 0;
}
