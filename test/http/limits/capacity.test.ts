/** The bounds of the rate limits: their memory, the first to go, and the end of room. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEY_CANCEL, KEY_READ, type KeyLimit, type RateLimitSettings } from '../../../config/rate-limits.js';
import { must } from '../../../engine/base/assert.js';
import { RateLimits } from '../../../http/limits/rate-limits.js';
import { type LimitsCapacity, LimitTables, shareLimits } from '../../../http/limits/shared-limits.js';
import { SITE_WINDOWS_MAX } from '../../../http/limits/window-table.js';
import { accountOf, FEW_LIMITS } from '../../support/http/limits-capacity.js';

const START_MS = 1_800_000_000_000;
const LIMITS: RateLimitSettings = { keyRead: 3, keyWrite: 2, keyCancel: 2, account: 4, ip: 10 };
const NO_KEY = { key: 0, account: 0, keyLimit: KEY_READ } as const;

class Taker {
  readonly limits: RateLimits;
  /** Another thread's view of them. */
  readonly tables: LimitTables;

  constructor(settings: Partial<RateLimitSettings>, capacity: Partial<LimitsCapacity>) {
    const shared = must(shareLimits({ ...LIMITS, ...settings }, { ...FEW_LIMITS, ...capacity }), 'limits');
    this.limits = new RateLimits(shared);
    this.tables = new LimitTables(shared);
  }

  admits(address: string, nowMs: number): boolean {
    return this.limits.take({ address, ...NO_KEY }, 'unknown', nowMs);
  }
  admitsKey(address: string, key: number, nowMs: number, keyLimit: KeyLimit = KEY_READ): boolean {
    return this.limits.take({ address, key, account: key, keyLimit }, 'known', nowMs);
  }
  get windows(): number {
    return this.tables.addresses.size + this.tables.keys.size + this.tables.accounts.size;
  }
}

const ipv4 = (number: number): string => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;

test('under a flood of addresses the idle go first, and past the cap the unknown are refused', () => {
  const taker = new Taker({}, { addresses: 1_000 });
  const { limits } = taker;
  for (let address = 0; address < 1_000; address++) {
    assert.equal(taker.admits(ipv4(address), START_MS + address), true);
  }
  assert.equal(taker.admits('198.51.100.1', START_MS + 5_000), false);
  const { limit, remaining, resetSeconds, retryAfterSeconds } = limits;
  assert.deepEqual([limit, remaining, resetSeconds, retryAfterSeconds], [10, 0, 55, 55]);
  assert.equal(taker.admits(ipv4(7), START_MS + 5_000), true, 'a known one goes on');
  const laterMs = START_MS + 60_000;
  assert.equal(taker.admits('198.51.100.1', laterMs), true, 'the first has been silent for a minute');
  assert.equal(taker.admits('198.51.100.2', laterMs), false);
  for (let address = 0; address < 20_000; address++) taker.admits(ipv4(10_000 + address), START_MS + 62_000);
  assert.deepEqual([taker.windows, taker.admits(ipv4(7), START_MS + 64_999)], [1_000, true]);
  assert.equal(limits.remaining, 8, 'it kept its place, and with it its count');
  assert.equal(taker.admits('198.51.100.3', START_MS + 200_000), true);
  for (let address = 0; address < 400; address++) taker.admits(ipv4(50_000 + address), START_MS + 200_000);
  assert.equal(taker.windows, 401, 'what fell idle is gone');
});

test('a crowded /48 shares a window, and shuts out nobody else', () => {
  const taker = new Taker({}, {});
  const { limits } = taker;
  const flood = (nowMs: number): number => {
    let admitted = 0;
    for (let subnet = 0; subnet < 0x10000; subnet++) {
      if (taker.admits(`2001:db8:1:${subnet.toString(16)}::/64`, nowMs)) admitted += 1;
    }
    return admitted;
  };
  const each = SITE_WINDOWS_MAX + 10;
  assert.equal(flood(START_MS), each, 'those with a window of their own, and the limit of one');
  assert.equal(taker.windows, SITE_WINDOWS_MAX + 1);
  assert.deepEqual([taker.admits('2001:db8:1:ffff::/64', START_MS), limits.retryAfterSeconds], [false, 60]);
  assert.equal(taker.admits('2001:db8:1:7::/64', START_MS), true, 'one of the first goes on');
  for (const other of ['2001:db8:2:ffff::/64', '2001:db8:0:1::/64', '198.51.100.7']) {
    assert.equal(taker.admits(other, START_MS), true, other);
    assert.equal(limits.remaining, 9, other);
  }
  // Idle windows leave their place to others of the site.
  assert.equal(taker.admits('2001:db8:1:ffff::/64', START_MS + 59_999), false);
  assert.equal(taker.admits('2001:db8:1:ffff::/64', START_MS + 60_000), true, 'in one of its own');
  assert.deepEqual([flood(START_MS + 60_000), taker.windows], [each, SITE_WINDOWS_MAX + 1]);
});

