/** The address that a request counts for: forms of addresses, and trust in `X-Forwarded-For`. */
import assert from 'node:assert/strict';
import { isIPv4, SocketAddress } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseAddressRange } from '../../../config/hosts.js';
import { ClientAddresses } from '../../../http/uws/client-address.js';
import { forAll } from '../../support/for-all.js';

const bytesOf = (...bytes: number[]): ArrayBuffer => new Uint8Array(bytes).buffer;
const ipv4 = (text: string): ArrayBuffer => bytesOf(...text.split('.').map(Number));
const mapped = (text: string): ArrayBuffer =>
  bytesOf(...new Array<number>(10).fill(0), 255, 255, ...text.split('.').map(Number));
const ipv6 = (...groups: number[]): ArrayBuffer => bytesOf(...groups.flatMap((g) => [g >> 8, g & 255]));

test('IPv4 counts as text, also if mapped into IPv6', () => {
  const addresses = new ClientAddresses([]);
  assert.equal(addresses.peer(ipv4('203.0.113.9')).counted, '203.0.113.9');
  assert.equal(addresses.peer(mapped('203.0.113.9')).counted, '203.0.113.9');
  assert.equal(addresses.peer(ipv4('0.0.0.0')).counted, '0.0.0.0');
  assert.equal(addresses.peer(ipv4('255.255.255.255')).counted, '255.255.255.255');
});

test('IPv6 counts by /64', () => {
  const addresses = new ClientAddresses([]);
  const counted = (...groups: number[]): string => addresses.peer(ipv6(...groups)).counted;
  const home = counted(0x2001, 0xdb8, 1, 2, 3, 4, 5, 6);
  assert.deepEqual([home, counted(0x2001, 0xdb8, 1, 2, 0xffff, 0, 0, 1)], ['2001:db8:1:2::/64', home]);
  assert.notEqual(counted(0x2001, 0xdb8, 1, 3, 3, 4, 5, 6), home);
  assert.equal(counted(0, 0, 0, 0, 0, 0, 0, 1), '0:0:0:0::/64');
});

test('connections without an address count as one client', () => {
  assert.equal(new ClientAddresses(['0.0.0.0/0']).peer(new ArrayBuffer(0)).counted, 'unknown');
  assert.equal(new ClientAddresses(['0.0.0.0/0']).peer(new ArrayBuffer(0)).isTrusted, false);
});

function counts(proxies: string[], peer: ArrayBuffer, forwardedFor: string): string {
  const addresses = new ClientAddresses(proxies);
  const first = addresses.counted(addresses.peer(peer), forwardedFor);
  assert.equal(addresses.counted(addresses.peer(peer), forwardedFor), first, 'remembered as it was found');
  return first;
}

test('X-Forwarded-For counts from a trusted proxy only', () => {
  assert.equal(counts([], ipv4('10.0.0.1'), '203.0.113.9'), '10.0.0.1');
  assert.equal(counts(['10.0.0.2'], ipv4('10.0.0.1'), '203.0.113.9'), '10.0.0.1');
  assert.equal(counts(['10.0.0.1'], ipv4('10.0.0.1'), '203.0.113.9'), '203.0.113.9');
  assert.equal(counts(['10.0.0.0/8'], ipv4('10.200.0.1'), '203.0.113.9'), '203.0.113.9');
  assert.equal(counts(['10.0.0.0/8'], mapped('10.200.0.1'), '203.0.113.9'), '203.0.113.9');
  assert.equal(counts(['10.0.0.0/8'], ipv4('11.0.0.1'), '203.0.113.9'), '11.0.0.1');
  const proxy = ipv6(0xfd00, 0, 0, 0, 0, 0, 0, 1);
  assert.equal(counts(['fd00::/8'], proxy, '203.0.113.9'), '203.0.113.9');
  assert.equal(counts(['fd00::1'], proxy, '2001:db8:1:2:3::4'), '2001:db8:1:2::/64');
  assert.equal(counts(['fd00::2'], proxy, '203.0.113.9'), 'fd00:0:0:0::/64');
});

