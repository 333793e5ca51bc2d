/**
 * A GET request whose answer is read as it arrives. A redirection is not followed: the request has a secret in its
 * headers, and the service named in the configuration is the only one that may see it.
 */
import { messageOf } from '../../engine/base/attempt.js';
import type { Ended } from './kept-connection.js';

const WORDS_CHARS_MAX = 200;
/** More than the log has, so that no secret is cut where it could not be recognised. */
const REFUSAL_READ_MAX = 4_096;
/** A service that says 429 without saying how long keeps the address out for a minute (Hermes' rate limits). */
const UNSAID_429_MS = 60_000;
/** A key that is refused will hardly be good a second later. */
const KEY_REFUSED_MS = 30_000;

export interface TextRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Takes secrets out of the text of a refusal. */
  readonly tidy: (text: string) => string;
  readonly signal: AbortSignal;
}

/**
 * Yields '' once the answer has begun, then its body in pieces that are cut anywhere but within a character, and at
 * last the reason if the body is not complete. Never throws.
 */
export async function* getText({ url, headers, tidy, signal }: TextRequest): AsyncGenerator<string | Ended> {
  try {
    // A compressed stream would hold events back until a block is full.
    const plain = { 'accept-encoding': 'identity', ...headers };
    const answer = await fetch(url, { headers: plain, signal, redirect: 'manual' });
    if (answer.status !== 200) {
      yield {
        reason: await refusalText(answer, tidy),
        askedMs: askedMsOf(answer.status, (name) => answer.headers.get(name)),
      };
      return;
    }
    yield '';
    yield* piecesOf(answer);
  } catch (thrown) {
    yield { reason: tidy(troubleOf(thrown)), askedMs: 0 };
  }
}

/** The whole body, or why there is none. */
export async function getWholeText(request: TextRequest, charsMax: number): Promise<string | Ended> {
  let text = '';
  for await (const piece of getText(request)) {
    if (typeof piece !== 'string') return piece;
    text += piece;
    if (text.length > charsMax) return { reason: 'the answer is too long', askedMs: 0 };
  }
  return text;
}

async function* piecesOf({ body }: Response): AsyncGenerator<string> {
  if (body !== null) yield* body.pipeThrough(new TextDecoderStream());
}

/** Node puts the sentences into the causes, one for each address of the host. */
export function troubleOf(thrown: unknown): string {
  const error = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (error instanceof AggregateError && error.message === '') return error.errors.map(troubleOf).join('; ');
  return messageOf(error) || 'the connection failed';
}

/** A service's own words, as the log has them. */
export const wordsOf = (text: string): string => text.slice(0, WORDS_CHARS_MAX).replace(/\s+/g, ' ').trim();

async function refusalText(answer: Response, tidy: (text: string) => string): Promise<string> {
  const { status } = answer;
  let body = '';
  for await (const piece of piecesOf(answer)) {
    body += piece;
    if (body.length > REFUSAL_READ_MAX) break;
  }
  const said = wordsOf(tidy(body));
  const redirected = status >= 300 && status < 400 ? ' (redirections are not followed)' : '';
  return `the service answered ${status}${redirected}${said === '' ? '' : `: ${said}`}`;
}

/** `Retry-After` is seconds, or a date by the service's own clock; anything else counts as not said. */
export function askedMsOf(status: number, header: (name: string) => string | null | undefined): number {
  const text = header('retry-after')?.trim() ?? '';
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1_000;
  const untilMs = Date.parse(text) - Date.parse(header('date') ?? '');
  if (!Number.isNaN(untilMs)) return Math.max(0, untilMs);
  if (status === 429) return UNSAID_429_MS;
  return status === 401 || status === 403 ? KEY_REFUSED_MS : 0;
}
