/** A response as sent by the server under measurement, so that the references send the same: status, headers, body. */
import { request } from 'node:http';

export interface WireAnswer {
  readonly status: number;
  readonly statusLine: string;
  /** Names and values in the order sent, without those that uWebSockets.js writes by itself (Date, Content-Length). */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly bytes: number;
}

const WRITTEN_ANYWAY = ['date', 'content-length'];
const ANSWER_MS_MAX = 10_000;

export function captureAnswer(port: number, text: string): Promise<WireAnswer> {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const [method = '', path = ''] = line.split(' ');
  const given = Object.fromEntries(fields.map((field) => field.split(': ')));
  // Node sends `close` unless it is told otherwise. The references repeat the answer, and would end each connection.
  const headers = { ...given, Connection: 'keep-alive' };
  const options = { host: '127.0.0.1', port, method, path, headers, agent: false, timeout: ANSWER_MS_MAX };
  return new Promise((resolve, reject) => {
    const sent = request(options, async (response) => {
      const pieces = await response.toArray().catch(reject);
      const { statusCode: status = 0, statusMessage, rawHeaders } = response;
      const all = rawHeaders.flatMap((name, at): [string, string][] =>
        at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? '']] : [],
      );
      const answer = Buffer.concat(pieces ?? []);
      const statusLine = `${status} ${statusMessage}`;
      resolve({
        ...{ status, statusLine, body: answer.toString() },
        headers: all.filter(([name]) => !WRITTEN_ANYWAY.includes(name.toLowerCase())),
        bytes: statusLine.length + rawHeaders.join('').length + answer.length,
      });
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no answer')));
    sent.end(body);
  });
}