test('the right-most address that is not a trusted proxy counts', () => {
  for (const list of [
    ...['1.1.1.1, 203.0.113.9', '1.1.1.1,203.0.113.9,10.0.0.7 , 10.9.9.9', 'nonsense, 203.0.113.9'],
    ...['203.0.113.9, ::ffff:10.0.0.7', '::ffff:203.0.113.9', `${'9.9.9.9, '.repeat(30)}203.0.113.9`],
  ])
    assert.equal(counts(['10.0.0.0/8'], ipv4('10.0.0.1'), list), '203.0.113.9', list);
});

test('a missing, malformed or all-trusted list counts for the proxy itself', () => {
  for (const list of [
    ...['', ' ', ',', 'unknown', '203.0.113.9,', '203.0.113.9, 300.1.1.1', '203.0.113.9:'],
    ...['203.0.113.9:https', '203.0.113.9:443000', '2001:db8::1]:443', '[203.0.113.9', '[unknown]:443'],
    ...['fe80::1%eth0', '[fe80::1%eth0]:443', '10.0.0.7, 10.0.0.8'],
  ]) {
    assert.equal(counts(['10.0.0.0/8'], ipv4('10.0.0.1'), list), '10.0.0.1', JSON.stringify(list));
  }
});

test('an address with a port counts as the address', () => {
  for (const [list, counted] of [
    ['8.8.8.8:443', '8.8.8.8'],
    ['[2001:db8:1:2::5]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::5]', '2001:db8:1:2::/64'],
    ['[::ffff:8.8.8.8]:1', '8.8.8.8'],
    ['2001:db8:1:2::443', '2001:db8:1:2::/64'],
    ['8.8.8.8:1, 10.0.0.7:65535, [fd00::1]:80', '8.8.8.8'],
  ] as const)
    assert.equal(counts(['10.0.0.0/8', 'fd00::/8'], ipv4('10.0.0.1'), list), counted, list);
});

test('a list without an address counts for its own proxy', () => {
  const addresses = new ClientAddresses(['10.0.0.0/8']);
  const counted = (proxy: string, list: string): string =>
    addresses.counted(addresses.peer(ipv4(proxy)), list);
  for (const list of ['unknown', '10.0.0.7', '203.0.113.9, _hidden']) {
    assert.equal(counted('10.0.0.1', list), '10.0.0.1', list);
    assert.equal(counted('10.0.0.2', list), '10.0.0.2', list);
    assert.equal(counted('10.0.0.1', list), '10.0.0.1', list);
  }
});

test('every text form of an IPv6 address counts as its bytes do', () => {
  const group = fc.oneof(fc.constantFrom(0, 0, 0xffff), fc.integer({ min: 0, max: 0xffff }));
  forAll(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
    const long = groups.map((g) => g.toString(16)).join(':');
    const short = new SocketAddress({ address: long, family: 'ipv6' }).address;
    const forwarding = new ClientAddresses(['10.0.0.1']);
    const proxy = forwarding.peer(ipv4('10.0.0.1'));
    const direct = forwarding.peer(ipv6(...groups)).counted;
    assert.deepEqual([forwarding.counted(proxy, long), forwarding.counted(proxy, short)], [direct, direct]);
    const isMapped = groups.slice(0, 5).every((g) => g === 0) && groups[5] === 0xffff;
    assert.equal(isIPv4(direct), isMapped);
  });
});

test('many addresses are distinguished, whatever is cached', () => {
  const addresses = new ClientAddresses(['10.0.0.1']);
  const proxy = addresses.peer(ipv4('10.0.0.1'));
  for (let host = 0; host < 70_000; host++) {
    const text = `172.${16 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
    assert.deepEqual([addresses.peer(ipv4(text)).counted, addresses.counted(proxy, text)], [text, text]);
  }
});

test('addresses and ranges are read, everything else is refused', () => {
  assert.deepEqual(parseAddressRange('10.0.0.1'), { address: '10.0.0.1', family: 'ipv4', prefixBits: 32 });
  assert.deepEqual(parseAddressRange('fd00::/8'), { address: 'fd00::', family: 'ipv6', prefixBits: 8 });
  for (const text of [
    ...['', '10.0.0', '10.0.0.1/33', '::/129', '10.0.0.1/', '10.0.0.1/-1', 'host', 'fe80::1%lo'],
  ]) {
    assert.equal(parseAddressRange(text), null, text);
  }
});
