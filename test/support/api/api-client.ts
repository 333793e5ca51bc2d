/** A client of the public API that checks every answer: the envelope, the common headers and the API document. */
import assert from 'node:assert/strict';
import type { RateLimit } from '../../../http/wire/service-types.js';
import { type Answered, Client, type HeaderFields } from '../http/client.js';
import { ApiDocument } from './api-document.js';
import type { Market, OrderRequest, OrderResult, Position, RoundDetail } from './spec.js';
import { checkMarketArithmetic } from './spec-arithmetic.js';

export const BASES = ['/v1', '/api/v1'] as const;

const document = new ApiDocument();

interface RequestParts {
  readonly body?: string;
  readonly headers?: HeaderFields;
}

export class ApiClient {
  readonly #client: Client;

  constructor(
    readonly publicUrl: string,
    readonly secret: string | null,
    readonly basePath: (typeof BASES)[number] = '/v1',
  ) {
    this.#client = new Client(`${publicUrl}${basePath}`, secret === null ? {} : { 'X-API-Key': secret });
  }

  at(basePath: (typeof BASES)[number]): ApiClient {
    return new ApiClient(this.publicUrl, this.secret, basePath);
  }

  /** The answer must be in the envelope and have the limits' headers. */
  async send<T = unknown>(method: string, path: string, parts: RequestParts = {}): Promise<Answered<T>> {
    const answered = await this.#client.send<T>(method, path, parts.body, parts.headers ?? {});
    checkAnswer(answered, `${method} ${path}`, method === 'HEAD' || answered.status === 204);
    const { status, headers, text } = answered;
    // As it was sent: `..` never leaves here.
    const { pathname } = new URL(this.publicUrl + this.basePath + path);
    assert.equal(document.fault(method, pathname, status, headers.keys(), text), null);
    return answered;
  }

  get<T = unknown>(path: string, headers: HeaderFields = {}): Promise<Answered<T>> {
    return this.send<T>('GET', path, { headers });
  }

  order(body: unknown, headers: HeaderFields = {}): Promise<Answered<OrderResult>> {
    return this.send<OrderResult>('POST', '/orders', { body: JSON.stringify(body), headers });
  }

  async place(order: OrderRequest, headers: HeaderFields = {}): Promise<OrderResult> {
    const answered = await this.order(order, headers);
    assert.equal(answered.status, 201, answered.text);
    return answered.data;
  }

  async markets(): Promise<Market[]> {
    const markets = await this.#read<Market[]>('/markets');
    markets.forEach(checkMarketArithmetic);
    return markets;
  }
  async market(id: string): Promise<Market> {
    const market = await this.#read<Market>(`/markets/${id}`);
    checkMarketArithmetic(market);
    return market;
  }
  positions(query = ''): Promise<Position[]> {
    return this.#read(`/positions${query}`);
  }
  orders(query = ''): Promise<Position[]> {
    return this.#read(`/orders${query}`);
  }
  round(id: string): Promise<RoundDetail> {
    return this.#read(`/rounds/${id}`);
  }

  async #read<T>(path: string): Promise<T> {
    const answered = await this.get<T>(path);
    assert.equal(answered.status, 200, `${path}: ${answered.text}`);
    return answered.data;
  }
}

export function checkAnswer(
  { status, headers, text, error }: Answered,
  what: string,
  isBodiless = false,
): void {
  limitsOf(headers, what);
  assert.match(headers.get('X-Request-Id') ?? '', /^\S+$/, `${what}: X-Request-Id`);
  if (status === 429) assert.match(headers.get('Retry-After') ?? '', /^[1-9]\d*$/, `${what}: Retry-After`);
  if (isBodiless) {
    assert.equal(text, '', `${what}: body`);
    return;
  }
  assert.match(headers.get('Content-Type') ?? '', /^application\/json\b/, `${what}: Content-Type`);
  const envelope = JSON.parse(text) as Record<string, unknown>;
  const isSuccess = status < 300;
  const extensions = error === 'odds_changed' ? ['current'] : isSuccess ? ['nextCursor'] : [];
  const members = Object.keys(envelope).filter((name) => !extensions.includes(name));
  assert.deepEqual(members.sort(), isSuccess ? ['data', 'success'] : ['error', 'success'], text);
  assert.equal(envelope['success'], isSuccess, text);
  if (!isSuccess) assert.match(error, /^[a-z_]+(: \S.*)?$/, `${what}: error`);
}

function limitsOf(headers: Headers, what: string): RateLimit {
  const read = (name: string): number => {
    const value = headers.get(`X-RateLimit-${name}`) ?? '';
    assert.match(value, /^\d+$/, `${what}: X-RateLimit-${name}`);
    return Number(value);
  };
  const limits = { limit: read('Limit'), remaining: read('Remaining'), resetSeconds: read('Reset') };
  assert.deepEqual(structuredLimits(headers, what), limits, what);
  return limits;
}

function structuredLimits(headers: Headers, what: string): RateLimit {
  const [, name = '', remaining, resetSeconds] =
    /^"(\w+)";r=(\d+);t=(\d+)$/.exec(headers.get('RateLimit') ?? '') ?? [];
  const policies = (headers.get('RateLimit-Policy') ?? '').split(', ').map((policy) => {
    const [, policyName = '', limit] = /^"(\w+)";q=(\d+);w=60$/.exec(policy) ?? [];
    return [policyName, Number(limit)] as const;
  });
  const names = policies.map(([policyName]) => policyName).join(' ');
  assert.equal(names, 'key_read key_write key_cancel account ip', `${what}: RateLimit-Policy`);
  const limit = new Map(policies).get(name) ?? Number.NaN;
  return { limit, remaining: Number(remaining), resetSeconds: Number(resetSeconds) };
}

export const codeOf = ({ error }: Answered): string => error.split(':')[0] ?? '';

export function refused(answered: Answered, status: number, code: string): void {
  assert.deepEqual({ status: answered.status, code: codeOf(answered) }, { status, code }, answered.text);
}
