/** A reference for the rate limits, written from their description: slow and obviously right. */
import assert from 'node:assert/strict';
import type { RateLimitSettings } from '../../../config/rate-limits.js';
import { must } from '../../../engine/base/assert.js';
import type { Counted, KeyState } from '../../../http/limits/rate-limits.js';

const MINUTE_MS = 60_000;

type Told = 'limit' | 'remaining' | 'resetSeconds' | 'retryAfterSeconds';
export type LimitAnswer = Readonly<Record<Told, number>> & { readonly admitted: boolean };

export class RateLimitReference {
  readonly #counted = new Map<string, number[]>();

  constructor(private readonly settings: RateLimitSettings) {}

  take({ address, key, account: ofKey, keyLimit }: Counted, keyState: KeyState, nowMs: number): LimitAnswer {
    const ip = this.#bucket(`ip ${address}`, this.settings.ip);
    const isAddressFull = this.#times(ip.name, nowMs).length >= ip.limit;
    if (keyState === 'unknown') return this.#answer([ip], isAddressFull ? [ip] : [], nowMs);
    const { keyRead, keyWrite, keyCancel } = this.settings;
    const limit = must([keyRead, keyWrite, keyCancel][keyLimit], 'a limit of the key');
    const own = this.#bucket(`${keyLimit} ${key}`, limit);
    const account = this.#bucket(`account ${ofKey}`, this.settings.account);
    const full = [own, account].filter(({ name, limit }) => this.#times(name, nowMs).length >= limit);
    // A retry has to fit all of them; a forbidden one would be told so whatever its key's limits.
    if (isAddressFull) return this.#answer([ip, own, account], [ip, ...full], nowMs);
    return this.#answer([own, account, ip], keyState === 'forbidden' ? [] : full, nowMs);
  }

  #bucket(name: string, limit: number): { name: string; limit: number } {
    return { name, limit };
  }

  #times(name: string, nowMs: number): number[] {
    return (this.#counted.get(name) ?? []).filter((timeMs) => nowMs - timeMs < MINUTE_MS);
  }

  #answer(
    applying: { name: string; limit: number }[],
    full: { name: string; limit: number }[],
    nowMs: number,
  ): LimitAnswer {
    if (full.length === 0) {
      for (const { name, limit } of applying)
        this.#counted.set(name, [...this.#times(name, nowMs), nowMs].slice(-limit));
    }
    const shown = applying
      .map(({ name, limit }) => {
        const times = this.#times(name, nowMs);
        const resetSeconds = Math.ceil(((times[0] ?? nowMs - MINUTE_MS) + MINUTE_MS - nowMs) / 1000);
        return { limit, remaining: limit - times.length, resetSeconds };
      })
      .sort((a, b) => a.remaining - b.remaining || a.limit - b.limit)[0];
    assert.ok(shown !== undefined);
    const waits = full.map(({ name }) => (this.#times(name, nowMs)[0] ?? Number.NaN) + MINUTE_MS - nowMs);
    const retryAfterSeconds = full.length === 0 ? 0 : Math.ceil(Math.max(...waits) / 1000);
    return { admitted: full.length === 0, ...shown, retryAfterSeconds };
  }
}
