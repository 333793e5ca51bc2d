/**
 * A keep-alive connection that asks one thing at a time, for clients that choose their gateway: the X-Request-Id of an
 * answer tells which one serves its connection. It is slower than `connection.ts` and reads whole answers.
 */
import { connect, type Socket } from 'node:net';
import { must } from '../../../engine/base/assert.js';

export interface LineAnswer {
  readonly status: number;
  /** The first part of the X-Request-Id: different for each gateway of a server. */
  readonly gateway: string;
}

const HEAD_END = '\r\n\r\n';

export class Line {
  readonly #socket: Socket;
  #text = '';
  #onAnswer: ((answer: LineAnswer) => void) | null = null;

  private constructor(socket: Socket, onFailure: (error: Error) => void) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (piece: string) => this.#onPiece(piece));
    socket.on('error', onFailure);
  }

  static open(port: number, onFailure: (error: Error) => void): Promise<Line> {
    return new Promise((resolve) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true }, () => resolve(line));
      const line = new Line(socket, onFailure);
    });
  }

  /** Calls `onAnswer` with the answer. The one before must have arrived. */
  ask(request: string, onAnswer: (answer: LineAnswer) => void): void {
    this.#onAnswer = onAnswer;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#onAnswer = null;
    this.#socket.destroy();
  }

  #onPiece(piece: string): void {
    this.#text += piece;
    const headEnd = this.#text.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#text.slice(0, headEnd);
    const bodyLength = Number(/\r\nContent-Length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#text.length < headEnd + HEAD_END.length + bodyLength) return;
    this.#text = '';
    const gateway = must(/\r\nX-Request-Id: (\w+)-/.exec(head)?.[1], 'X-Request-Id of an answer');
    this.#onAnswer?.({ status: Number(head.slice(9, 12)), gateway });
  }
}

const ask = (line: Line, request: string): Promise<LineAnswer> =>
  new Promise((resolve) => line.ask(request, resolve));

/** Opens lines until `count` are on gateways that are `wanted`; the others are closed. */
export async function openLines(
  port: number,
  request: string,
  count: number,
  wanted: (gateway: string) => boolean,
  onFailure: (error: Error) => void,
): Promise<Line[]> {
  const lines: Line[] = [];
  while (lines.length < count) {
    const line = await Line.open(port, onFailure);
    const { gateway } = await ask(line, request);
    if (wanted(gateway)) lines.push(line);
    else line.close();
  }
  return lines;
}

/** The gateway of a new connection. */
export async function someGateway(
  port: number,
  request: string,
  onFailure: (error: Error) => void,
): Promise<string> {
  const line = await Line.open(port, onFailure);
  const { gateway } = await ask(line, request);
  line.close();
  return gateway;
}
