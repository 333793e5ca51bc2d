/** The rate limits against a reference that keeps every counted request in a list, then their edge cases one by one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  IP,
  KEY_CANCEL,
  KEY_READ,
  KEY_WRITE,
  type KeyLimit,
  type RateLimitSettings,
} from '../../../config/rate-limits.js';
import { type Counted, type KeyState, RateLimits } from '../../../http/limits/rate-limits.js';
import { shareLimits } from '../../../http/limits/shared-limits.js';
import { forMany } from '../../support/for-all.js';
import { accountOf } from '../../support/http/limits-capacity.js';
import { type LimitAnswer, RateLimitReference } from '../../support/http/rate-limit-reference.js';

const START_MS = 1_800_000_000_000;

/** Small, since they are made by the thousand. */
const CAPACITY = { addresses: 4, keys: 16, blocks: 400 };
const limitsOf = (settings: RateLimitSettings): RateLimits => new RateLimits(shareLimits(settings, CAPACITY));

interface Arrival {
  readonly gapMs: number;
  readonly address: number;
  readonly key: number;
  readonly keyLimit: KeyLimit;
  readonly keyState: KeyState;
}

const askerOf = ({ address, key, keyLimit }: Arrival): Counted => {
  return { address: `10.0.0.${address}`, key, account: accountOf(key), keyLimit };
};

const told = (limits: RateLimits, admitted: boolean): LimitAnswer => ({
  admitted,
  limit: limits.limit,
  remaining: limits.remaining,
  resetSeconds: limits.resetSeconds,
  retryAfterSeconds: limits.retryAfterSeconds,
});

const take = (limits: RateLimits, arrival: Arrival, nowMs: number): LimitAnswer =>
  told(limits, limits.take(askerOf(arrival), arrival.keyState, nowMs));

const arrivals = fc.array(
  fc.record<Arrival>({
    gapMs: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(0, 0, 0, 1, 7) },
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 9_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(59_999, 60_000, 60_001, 200_000) },
    ),
    address: fc.integer({ min: 1, max: 3 }),
    key: fc.integer({ min: 1, max: 4 }),
    keyLimit: fc.constantFrom<KeyLimit>(KEY_READ, KEY_WRITE, KEY_CANCEL),
    keyState: fc.constantFrom<KeyState>('known', 'known', 'known', 'known', 'forbidden', 'unknown'),
  }),
  { minLength: 1, maxLength: 160, size: 'max' },
);
// All different, so that no two limits of one request tie in both remaining and size.
const settings: fc.Arbitrary<RateLimitSettings> = fc
  .uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 5, maxLength: 5 })
  .map(([keyRead = 1, keyWrite = 1, keyCancel = 1, account = 1, ip = 1]) => ({
    keyRead,
    keyWrite,
    keyCancel,
    account,
    ip,
  }));

test('every answer is that of a list of all requests', () => {
  forMany({ numRuns: 600 }, settings, arrivals, (limitSettings, stream) => {
    const limits = limitsOf(limitSettings);
    const reference = new RateLimitReference(limitSettings);
    let nowMs = START_MS;
    for (const arrival of stream) {
      nowMs += arrival.gapMs;
      const decided = take(limits, arrival, nowMs);
      assert.deepEqual(decided, reference.take(askerOf(arrival), arrival.keyState, nowMs));
    }
  });
});

test('Retry-After is enough to succeed, and one second less is not', () => {
  forMany({ numRuns: 60 }, settings, arrivals, (limitSettings, stream) => {
    let nowMs = START_MS;
    stream.forEach((last, index) => {
      nowMs += last.gapMs;
      // The same stream again, as far as here, because asking again would count.
      const ask = (delayMs: number): LimitAnswer => {
        const limits = limitsOf(limitSettings);
        let timeMs = START_MS;
        for (const arrival of stream.slice(0, index)) {
          timeMs += arrival.gapMs;
          take(limits, arrival, timeMs);
        }
        return take(limits, last, nowMs + delayMs);
      };
      const first = ask(0);
      if (first.admitted) return;
      assert.ok(first.retryAfterSeconds >= 1 && first.retryAfterSeconds <= 60);
      assert.ok(ask(first.retryAfterSeconds * 1000).admitted);
      // A forbidden request waits for its key's limits as if it were not.
      if (first.retryAfterSeconds > 1 && last.keyState !== 'forbidden') {
        assert.equal(ask((first.retryAfterSeconds - 1) * 1000).admitted, false);
      }
    });
  });
});

