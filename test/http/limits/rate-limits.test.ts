/**
 * The rate limits against a reference that keeps every counted request in a list and looks at all of them each
 * time, then their edges one by one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { SITE_WINDOWS_MAX } from '../../../http/limits/address-windows.js';
import { RateLimits, UNLIMITED } from '../../../http/limits/rate-limits.js';
import type { RateLimitSettings } from '../../../http/limits/settings.js';
import {
  type Arrival,
  accountOf,
  type Fate,
  type LimitAnswer,
  RateLimitReference,
} from '../../support/rate-limit-reference.js';

const START_MS = 1_800_000_000_000;

const told = (limits: RateLimits, admitted: boolean): LimitAnswer => ({
  admitted,
  limit: limits.limit,
  remaining: limits.remaining,
  resetSeconds: limits.resetSeconds,
  retryAfterSeconds: limits.retryAfterSeconds,
});

function take(limits: RateLimits, { address, key, isWrite, fate }: Arrival, nowMs: number): LimitAnswer {
  if (!limits.admitAddress(`10.0.0.${address}`, nowMs)) {
    if (fate !== 'unknown') limits.askKey(key, accountOf(key), isWrite, nowMs);
    return told(limits, false);
  }
  if (fate === 'unknown') return told(limits, true);
  if (fate === 'known') return told(limits, limits.admitKey(key, accountOf(key), isWrite, nowMs));
  limits.countKey(key, accountOf(key), isWrite, nowMs);
  return told(limits, true);
}

const arrivals = fc.array(
  fc.record<Arrival>({
    gapMs: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(0, 0, 0, 1, 7) },
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 9_000 }) },
      { weight: 1, arbitrary: fc.constantFrom(59_999, 60_000, 60_001, 200_000) },
    ),
    address: fc.integer({ min: 1, max: 3 }),
    key: fc.integer({ min: 1, max: 4 }),
    isWrite: fc.boolean(),
    fate: fc.constantFrom<Fate>('known', 'known', 'known', 'known', 'forbidden', 'unknown'),
  }),
  { minLength: 1, maxLength: 160 },
);
// All different, so that no two limits of one request tie in both remaining and size.
const settings: fc.Arbitrary<RateLimitSettings> = fc
  .uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 4, maxLength: 4 })
  .map(([keyRead = 1, keyWrite = 1, account = 1, ip = 1]) => ({ keyRead, keyWrite, account, ip }));

test('every answer equals that of a list of all requests', () => {
  fc.assert(
    fc.property(settings, arrivals, (limitSettings, stream) => {
      const limits = new RateLimits(limitSettings);
      const reference = new RateLimitReference(limitSettings);
      let nowMs = START_MS;
      for (const arrival of stream) {
        nowMs += arrival.gapMs;
        assert.deepEqual(take(limits, arrival, nowMs), reference.take(arrival, nowMs));
      }
    }),
    { numRuns: 600 },
  );
});

test('Retry-After is enough to succeed, and one second less is not', () => {
  fc.assert(
    fc.property(settings, arrivals, (limitSettings, stream) => {
      let nowMs = START_MS;
      stream.forEach((last, index) => {
        nowMs += last.gapMs;
        // The same stream again, as far as here, because asking again would count.
        const ask = (delayMs: number): LimitAnswer => {
          const limits = new RateLimits(limitSettings);
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
        // What is forbidden waits for its key's limits as if it were not.
        if (first.retryAfterSeconds > 1 && last.fate !== 'forbidden') {
          assert.equal(ask((first.retryAfterSeconds - 1) * 1000).admitted, false);
        }
      });
    }),
    { numRuns: 60 },
  );
});

const LIMITS: RateLimitSettings = { keyRead: 3, keyWrite: 2, account: 4, ip: 6 };

test('a request leaves its window after exactly 60,000 ms', () => {
  const limits = new RateLimits({ ...LIMITS, ip: 1 });
  assert.equal(limits.admitAddress('a', START_MS), true);
  assert.equal(limits.admitAddress('a', START_MS + 59_999), false);
  assert.equal(limits.retryAfterSeconds, 1);
  assert.equal(limits.admitAddress('a', START_MS + 60_000), true);
});

test('a request refused for its key is not counted for its address', () => {
  const limits = new RateLimits({ ...LIMITS, keyRead: 1 });
  for (let request = 0; request < 50; request++) {
    assert.equal(limits.admitAddress('a', START_MS), true);
    assert.equal(limits.admitKey(1, 1, false, START_MS), request === 0);
  }
  assert.equal(limits.admitAddress('a', START_MS), true);
  assert.equal(limits.remaining, 4, 'of 6, two were counted');
});

test('a refused request without a valid key counts for its address, and shows its limit', () => {
  const limits = new RateLimits(LIMITS);
  assert.equal(limits.admitAddress('a', START_MS), true);
  assert.deepEqual(told(limits, true), {
    admitted: true,
    limit: 6,
    remaining: 5,
    resetSeconds: 60,
    retryAfterSeconds: 0,
  });
});

test('with limits off nothing is counted, and the headers show everything left', () => {
  const limits = new RateLimits(null);
  for (let request = 0; request < 1_000; request++) {
    assert.ok(limits.admitAddress('a', START_MS) && limits.admitKey(1, 1, true, START_MS));
  }
  limits.countKey(1, 1, true, START_MS);
  assert.deepEqual(told(limits, true), {
    admitted: true,
    limit: UNLIMITED,
    remaining: UNLIMITED,
    resetSeconds: 0,
    retryAfterSeconds: 0,
  });
  assert.equal(limits.windows, 0);
});

test('a clock that steps back leaves the windows unchanged', () => {
  const limits = new RateLimits({ ...LIMITS, ip: 2 });
  assert.equal(limits.admitAddress('a', START_MS), true);
  assert.equal(limits.admitAddress('a', START_MS - 500_000), true);
  assert.equal(limits.resetSeconds, 60);
  assert.equal(limits.admitAddress('a', START_MS - 1), false);
  assert.equal(limits.admitAddress('a', START_MS + 60_000), true);
});

test('a limit of a million a minute is exact', () => {
  const limits = new RateLimits({ keyRead: 1, keyWrite: 1, account: 1, ip: 1_000_000 });
  let admitted = 0;
  for (let request = 0; request < 1_200_000; request++) {
    if (limits.admitAddress('a', START_MS + Math.floor(request / 25))) admitted += 1;
  }
  assert.equal(admitted, 1_000_000);
  assert.equal(limits.retryAfterSeconds, Math.ceil((60_000 - 47_999) / 1000));
  assert.equal(limits.admitAddress('a', START_MS + 59_999), false);
  for (let request = 0; request < 25; request++) {
    assert.equal(limits.admitAddress('a', START_MS + 60_000), true);
  }
  assert.equal(limits.admitAddress('a', START_MS + 60_000), false, 'the 25 of one millisecond have left');
});

test('under a flood of addresses idle ones are dropped first, and above the cap unknown ones are refused', () => {
  const limits = new RateLimits({ ...LIMITS, ip: 10 }, 1_000);
  for (let address = 0; address < 1_000; address++) {
    assert.equal(limits.admitAddress(`a${address}`, START_MS + address), true);
  }
  assert.equal(limits.admitAddress('new', START_MS + 5_000), false);
  assert.deepEqual(told(limits, false), {
    admitted: false,
    limit: 10,
    remaining: 0,
    resetSeconds: 55,
    retryAfterSeconds: 55,
  });
  assert.equal(limits.admitAddress('a7', START_MS + 5_000), true, 'a known one goes on');
  assert.equal(limits.admitAddress('new', START_MS + 60_000), true, 'a0 has been silent for a minute');
  assert.equal(limits.admitAddress('other', START_MS + 60_000), false);
  for (let address = 0; address < 20_000; address++) limits.admitAddress(`b${address}`, START_MS + 62_000);
  assert.equal(limits.windows, 1_000);
  assert.equal(limits.admitAddress('a7', START_MS + 64_999), true);
  assert.equal(limits.remaining, 8, 'a7 kept its place, and with it its count');
  assert.equal(limits.admitAddress('late', START_MS + 200_000), true);
  for (let address = 0; address < 400; address++) limits.admitAddress(`c${address}`, START_MS + 200_000);
  assert.equal(limits.windows, 401, 'what fell idle is gone');
});

test('a crowded /48 shares a window, and blocks nobody else', () => {
  const limits = new RateLimits({ ...LIMITS, ip: 10 });
  const admit = (address: string, nowMs = START_MS): boolean => limits.admitAddress(address, nowMs);
  const flood = (nowMs: number): number => {
    let admitted = 0;
    for (let subnet = 0; subnet < 0x10000; subnet++) {
      if (admit(`2001:db8:1:${subnet.toString(16)}::/64`, nowMs)) admitted += 1;
    }
    return admitted;
  };
  assert.equal(
    flood(START_MS),
    SITE_WINDOWS_MAX + 10,
    'those with a window of their own, and the limit of one',
  );
  assert.equal(limits.windows, SITE_WINDOWS_MAX + 1);
  assert.equal(admit('2001:db8:1:ffff::/64'), false);
  assert.equal(limits.retryAfterSeconds, 60);
  assert.equal(admit('2001:db8:1:7::/64'), true, 'one of the first goes on');
  for (const other of ['2001:db8:2:ffff::/64', '2001:db8:0:1::/64', '198.51.100.7']) {
    assert.equal(admit(other), true, other);
    assert.equal(limits.remaining, 9, other);
  }
  // What has fallen idle leaves its place to others of the site.
  assert.equal(admit('2001:db8:1:ffff::/64', START_MS + 59_999), false);
  assert.equal(flood(START_MS + 60_000), SITE_WINDOWS_MAX + 10);
  assert.equal(limits.windows, SITE_WINDOWS_MAX + 1);
});

/** A window of an address with a few requests takes about 320 bytes. Were all addresses kept, it would be above this. */
const WINDOW_BYTES_MAX = 1_000;
const ADDRESSES_MAX = 65_536;

