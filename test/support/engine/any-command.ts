/** Arbitrary commands for property tests, each as the journal may hold it. */
import fc from 'fast-check';
import type { Command, PlaceOrder } from '../../../engine/model/commands.js';
import {
  ASSET_CLASSES,
  ASSETS,
  LIMIT_ODDS_E4_MAX,
  LIMIT_ODDS_E4_MIN,
  MARKET_IDS,
  NO_END,
  NO_LIMIT,
  SCOPES,
  SHARE_TOO_COARSE,
  SIDES,
  TIERS,
} from '../../../engine/model/domain.js';
import { OPERATOR_KINDS } from '../../../engine/model/operators.js';
import { defaultRules } from '../../../engine/model/rules.js';

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
const tier = index(TIERS);
const source = orNull(text);
const transfer = { timeMs, account: number, amountCents: cents, reference: text };

export const anyOrder: fc.Arbitrary<PlaceOrder> = fc.record({
  kind: kind('placeOrder'),
  timeMs,
  account: number,
  key: number,
  market,
  side: fc.nat(1),
  stakeCents: cents,
  fairShareE6: fc.integer({ min: SHARE_TOO_COARSE, max: 1_000_000 }),
  expectedPercentE6: fc.integer({ min: -1, max: 100_000_000 }),
  limitOddsE4: fc.oneof(
    fc.constant(NO_LIMIT),
    fc.integer({ min: LIMIT_ODDS_E4_MIN, max: LIMIT_ODDS_E4_MAX }),
  ),
  validUntilMs: fc.oneof(fc.constant(NO_END), timeMs),
  idempotency: orNull(idempotency),
  clientSeed: orNull(text),
  clientOrderId: orNull(text),
});

/** Every field at its widest. */
const anyDeed: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: kind('configure'), timeMs, rulesVersion: number, rules: text.map(defaultRules) }),
  fc.record({
    kind: kind('declareSetup'),
    timeMs,
    feed: text,
    clock: fc.constantFrom('system' as const, 'manual' as const),
    rulesFrom: fc.constantFrom('defaults' as const, 'file' as const),
  }),
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
    source,
    evidence: text,
  }),
  fc.record({ kind: kind('openLate'), timeMs, asset, price, priceTimeMs: timeMs, source, evidence: text }),
  fc.record({ kind: kind('confirmPrice'), timeMs, asset, price, reason: text }),
  fc.record({ kind: kind('settle'), timeMs, betsMax: number }),
  anyOrder,
  fc.record({ kind: kind('cancelOrder'), timeMs, account: number, key: number, bet: number }),
  fc.record({
    kind: kind('cancelOrders'),
    ...{ timeMs, account: number, key: number, market: orNull(market) },
    ...{ side: orNull(index(SIDES)), placedBy: orNull(number), ordersMax: number },
  }),
  fc.record({
    kind: kind('fillOrders'),
    timeMs,
    market,
    fairShareE6: fc.integer({ min: SHARE_TOO_COARSE, max: 1_000_000 }),
    ordersMax: number,
  }),
  fc.record({ kind: kind('expireOrders'), timeMs, ordersMax: number }),
  fc.record(
    { kind: kind('createAccount'), timeMs, name: orNull(text), tier, balanceCents: cents, reference: text },
    { requiredKeys: ['kind', 'timeMs', 'name', 'tier', 'balanceCents'] },
  ),
  fc.record({
    kind: kind('updateAccount'),
    ...{ timeMs, account: number, tier: orNull(tier), frozen: orNull(flag) },
  }),
  fc.record({ kind: fc.constantFrom('deposit' as const, 'withdraw' as const), ...transfer }),
  fc.record({
    kind: fc.constantFrom('depositHouse' as const, 'withdrawHouse' as const),
    timeMs,
    amountCents: cents,
    reference: text,
  }),
  fc.record({
    kind: kind('createKey'),
    timeMs,
    account: number,
    digest: text,
    scopesMask: fc.nat(2 ** SCOPES.length - 1),
    expiresAtMs: orNull(timeMs),
  }),
  fc.record({ kind: kind('updateKey'), timeMs, key: number, enabled: flag }),
  fc.record({ kind: kind('setDeadman'), timeMs, key: number, seconds: number }),
  fc.record({ kind: kind('expireKey'), timeMs, key: number, expiresAtMs: timeMs }),
  fc.record({
    kind: kind('rotateKey'),
    timeMs,
    key: number,
    overlapEndsMs: timeMs,
    digest: text,
    expiresAtMs: orNull(timeMs),
  }),
  fc.record({ kind: kind('setTrading'), timeMs, enabled: flag, reason: text }),
  fc.record({ kind: kind('suspendMarket'), timeMs, market, suspended: flag }),
  fc.record({ kind: kind('voidRound'), timeMs, market, roundNumber: number, reason: text }),
  fc.record({
    kind: kind('publishRoot'),
    timeMs,
    market,
    roundNumber: number,
    merkleRoot: text,
    treeSize: number,
    keyId: text,
    signature: text,
  }),
  fc.record({ kind: kind('moveClock'), timeMs }),
);

const by = orNull(fc.record({ operator: text, reason: text }));

export const anyCommand: fc.Arbitrary<Command> = fc
  .tuple(anyDeed, by)
  .map(([deed, sender]) =>
    sender === null || !OPERATOR_KINDS.some((name) => name === deed.kind) ? deed : { ...deed, by: sender },
  );