const LIMITS: RateLimitSettings = { keyRead: 3, keyWrite: 2, keyCancel: 5, account: 4, ip: 6 };

const NOBODY: Counted = { address: '198.51.100.1', key: 0, account: 0, keyLimit: KEY_READ };

test('a clock that steps back holds the windows where they were, for all who share them', () => {
  const shared = shareLimits({ ...LIMITS, ip: 2 }, CAPACITY);
  const limits = new RateLimits(shared);
  const other = new RateLimits(shared);
  assert.equal(limits.take(NOBODY, 'unknown', START_MS), true);
  assert.deepEqual([other.take(NOBODY, 'unknown', START_MS - 500_000), other.resetSeconds], [true, 60]);
  assert.deepEqual([limits.take(NOBODY, 'unknown', START_MS - 1), limits.kind], [false, IP]);
  assert.equal(other.take(NOBODY, 'unknown', START_MS + 60_000), true);
});

test('a limit of a million a minute is exact', () => {
  const settings = { keyRead: 1, keyWrite: 1, keyCancel: 1, account: 1, ip: 1_000_000 };
  const limits = new RateLimits(shareLimits(settings, { ...CAPACITY, blocks: 70_000 }));
  const take = (nowMs: number): boolean => limits.take(NOBODY, 'unknown', nowMs);
  let admitted = 0;
  for (let request = 0; request < 1_200_000; request++) {
    if (take(START_MS + Math.floor(request / 25))) admitted += 1;
  }
  assert.deepEqual([admitted, limits.retryAfterSeconds], [1_000_000, Math.ceil((60_000 - 47_999) / 1000)]);
  assert.equal(take(START_MS + 59_999), false);
  for (let request = 0; request < 25; request++) assert.equal(take(START_MS + 60_000), true);
  assert.equal(take(START_MS + 60_000), false, 'the 25 of one millisecond have left');
});

test('what is left of all limits agrees with the headers, and reading it counts nothing', () => {
  forMany({ numRuns: 300 }, settings, arrivals, (limitSettings, stream) => {
    const limits = limitsOf(limitSettings);
    const undisturbed = limitsOf(limitSettings);
    let nowMs = START_MS;
    for (const arrival of stream) {
      nowMs += arrival.gapMs;
      const answer = take(limits, arrival, nowMs);
      assert.deepEqual(answer, take(undisturbed, arrival, nowMs));
      const { address, key, keyLimit, keyState } = arrival;
      const owner = { address: `10.0.0.${address}`, key, account: accountOf(key) };
      const left = limits.left(owner, nowMs);
      const { keyRead, keyWrite, keyCancel, account, ip } = left;
      const found = Object.fromEntries(Object.entries(left).map(([name, { limit }]) => [name, limit]));
      assert.deepEqual(found, limitSettings);
      const counting =
        keyState === 'unknown' ? [ip] : [ip, account, [keyRead, keyWrite, keyCancel][keyLimit] ?? ip];
      const nearest = Math.min(...counting.map(({ remaining }) => remaining));
      const shown = counting.find(({ limit, remaining }) => limit === answer.limit && remaining === nearest);
      assert.ok(shown !== undefined, `${answer.limit} is a limit with ${nearest} left`);
      assert.deepEqual([shown.remaining, shown.resetSeconds], [answer.remaining, answer.resetSeconds]);
    }
  });
});
