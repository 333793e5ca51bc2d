/** HTTP/1.1 requests as bytes, for every client of a run. */
import { SERIAL_DIGITS } from './job.js';

const SERIAL = '0'.repeat(SERIAL_DIGITS);

export type Headers = readonly (readonly [name: string, value: string])[];

export type Site = Readonly<typeof LOCAL>;
export const LOCAL = { host: '127.0.0.1', base: '/v1' };

/** `body` is ASCII, and '' sends none. */
export function httpRequest(
  method: string,
  path: string,
  headers: Headers,
  body: string,
  { host }: Site,
): string {
  const own: Headers =
    body === ''
      ? []
      : [
          ['Content-Type', 'application/json'],
          ['Content-Length', String(body.length)],
        ];
  const lines = [...headers, ...own].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n${body}`;
}

export function orderRequest(
  apiKey: string,
  keyPrefix: string,
  order: {
    readonly marketId: string;
    readonly prediction: string;
    readonly amount: number;
    readonly expectedPercent?: number;
  },
  site: Site,
): { readonly text: string; readonly serialAt: number } {
  const headers: Headers = [
    ['X-API-Key', apiKey],
    ['Idempotency-Key', `${keyPrefix}${SERIAL}`],
  ];
  const text = httpRequest('POST', `${site.base}/orders`, headers, JSON.stringify(order), site);
  const name = `Idempotency-Key: ${keyPrefix}`;
  return { text, serialAt: text.indexOf(name) + name.length };
}
