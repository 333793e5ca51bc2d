/** HTTP/1.1 requests as bytes, as every client of a run sends them. */
import { SERIAL_DIGITS } from './job.js';

/** Placeholder for the serial number in a header's value. */
export const SERIAL = '0'.repeat(SERIAL_DIGITS);

export type Headers = readonly (readonly [name: string, value: string])[];

/** A request; `body` is ASCII, and '' sends none. */
export function httpRequest(method: string, path: string, headers: Headers, body: string): string {
  const own: Headers =
    body === ''
      ? []
      : [
          ['Content-Type', 'application/json'],
          ['Content-Length', String(body.length)],
        ];
  const lines = [...headers, ...own].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}\r\n${body}`;
}

/** A bet. The Idempotency-Key is `keyPrefix` and the request's serial number. */
export function orderRequest(
  apiKey: string,
  keyPrefix: string,
  order: {
    readonly marketId: string;
    readonly prediction: string;
    readonly amount: number;
    readonly expectedPercent?: number;
  },
): { readonly text: string; readonly serialAt: number } {
  const headers: Headers = [
    ['X-API-Key', apiKey],
    ['Idempotency-Key', `${keyPrefix}${SERIAL}`],
  ];
  const text = httpRequest('POST', '/v1/orders', headers, JSON.stringify(order));
  return {
    text,
    serialAt: text.indexOf(`Idempotency-Key: ${keyPrefix}`) + `Idempotency-Key: ${keyPrefix}`.length,
  };
}
