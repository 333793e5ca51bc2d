/** A small HTTP client for tests: one request, its answer parsed and kept as text too. */

export interface Answered<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** `data` of a success; undefined for a failure. Its type is the test's claim. */
  readonly data: T;
  /** `error` of a failure; '' for a success. */
  readonly error: string;
}

export type HeaderFields = Readonly<Record<string, string>>;

export class Client {
  constructor(
    readonly base: string,
    private readonly headers: HeaderFields,
  ) {}

  get<T>(path: string, headers: HeaderFields = {}): Promise<Answered<T>> {
    return this.send<T>('GET', path, undefined, headers);
  }
  post<T>(path: string, body: unknown, headers: HeaderFields = {}): Promise<Answered<T>> {
    return this.send<T>('POST', path, JSON.stringify(body), headers);
  }
  put<T>(path: string, body: unknown): Promise<Answered<T>> {
    return this.send<T>('PUT', path, JSON.stringify(body));
  }
  patch<T>(path: string, body: unknown): Promise<Answered<T>> {
    return this.send<T>('PATCH', path, JSON.stringify(body));
  }

  async send<T>(
    method: string,
    path: string,
    body?: string,
    headers: HeaderFields = {},
  ): Promise<Answered<T>> {
    const response = await fetch(`${this.base}${path}`, {
      method,
      headers: {
        ...this.headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, ...parseEnvelope<T>(text) };
  }
}

export function parseEnvelope<T>(text: string): { data: T; error: string } {
  const parsed = (text.startsWith('{') ? JSON.parse(text) : {}) as { data: T; error?: string };
  return { data: parsed.data, error: parsed.error ?? '' };
}
