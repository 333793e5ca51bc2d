/** Requests that no client library would send, as bytes, and their answers. */
import { type Answered, parseEnvelope } from './client.js';
import { RawClient } from './raw-client.js';

/** Reads by the length, since the server may keep the connection. Rejects if it is closed without an answer. */
async function answerOn(client: RawClient): Promise<Answered> {
  const received = await client.until((text) => parseAnswer(text) !== null);
  await client.close();
  const answered = parseAnswer(received);
  if (answered === null) throw new Error(`closed without an answer after ${JSON.stringify(received)}`);
  return answered;
}

export async function sendRaw(url: string, bytes: string | Uint8Array, from?: string): Promise<Answered> {
  const client = await RawClient.open(Number(new URL(url).port), from);
  const [answered] = await Promise.all([answerOn(client), client.write(bytes)]);
  return answered;
}

function parseAnswer(received: string): Answered | null {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [statusLine = '', ...lines] = received.slice(0, end).split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const length = Number(headers.get('Content-Length') ?? 0);
  const body = received.slice(end + 4);
  if (body.length < length) return null;
  const text = Buffer.from(body.slice(0, length), 'latin1').toString('utf8');
  return { status: Number(statusLine.split(' ')[1]), headers, text, ...parseEnvelope(text) };
}

export function rawRequest(method: string, path: string, headers: readonly string[], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`${method} ${path} HTTP/1.1`, 'Host: test', ...headers, ...length, '', body].join('\r\n');
}
