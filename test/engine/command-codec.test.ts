/** Each command survives its journal text, whatever its fields hold; what is unknown is refused. */
import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeCommand, encodeCommand, type Upcasters } from '../../engine/command-codec.js';
import type { Command } from '../../engine/commands.js';
import { ASSET_CLASSES, ASSETS, MARKET_IDS, SCOPES, TIERS } from '../../engine/domain.js';
import { defaultRules } from '../../engine/rules.js';

const timeMs = fc.integer({ min: 0, max: 4_102_444_800_000 });
const number = fc.integer({ min: 1, max: 2 ** 40 });
const cents = fc.integer({ min: 1, max: 1e15 });
const index = (list: readonly unknown[]) => fc.nat(list.length - 1);
const text = fc.string({ unit: 'binary', maxLength: 130 });
const price = fc.double({ min: Number.MIN_VALUE, max: 1e12, noNaN: true });
const digest48 = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const flag = fc.boolean();
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const kind = <K extends Command['kind']>(name: K) => fc.constant(name);

const idempotency = fc.record({ keyHigh: digest48, keyLow: digest48, body: digest48 });
const market = index(MARKET_IDS);
const asset = index(ASSETS);
const transfer = { timeMs, account: number, amountCents: cents, reference: text };

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: kind('configure'), timeMs, rulesVersion: number, rules: text.map(defaultRules) }),
  fc.record({ kind: kind('advance'), timeMs }),
  fc.record({
    kind: kind('setCalendar'),
    timeMs,
    assetClass: fc.constantFrom(...ASSET_CLASSES),
    sessions: fc.array(fc.tuple(timeMs, timeMs)),
  }),
  fc.record({
    kind: kind('boundaryPrice'),
    timeMs,
    asset,
    boundaryMs: timeMs,
    price: orNull(price),
    priceTimeMs: orNull(timeMs),
    evidence: text,
  }),
  fc.record({ kind: kind('openLate'), timeMs, asset, price, priceTimeMs: timeMs, evidence: text }),
  fc.record({ kind: kind('settle'), timeMs, betsMax: number }),
  fc.record({
    kind: kind('placeOrder'),
    timeMs,
    account: number,
    key: number,
    market,
    side: fc.nat(1),
    stakeCents: cents,
    expectedPercentE6: fc.integer({ min: -1, max: 100_000_000 }),
    idempotency: orNull(idempotency),
    clientSeed: orNull(text),
  }),
  fc.record({
    kind: kind('createAccount'),
    timeMs,
    name: orNull(text),
    tier: index(TIERS),
    balanceCents: cents,
  }),
  fc.record({
    kind: kind('updateAccount'),
    timeMs,
    account: number,
    tier: orNull(index(TIERS)),
    frozen: orNull(flag),
  }),
  fc.record({ kind: fc.constantFrom('deposit' as const, 'withdraw' as const), ...transfer }),
  fc.record({ kind: kind('depositHouse'), timeMs, amountCents: cents, reference: text }),
  fc.record({
    kind: kind('createKey'),
    timeMs,
    account: number,
    digest: text,
    scopesMask: fc.nat(2 ** SCOPES.length - 1),
    expiresAtMs: orNull(timeMs),
  }),
  fc.record({ kind: kind('updateKey'), timeMs, key: number, enabled: flag }),
  fc.record({ kind: kind('setTrading'), timeMs, enabled: flag, reason: text }),
  fc.record({ kind: kind('suspendMarket'), timeMs, market, suspended: flag }),
  fc.record({ kind: kind('voidRound'), timeMs, market, roundNumber: number, reason: text }),
);

test('every command comes back from its text as it was', () => {
  fc.assert(
    fc.property(command, (original) => {
      // fast-check's records have no prototype; JSON's have one.
      deepEqual(decodeCommand(JSON.parse(encodeCommand(original))), structuredClone(original));
    }),
    { numRuns: 5_000, seed: 20_261_121 },
  );
});

test('a kind or a version that this program does not know is refused', () => {
  const known = JSON.parse(encodeCommand({ kind: 'advance', timeMs: 1 })) as unknown[];
  equal(decodeCommand(known).kind, 'advance');
  throws(() => decodeCommand(['teleport', 1, 1, {}]), /teleport/);
  throws(() => decodeCommand([known[0], 2, ...known.slice(2)]), /version 2/);
  throws(() => decodeCommand({ kind: 'advance' }), /JSON array/);
  throws(() => decodeCommand(['__proto__', 1, 1, {}]));
  throws(() => decodeCommand(['constructor', undefined, 1, {}]));
});

test('an older version is brought to the current one step by step', () => {
  const current = JSON.parse(
    encodeCommand({ kind: 'deposit', timeMs: 7, account: 3, amountCents: 250, reference: 'r' }),
  );
  // Versions that no program has written: -1 had dollars and no reference, 0 dollars.
  const older = ['deposit', -1, 7, { account: 3, dollars: 2.5 }];
  const upcasters: Upcasters = {
    deposit: {
      [-1]: ([kind, , timeMs, fields]) => [kind, 0, timeMs, { ...(fields as object), reference: 'r' }],
      0: ([kind, , timeMs, fields]) => {
        const { dollars, ...others } = fields as { dollars: number };
        return [kind, 1, timeMs, { ...others, amountCents: dollars * 100 }];
      },
    },
  };
  deepEqual(decodeCommand(older, upcasters), decodeCommand(current));
  deepEqual(decodeCommand(current, upcasters), decodeCommand(current));
});

test('a version without an upcaster is refused, and so is an upcaster that does not do its step', () => {
  const text = ['advance', 0, 1, {}];
  throws(() => decodeCommand(text), /"advance" of version 0, which this program does not know/);
  throws(() => decodeCommand(text, { deposit: { 0: () => ['advance', 1, 1, {}] } }), /of version 0/);
  throws(() => decodeCommand(text, { advance: { 0: (old) => old } }), /becomes the next version/);
  const all = {
    [-1]: (old: readonly unknown[]) => old,
    1: (old: readonly unknown[]) => [old[0], 2, old[2], {}],
  };
  throws(() => decodeCommand(['advance', 2, 1, {}], { advance: all }), /version 2/);
  throws(() => decodeCommand(['advance', 'x', 1, {}], { advance: all }), /version x/);
});
