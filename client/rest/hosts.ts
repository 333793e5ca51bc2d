/**
 * The addresses of an exchange's machines. One of them serves at a time, and another one after it has ended: a client
 * without an answer, or with one that says that the machine does not serve, goes on to the next address.
 */
import type { ErrorCode } from '../base/errors.js';

/** `journal_backlog` is also the answer of a machine that was cut off while another one leads. */
const ELSEWHERE: readonly ErrorCode[] = [
  'connection_failed',
  'timed_out',
  'bad_answer',
  'shutting_down',
  'journal_backlog',
];

/** In a browser an address may be relative to the page's. */
function isAddress(base: string): boolean {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  return URL.canParse(base, location?.href) && /^https?:$/.test(new URL(base, location?.href).protocol);
}

export class Hosts {
  #at = 0;

  /** With their base path, at least one; without a slash at the end. */
  constructor(private readonly bases: readonly string[]) {
    if (bases.length === 0) throw new TypeError('an address of the API is needed');
    const wrong = bases.find((base) => !isAddress(base));
    if (wrong !== undefined) {
      throw new TypeError(`"${wrong}" is no address of the API: one begins with http:// or https://`);
    }
  }

  get base(): string {
    return this.bases[this.#at] ?? '';
  }

  /** The address behind this one, which may be the same. */
  after(base: string): string {
    return this.bases[(this.bases.indexOf(base) + 1) % this.bases.length] ?? '';
  }

  /** `base` has failed with this code. Several requests that learn it at the same time count once. */
  failed(base: string, code: ErrorCode): void {
    if (base === this.base && ELSEWHERE.includes(code)) this.#at = (this.#at + 1) % this.bases.length;
  }
}
