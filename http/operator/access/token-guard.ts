/**
 * Knows callers by their tokens, and counts guesses. An address that has sent ten wrong tokens within a minute gets
 * another answer to further ones for a while. A right token always passes: a stranger who shares an address or a proxy
 * with the source of prices could else keep prices out. Tokens have 16 characters and more, so no number of guesses
 * finds one.
 *
 * It uses the monotonic clock, even in a sandbox: a refused operator could not move a manual one.
 */
import { timingSafeEqual } from 'node:crypto';
import { keyDigest } from '../../../crypto/api-keys.js';
import type { Guesses, OperatorCaller, OperatorToken } from '../../../engine/model/operators.js';
import type { Clock, HttpRequest } from '../../../engine/model/ports.js';
import { Refused } from '../../kit/refused.js';
import { type Callers, REPORT_EVERY_MS } from './callers.js';

/** In a minute that begins with an address's first guess; further ones are refused unseen. */
export const GUESSES_MAX = 10;
const GUESSES_MS = 60_000;
/** While this many addresses are guessing, guesses of further ones are answered but not counted. */
export const ADDRESSES_MAX = 10_000;
const ADDRESSES_REPORTED_MAX = 5;
/** If more addresses have sent a right token, the first are forgotten. */
const PROVEN_MAX = 1_000;

const invalid = (detail: string): Refused =>
  new Refused('invalid_operator_token', detail, ['WWW-Authenticate', 'Bearer']);
const NO_TOKEN = invalid('Authorization: Bearer <operator token> is expected');
const WRONG_TOKEN = invalid('this server has no such token; it reads the file of tokens anew on SIGHUP');

/** An address that has sent a wrong token, for a minute. */
interface Guesser {
  readonly untilMs: number;
  /** Its wrong tokens. Repeating one is not another guess. */
  readonly digests: Set<string>;
}

type Presented = Pick<HttpRequest, 'authorization' | 'address'>;

export class TokenGuard implements Callers {
  #tokens: readonly { readonly token: OperatorToken; readonly digest: Buffer }[] = [];
  /** By address, in the order in which their minutes end. */
  readonly #guessers = new Map<string, Guesser>();
  #wrong = 0;
  #refused = 0;
  #reported = { wrong: 0, refused: 0 };
  readonly #from = new Set<string>();
  readonly #proven = new Set<string>();
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(
    tokens: readonly OperatorToken[],
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.setTokens(tokens);
  }

  /** No other tokens are in force from the next request on. Guesses that were counted stay counted. */
  setTokens(tokens: readonly OperatorToken[]): void {
    this.#tokens = tokens.map((token) => ({ token, digest: Buffer.from(token.digest, 'hex') }));
  }

  /** For a session that was opened with the token: false if its name or role has changed. */
  isInForce({ name, role, digest }: OperatorToken): boolean {
    return this.#tokens.some(
      ({ token }) => token.name === name && token.role === role && token.digest === digest,
    );
  }

  named(name: string): OperatorToken | undefined {
    return this.#tokens.find(({ token }) => token.name === name)?.token;
  }

  /** A right token has come from the address. Some connections are kept for such addresses. */
  readonly hasProven = (address: string): boolean => this.#proven.has(address);

  identify({ authorization, address }: Presented): OperatorCaller | Refused {
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    const found = token === undefined ? NO_TOKEN : this.present(token, address);
    return found instanceof Refused ? found : { name: found.name, role: found.role };
  }

  /** For a token that does not come in a request's header. */
  present(token: string, address: string): OperatorToken | Refused {
    const digest = keyDigest(token);
    const found = this.#find(Buffer.from(digest, 'hex'));
    if (found !== null) {
      this.#proves(address);
      return found;
    }
    const nowMs = this.#nowMs();
    const guesser = this.#guesser(address, nowMs);
    if (guesser !== null && guesser.digests.size >= GUESSES_MAX) {
      this.#refused += 1;
      this.#noteFrom(address);
      return tooManyGuesses(guesser.untilMs - nowMs);
    }
    guesser?.digests.add(digest);
    this.#wrong += 1;
    this.#noteFrom(address);
    return WRONG_TOKEN;
  }

  /** Comparing digests in constant time, and all of them, leaks neither the characters of a token nor whose it is. */
  #find(digest: Buffer): OperatorToken | null {
    let found: OperatorToken | null = null;
    for (const known of this.#tokens) {
      if (timingSafeEqual(digest, known.digest)) found = known.token;
    }
    return found;
  }

  /** Guesses since the last report; null if there were none or the last report is too recent. */
  takeGuesses(): Guesses | null {
    const nowMs = this.#nowMs();
    if (this.#from.size === 0 || nowMs - this.#reportedMs < REPORT_EVERY_MS) return null;
    const { counted } = this;
    const { wrong, refused } = this.#reported;
    const addresses = [...this.#from];
    this.#reportedMs = nowMs;
    this.#reported = counted;
    this.#from.clear();
    return { wrong: counted.wrong - wrong, refused: counted.refused - refused, addresses };
  }

  get counted(): Pick<Guesses, 'wrong' | 'refused'> {
    return { wrong: this.#wrong, refused: this.#refused };
  }

  #nowMs(): number {
    return Math.floor(this.clock.monotonicMs());
  }

  /** null while too many others are remembered. */
  #guesser(address: string, nowMs: number): Guesser | null {
    for (const [other, { untilMs }] of this.#guessers) {
      if (untilMs > nowMs) break;
      this.#guessers.delete(other);
    }
    const known = this.#guessers.get(address);
    if (known !== undefined || this.#guessers.size >= ADDRESSES_MAX) return known ?? null;
    const guesser = { untilMs: nowMs + GUESSES_MS, digests: new Set<string>() };
    this.#guessers.set(address, guesser);
    return guesser;
  }

  #proves(address: string): void {
    if (this.#proven.has(address)) return;
    if (this.#proven.size >= PROVEN_MAX) this.#proven.delete(this.#proven.values().next().value ?? '');
    this.#proven.add(address);
  }

  #noteFrom(address: string): void {
    if (this.#from.size < ADDRESSES_REPORTED_MAX) this.#from.add(address);
  }
}

function tooManyGuesses(waitMs: number): Refused {
  const seconds = Math.ceil(waitMs / 1_000);
  const detail = `too many wrong operator tokens from this address; wait ${seconds} s, or send a right one`;
  return new Refused('rate_limited', detail, ['Retry-After', `${seconds}`]);
}
