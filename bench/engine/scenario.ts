/**
 * An engine with open rounds in all 70 markets and funded accounts, and the orders for it: the same in every run,
 * spread over accounts and markets, sides alternating so that no round reaches its exposure limit.
 */
import { createHash } from 'node:crypto';
import { assert } from '../../engine/base/assert.js';
import { Engine } from '../../engine/engine.js';
import type { Command, PlaceOrder } from '../../engine/model/commands.js';
import { ASSETS, MARKETS_MAX, scopesMask, TIERS } from '../../engine/model/domain.js';
import { defaultRules, RULES_VERSION, type Rules } from '../../engine/model/rules.js';

/** 2026-01-05 12:00 UTC: the beginning of a round in every time frame but the longest, when all markets are open. */
export const START_MS = Date.UTC(2026, 0, 5, 12);
const ORDERS_PER_MS = 50;
/** From here ONE_MINUTE markets take no bets (5 s lead, 20 s cutoff): 1.75 million orders fit before. */
const BETTING_MS = 35_000;
const BALANCE_CENTS = 1_000_000_00;
const HOUSE_CENTS = 1_000_000_000_00;
const STAKE_CENTS = 1_00;
const PRICE = 100;

export interface Scenario {
  readonly engine: Engine;
  readonly accounts: number;
}

function benchRules(openBetsMax: number, secretFingerprint: string): Rules {
  return { ...defaultRules(secretFingerprint), openBetsMax };
}

/** VIP accounts with a key each, whose number is the account's, and a round in every market. */
export function setUpCommands(
  accounts: number,
  openBetsMax: number,
  secretFingerprint = '0'.repeat(64),
): Command[] {
  const timeMs = START_MS;
  const tier = TIERS.indexOf('VIP');
  const commands: Command[] = [
    {
      kind: 'configure',
      timeMs,
      rulesVersion: RULES_VERSION,
      rules: benchRules(openBetsMax, secretFingerprint),
    },
    { kind: 'depositHouse', timeMs, amountCents: HOUSE_CENTS, reference: 'capital' },
  ];
  for (let account = 1; account <= accounts; account += 1) {
    const digest = createHash('sha256').update(String(account)).digest('hex');
    const key = { account, digest, scopesMask: scopesMask(['orders:write']), expiresAtMs: null };
    commands.push({ kind: 'createAccount', timeMs, name: null, tier, balanceCents: BALANCE_CENTS });
    commands.push({ kind: 'createKey', timeMs, ...key });
  }
  ASSETS.forEach((_, asset) => {
    commands.push({
      kind: 'openLate',
      timeMs,
      asset,
      price: PRICE,
      priceTimeMs: timeMs,
      source: null,
      evidence: 'bench',
    });
  });
  return commands;
}

export function openScenario(accounts: number, openBetsMax: number): Scenario {
  const engine = new Engine();
  for (const command of setUpCommands(accounts, openBetsMax)) {
    const outcome = engine.apply(command);
    assert(outcome.status === 'accepted', `${command.kind} is accepted: ${JSON.stringify(outcome)}`);
  }
  return { engine, accounts };
}

/** Pseudo-random whole numbers below 2^32 by their index: murmur3's finalizer. */
function scatter(index: number): number {
  let mixed = Math.imul(index ^ (index >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** Below 1.75 million an order is placed, with an Idempotency-Key of its own. */
export function order(index: number, accounts: number): PlaceOrder {
  const account = 1 + (scatter(index) % accounts);
  const sinceStartMs = Math.floor(index / ORDERS_PER_MS);
  assert(sinceStartMs < BETTING_MS, 'betting is still open');
  return {
    kind: 'placeOrder',
    timeMs: START_MS + sinceStartMs,
    account,
    key: account,
    market: index % MARKETS_MAX,
    side: Math.floor(index / MARKETS_MAX) % 2,
    stakeCents: STAKE_CENTS,
    fairShareE6: 480_000 + (scatter(index >> 10) % 40_000),
    expectedPercentE6: -1,
    limitOddsE4: 0,
    validUntilMs: 0,
    idempotency: {
      keyHigh: scatter(index * 3 + 1) * 65_536,
      keyLow: scatter(index * 3 + 2) * 65_536 + (scatter(index * 3) % 65_536),
      body: scatter(index % 4_096) * 65_536,
    },
    clientSeed: null,
    clientOrderId: null,
  };
}

export function orders(from: number, count: number, accounts: number): PlaceOrder[] {
  return Array.from({ length: count }, (_, at) => order(from + at, accounts));
}

export function assertLedger({ engine }: Scenario, bets: number): void {
  const { houseCents, accountsCents, openStakesCents, openSeedsCents, depositsCents, withdrawalsCents } =
    engine.totals();
  assert(engine.betsPlaced === bets, `${bets} bets were placed: ${engine.betsPlaced}`);
  assert(
    houseCents + accountsCents + openStakesCents + openSeedsCents === depositsCents - withdrawalsCents,
    'money is conserved',
  );
}
