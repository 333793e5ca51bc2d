/** Reads answers from the bytes of a connection, by their Content-Length. */
import assert from 'node:assert/strict';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

interface Taken {
  readonly answer: Answer;
  readonly end: number;
}

/** null if the answer is incomplete. Throws if it is not HTTP. */
export function takeAnswer(bytes: Buffer, from: number, isHead: boolean): Taken | null {
  const headEnd = bytes.indexOf('\r\n\r\n', from, 'latin1');
  if (headEnd < 0) return null;
  const [statusLine = '', ...lines] = bytes.toString('latin1', from, headEnd).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1];
  if (status === undefined) throw new Error(`not a status line: ${JSON.stringify(statusLine)}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon <= 0) throw new Error(`not a header: ${JSON.stringify(line)}`);
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const bodyAt = headEnd + 4;
  // 100 Continue precedes the answer.
  if (status === '100') return takeAnswer(bytes, bodyAt, isHead);
  const length = isHead ? 0 : lengthOf(Number(status), headers, bytes.length - bodyAt);
  if (!Number.isSafeInteger(length)) throw new Error('Content-Length is no number');
  if (bytes.length < bodyAt + length) return null;
  return {
    answer: {
      status: Number(status),
      headers,
      body: bodyOf(headers, bytes.subarray(bodyAt, bodyAt + length)),
    },
    end: bodyAt + length,
  };
}

function bodyOf(headers: ReadonlyMap<string, string>, bytes: Buffer): string {
  if (bytes.length === 0) return '';
  const coding = headers.get('content-encoding');
  if (coding === undefined) return bytes.toString();
  assert.ok(coding === 'gzip' || coding === 'br', `${coding} is a coding that the server has`);
  return (coding === 'gzip' ? gunzipSync(bytes) : brotliDecompressSync(bytes)).toString();
}

/** The parser's own pages have no Content-Length: they go to the end of the connection. */
function lengthOf(status: number, headers: ReadonlyMap<string, string>, rest: number): number {
  const length = headers.get('content-length');
  if (length !== undefined) return Number(length);
  return status === 204 || status === 304 ? 0 : rest;
}
