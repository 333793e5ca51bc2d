/**
 * A response as sent by the server under measurement, so that the references send the same bytes: status, headers,
 * body.
 */
import { connect } from 'node:net';
import { COMPLETE, type Frame, frameHttp, MALFORMED } from '../client/framing.js';

export interface WireAnswer {
  readonly status: number;
  /** `201 Created`. */
  readonly statusLine: string;
  /** Names and values in the order sent, without those that uWebSockets.js writes by itself (Date, Content-Length). */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Bytes of the whole answer. */
  readonly bytes: number;
}

const WRITTEN_ANYWAY = ['date', 'content-length'];
const ANSWER_MS_MAX = 10_000;

/** Sends `request` on a connection of its own and returns the answer. */
export function captureAnswer(port: number, request: string): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const frame: Frame = { status: 0, bodyAt: 0, endAt: 0 };
    let bytes: Buffer = Buffer.alloc(0);
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(request, 'latin1'));
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy(new Error('no answer')));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed before the answer')));
    socket.on('data', (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece]);
      const framing = frameHttp(bytes, bytes.length, frame);
      if (framing === MALFORMED) socket.destroy(new Error(`not an answer: ${bytes.toString('latin1')}`));
      if (framing !== COMPLETE) return;
      resolve(parseAnswer(bytes, frame));
      socket.destroy();
    });
  });
}

function parseAnswer(bytes: Buffer, frame: Frame): WireAnswer {
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, frame.bodyAt - 4).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return {
    status: frame.status,
    statusLine: statusLine.slice('HTTP/1.1 '.length),
    headers: headers.filter(([name]) => !WRITTEN_ANYWAY.includes(name.toLowerCase())),
    body: bytes.toString('utf8', frame.bodyAt, frame.endAt),
    bytes: frame.endAt,
  };
}
