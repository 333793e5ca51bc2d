/**
 * Every request against the rate limits as their specification reads, in the order in which the gateways take them: each
 * window is a list of times, whichever gateway counted there.
 */

import type { RateLimitSettings } from '../../../config/rate-limits.js';
import type { Asker, Fate, RateLimits, Taken } from '../../../http/limits/rate-limits.js';
import { check } from '../violation.js';

const WINDOW_MS = 60_000;

export class LimitAudit {
  readonly #times = new Map<string, number[]>();

  constructor(private readonly settings: RateLimitSettings) {}

  /** Looks on at what one gateway's limits decide. */
  watch(limits: RateLimits): void {
    const take = limits.take.bind(limits);
    limits.take = (asker, fate, nowMs) => {
      const taken = take(asker, fate, nowMs);
      const expected = this.#take(asker, fate, nowMs);
      check(
        taken === expected,
        'rate limits',
        () => `key ${asker.key} of acc_${asker.account} at ${asker.address} is ${taken}, not ${expected}`,
        () => [`acc_${asker.account}`],
      );
      return taken;
    };
  }

  #take({ address, key, account, isWrite }: Asker, fate: Fate, nowMs: number): Taken {
    const { ip, keyRead, keyWrite, account: accountLimit } = this.settings;
    const ofAddress = this.#window(`address ${address}`, nowMs);
    if (ofAddress.length >= ip) return 'addressFull';
    if (fate !== 'unknown') {
      const ofKey = this.#window(`${isWrite ? 'write' : 'read'} ${key}`, nowMs);
      const ofAccount = this.#window(`account ${account}`, nowMs);
      const isFull = ofKey.length >= (isWrite ? keyWrite : keyRead) || ofAccount.length >= accountLimit;
      if (fate === 'known' && isFull) return 'keyFull';
      ofKey.push(nowMs);
      ofAccount.push(nowMs);
    }
    ofAddress.push(nowMs);
    return 'admitted';
  }

  /** The times in a window that are not over. */
  #window(name: string, nowMs: number): number[] {
    const times = this.#times.get(name) ?? [];
    const first = times.findIndex((timeMs) => nowMs - timeMs < WINDOW_MS);
    times.splice(0, first < 0 ? times.length : first);
    this.#times.set(name, times);
    return times;
  }
}
