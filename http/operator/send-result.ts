/** Sends the result of an operator request, with an id by which people can refer to it. */
import { randomUUID } from 'node:crypto';
import type { HttpResponder } from '../../engine/model/ports.js';
import { Refused } from '../kit/refused.js';
import type { Answer, Result } from './call.js';

export function sendResult(responder: HttpResponder, result: Result): void {
  const { status, headers } = result;
  const body = result instanceof Refused ? result.body : textOf(result);
  const type = body === '' ? [] : ['Content-Type', 'application/json'];
  const common = ['X-Request-Id', randomUUID(), 'Cache-Control', 'no-store', ...type];
  responder.send(status, [...common, ...headers], body);
}

const textOf = ({ status, data, nextCursor }: Answer): string =>
  status === 204 ? '' : JSON.stringify({ success: true, data, nextCursor });