test('a flood of ten times the addresses uses the memory of those that are remembered', () => {
  const addresses = 16_384;
  const taker = new Taker({ ip: 1_000 }, { addresses, blocks: 10 * addresses });
  const address = (number: number): string =>
    `2001:${(number >> 16).toString(16)}:${(number & 0xffff).toString(16)}:1::/64`;
  for (let wave = 0; wave < 10; wave++) {
    for (let round = 0; round < 4; round++) {
      for (let number = 0; number < addresses; number++)
        assert.ok(taker.admits(address(wave * addresses + number), START_MS + wave * 61_000 + round));
    }
  }
  assert.deepEqual([taker.windows, taker.tables.windows.blocksTouched], [addresses, addresses]);
});

test('an address whose only request was refused for its key takes no place', () => {
  const taker = new Taker({ keyRead: 1 }, { addresses: 2 });
  for (const address of ['10.0.0.1', '10.0.0.2', '10.0.0.3'])
    assert.equal(taker.admitsKey(address, 1, START_MS), address === '10.0.0.1');
  assert.equal(taker.admits('10.0.0.4', START_MS), true);
  assert.equal(taker.admits('10.0.0.3', START_MS), false, 'now all are taken');
});

test('idle keys and accounts are forgotten', () => {
  const taker = new Taker({ ip: 100_000 }, {});
  const { limits } = taker;
  for (let key = 1; key <= 5_000; key++) {
    limits.take(
      { address: '10.0.0.1', key, account: accountOf(key), keyLimit: key % 3 === 0 ? KEY_CANCEL : KEY_READ },
      'known',
      START_MS,
    );
  }
  assert.equal(taker.windows, 1 + 5_000 + 2_500);
  for (let key = 100_000; key < 105_000; key++) {
    assert.ok(taker.admitsKey('10.0.0.1', key, START_MS + 60_000, key % 2 === 0 ? KEY_CANCEL : KEY_READ));
  }
  assert.equal(taker.windows, 1 + 5_000 + 5_000);
});

test('past the cap on keys and accounts further ones are refused for a minute', () => {
  const taker = new Taker({ ip: 100_000 }, { keys: 100 });
  for (let key = 1; key <= 100; key++) assert.equal(taker.admitsKey('10.0.0.1', key, START_MS), true);
  assert.equal(taker.admitsKey('10.0.0.1', 101, START_MS + 1, KEY_CANCEL), false);
  const { limit, remaining, resetSeconds, retryAfterSeconds } = taker.limits;
  assert.deepEqual([limit, remaining, resetSeconds, retryAfterSeconds], [2, 0, 60, 60]);
  assert.equal(taker.admitsKey('10.0.0.1', 7, START_MS + 1), true, 'a known one goes on');
  assert.deepEqual([taker.windows, taker.admitsKey('10.0.0.1', 101, START_MS + 60_001)], [201, true]);
});

test('without room for the times of requests they are refused for a minute, and then there is room again', () => {
  const taker = new Taker({ ip: 1_000 }, { blocks: 8 });
  let admitted = 0;
  for (let request = 0; request < 200; request++) {
    if (taker.admits(ipv4(request & 3), START_MS + request)) admitted += 1;
  }
  assert.ok(admitted > 60 && admitted < 130, `${admitted} of 8 blocks of 15`);
  const { limit, remaining, retryAfterSeconds } = taker.limits;
  assert.deepEqual([limit, remaining, retryAfterSeconds], [1_000, 0, 60]);
  const later = START_MS + 60_200;
  for (let request = 0; request <= 60; request++)
    assert.equal(taker.admits('10.0.0.1', later + request * 1_000), true);
  assert.equal(taker.limits.remaining, 1_000 - 60, 'of 61 the first has left, to the millisecond');
});
