/**
 * Whether a request shows the operator token. Guesses are slowed: an address that has sent ten wrong tokens within a
 * minute is refused for a while whatever it sends, since any other answer would tell whether the next guess is right.
 * It is refused alone: guesses of other addresses keep nobody out.
 *
 * It runs on the monotonic clock, in a sandbox too: whoever is refused could not move a manual one.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Clock, HttpRequest } from '../../engine/model/ports.js';
import { keyDigest } from '../keys.js';
import { Refused } from '../kit/refused.js';
import { AddressWindows } from '../limits/address-windows.js';

/** Wrong tokens of an address within a minute; the next is not looked at. */
export const GUESSES_MAX = 10;
/** Addresses that are remembered. While so many guess, those of further ones are answered and not counted. */
export const ADDRESSES_MAX = 10_000;
/** What is told at once, so that guesses do not fill the log. */
const TELL_EVERY_MS = 10_000;
const ADDRESSES_TOLD_MAX = 5;

/** What came since it was last told. */
export interface Guesses {
  readonly wrong: number;
  /** Requests that were not looked at. */
  readonly refused: number;
  /** Where they came from: the first few. */
  readonly addresses: readonly string[];
}

const WRONG_TOKEN = new Refused(
  'invalid_operator_token',
  'Authorization: Bearer <operator token> is expected',
  ['WWW-Authenticate', 'Bearer'],
);

type Presented = Pick<HttpRequest, 'authorization' | 'address'>;

export class TokenGuard {
  readonly #digest: Buffer;
  readonly #addresses = new AddressWindows(ADDRESSES_MAX);
  /** Digests of an address's last wrong tokens, by its window: one of them again is no further guess. */
  readonly #known: string[][] = [];
  #wrong = 0;
  #refused = 0;
  readonly #from = new Set<string>();
  #reportedMs = Number.NEGATIVE_INFINITY;

  constructor(
    token: string,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {
    this.#digest = Buffer.from(keyDigest(token), 'hex');
  }

  /** Why the request is refused: it does not show the token, or its address has guessed too often. Or null. */
  refuse({ authorization, address }: Presented): Refused | null {
    const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (token === undefined) return WRONG_TOKEN;
    // Digests are compared in constant time: neither the token's characters nor its length show in the timing.
    const digest = keyDigest(token);
    const isRight = timingSafeEqual(Buffer.from(digest, 'hex'), this.#digest);
    const nowMs = this.#nowMs();
    const window = this.#addresses.of(address, nowMs);
    const { windows } = this.#addresses;
    if (window !== 0 && windows.total(window) >= GUESSES_MAX) {
      this.#refused += 1;
      this.#noteFrom(address);
      return tooManyGuesses(windows.roomMs(window, GUESSES_MAX, nowMs) - nowMs);
    }
    if (isRight) return null;
    if (window !== 0) this.#count(window, digest, nowMs);
    this.#wrong += 1;
    this.#noteFrom(address);
    return WRONG_TOKEN;
  }

  /** What came since this was last told, or null: there was nothing, or that was just now. */
  untold(): Guesses | null {
    const nowMs = this.#nowMs();
    if (this.#from.size === 0 || nowMs - this.#reportedMs < TELL_EVERY_MS) return null;
    const guesses = { wrong: this.#wrong, refused: this.#refused, addresses: [...this.#from] };
    this.#reportedMs = nowMs;
    this.#wrong = 0;
    this.#refused = 0;
    this.#from.clear();
    return guesses;
  }

  #nowMs(): number {
    return Math.floor(this.clock.monotonicMs());
  }

  #count(window: number, digest: string, nowMs: number): void {
    const known = this.#known[window] ?? [];
    if (known.includes(digest)) return;
    this.#known[window] = [...known.slice(1 - GUESSES_MAX), digest];
    this.#addresses.count(window, nowMs);
  }

  #noteFrom(address: string): void {
    if (this.#from.size < ADDRESSES_TOLD_MAX) this.#from.add(address);
  }
}

function tooManyGuesses(waitMs: number): Refused {
  const detail = 'too many wrong operator tokens from this address; wait as long as Retry-After says';
  return new Refused('rate_limited', detail, ['Retry-After', `${Math.ceil(waitMs / 1_000)}`]);
}
