/** Sends the result of an operator request, with an id by which people can refer to it. */
import { randomUUID } from 'node:crypto';
import type { HttpResponder } from '../../engine/model/ports.js';
import { Refused } from '../kit/refused.js';
import type { Answer, Result } from './call.js';

const OK = 200;

export function sendResult(responder: HttpResponder, result: Result): void {
  const { status, headers } = result;
  const body = result instanceof Refused ? result.body : textOf(result);
  responder.send(status, [...headersOf(body === '' ? null : 'application/json'), ...headers], body);
}

export const sendText = (responder: HttpResponder, contentType: string, text: string): void =>
  responder.send(OK, headersOf(contentType), text);

const headersOf = (contentType: string | null): string[] => [
  'X-Request-Id',
  randomUUID(),
  'Cache-Control',
  'no-store',
  ...(contentType === null ? [] : ['Content-Type', contentType]),
];

const textOf = ({ status, data, nextCursor }: Answer): string =>
  status === 204 ? '' : JSON.stringify({ success: true, data, nextCursor });