/** Bytes that are in use once nothing is left to collect. */
function usedBytes(collect: () => void): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test('a flood of ten times as many addresses uses no more memory than the table', (context) => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const address = (number: number): string =>
    `2001:${(number >> 16).toString(16)}:${(number & 0xffff).toString(16)}:1::/64`;
  const before = usedBytes(collect);
  const limits = new RateLimits({ ...LIMITS, ip: 1_000 });
  for (let wave = 0; wave < 10; wave++) {
    const nowMs = START_MS + wave * 60_000;
    for (let round = 0; round < 4; round++) {
      for (let number = 0; number < ADDRESSES_MAX; number++)
        limits.admitAddress(address(wave * ADDRESSES_MAX + number), nowMs + round);
    }
  }
  const perWindow = (usedBytes(collect) - before) / ADDRESSES_MAX;
  context.diagnostic(`${perWindow.toFixed(0)} bytes for each of ${limits.windows} windows`);
  assert.equal(limits.windows, ADDRESSES_MAX);
  assert.ok(perWindow > 0 && perWindow < WINDOW_BYTES_MAX, `${perWindow} bytes for each window`);
});

test('an address whose only request was taken back frees its place', () => {
  const limits = new RateLimits({ ...LIMITS, keyRead: 1 }, 3);
  for (const address of ['a', 'b', 'c']) {
    limits.admitAddress(address, START_MS);
    limits.admitKey(1, 1, false, START_MS);
  }
  assert.equal(limits.admitAddress('d', START_MS), true, 'in the place of b or c, which were refused');
  assert.equal(limits.admitAddress('a', START_MS), true);
  assert.equal(limits.remaining, LIMITS.ip - 2);
});

test('idle keys and accounts are forgotten', () => {
  const limits = new RateLimits({ ...LIMITS, ip: 100_000 });
  const wave = (nowMs: number): void => {
    for (let key = 1; key <= 5_000; key++) {
      limits.admitAddress('a', nowMs);
      limits.admitKey(key, accountOf(key), key % 3 === 0, nowMs);
    }
  };
  wave(START_MS);
  assert.equal(limits.windows, 1 + 5_000 + 2_500);
  limits.admitAddress('a', START_MS + 60_000);
  for (let key = 100_000; key < 105_000; key++) {
    limits.admitAddress('a', START_MS + 60_000);
    limits.admitKey(key, key, key % 2 === 0, START_MS + 60_000);
  }
  assert.equal(limits.windows, 1 + 5_000 + 5_000);
});
