/** Addresses as words, and the table that finds them: no two addresses are ever taken for each other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Kind, Owner } from '../../../http/limits/owner.js';
import { OwnerTable } from '../../../http/limits/owner-table.js';
import { Memory } from '../../../http/limits/shared-memory.js';
import { ClientAddresses } from '../../../http/uws/client-address.js';
import { forAll, forMany } from '../../support/for-all.js';

const idOf = (address: string): Owner => {
  const id = new Owner();
  id.read(address);
  return id;
};

function textOf({ kind, high, low }: Owner): string {
  if (kind === Kind.unknown) return 'unknown';
  if (kind === Kind.ipv4) return [low >>> 24, (low >>> 16) & 255, (low >>> 8) & 255, low & 255].join('.');
  const groups = [high >>> 16, high & 0xffff, low >>> 16, low & 0xffff].map((group) => group.toString(16));
  return kind === Kind.ipv6 ? `${groups.join(':')}::/64` : `${groups.slice(0, 3).join(':')}::/48`;
}

const bytes = fc.oneof(
  fc.uint8Array({ minLength: 4, maxLength: 4 }),
  fc.uint8Array({ minLength: 16, maxLength: 16 }),
  fc.constant(new Uint8Array(0)),
);

test('the words of an address say all of it', () => {
  const addresses = new ClientAddresses([]);
  forAll(bytes, (peer) => {
    const { counted } = addresses.peer(new Uint8Array(peer).buffer);
    assert.equal(textOf(idOf(counted)), counted);
  });
  for (const address of ['0.0.0.0', '255.255.255.255', '0:0:0:0::/64', 'ffff:ffff:ffff:ffff::/64', 'unknown'])
    assert.equal(textOf(idOf(address)), address);
});

test('a table of ids is a map', () => {
  const idsMax = 8;
  const ids = fc.record({
    kind: fc.constantFrom(Kind.ipv4, Kind.ipv6, Kind.siteSize, Kind.keyReads, Kind.account),
    high: fc.constantFrom(0, 1, 0xffffffff),
    low: fc.constantFrom(0, 1, 2, 3, 0xfffffffe),
  });
  const steps = fc.array(fc.record({ id: ids, value: fc.integer({ min: 0, max: 9 }) }), {
    maxLength: 200,
    size: 'max',
  });
  forMany({ numRuns: 500 }, fc.integer({ min: 0, max: 2 ** 32 - 1 }), steps, (seed, stream) => {
    const table = new OwnerTable(new Memory(new ArrayBuffer(OwnerTable.bytes(idsMax))), idsMax, seed);
    const map = new Map<string, { id: Owner; value: number }>();
    for (const { id: words, value } of stream) {
      const id = Object.assign(new Owner(), words);
      const name = JSON.stringify(words);
      if (value === 0 && map.has(name)) {
        table.delete(id);
        map.delete(name);
      } else if (value > 0 && (map.has(name) || map.size < idsMax)) {
        table.set(id, value);
        map.set(name, { id, value });
      }
      assert.equal(table.get(id), map.get(name)?.value ?? 0);
      for (const kept of map.values()) assert.equal(table.get(kept.id), kept.value);
    }
  });
});
