/**
 * The journal's commands give the same state again: through their text form, whatever the batches were, and nothing
 * but these commands does.
 */
import { equal, notEqual, ok } from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../engine/base/assert.js';
import { RollingDigest } from '../../engine/digest/rolling.js';
import { Engine } from '../../engine/engine.js';
import { decodeCommand, encodeCommand } from '../../engine/model/command-codec.js';
import type { Command } from '../../engine/model/commands.js';
import { NO_END, NO_LIMIT, TIERS } from '../../engine/model/domain.js';
import type { EngineEvent } from '../../engine/model/events.js';
import type { MarketRules, Rules } from '../../engine/model/rules.js';
import { byEffort } from '../support/effort.js';
import { plainOrder } from '../support/engine/plain-order.js';
import { digestsOf } from '../support/engine/snapshots.js';
import { BTC_1M, DAY_MS, Exchange } from '../support/reference/exchange.js';
import { Rng } from '../support/reference/random/rng.js';
import { drawStream } from '../support/reference/random/stream.js';

const STREAMS = byEffort({ test: 3, prove: 7, night: 150 });
const STEPS = 500;

const stepSeeds = (rng: Rng): number[] => Array.from({ length: STEPS }, () => rng.integer(0, 0xffff_ffff));

function play(stream: number, rng: Rng): { readonly engine: Engine; readonly accepted: readonly Command[] } {
  const engine = new Engine();
  const accepted: Command[] = [];
  for (const { command, gate } of drawStream(stream, stepSeeds(rng)).tried)
    if (engine.apply(command, gate).status === 'accepted') accepted.push(command);
  return { engine, accepted };
}

function rows(texts: readonly string[], rng: Rng): string[] {
  const cut: string[] = [];
  for (let from = 0; from < texts.length; ) {
    const size = rng.chance(0.5) ? 1 : rng.integer(1, 200);
    cut.push(`[${texts.slice(from, from + size).join(',')}]`);
    from += size;
  }
  return cut;
}

function replay(journal: readonly string[]): Engine {
  const engine = new Engine();
  for (const row of journal)
    for (const value of JSON.parse(row) as unknown[])
      equal(engine.apply(decodeCommand(value)).status, 'accepted');
  return engine;
}

test('replaying the journal gives the same digests, whatever the batches', () => {
  for (let stream = 1; stream <= STREAMS; stream++) {
    const rng = new Rng(stream);
    const { engine, accepted } = play(stream, rng);
    const expected = digestsOf(engine);
    const texts = accepted.map(encodeCommand);
    for (const journal of [texts.map((text) => `[${text}]`), [`[${texts.join(',')}]`], rows(texts, rng)]) {
      const again = replay(journal);
      equal(digestsOf(again), expected, `stream ${stream}`);
      equal(again.seq, engine.seq);
    }
  }
});

test('the rolling digest agrees after every command, not only at the end', () => {
  const { accepted } = play(77, new Rng(77));
  const [one, two] = [new Engine(), new Engine()];
  const seen = new Set<string>();
  for (const command of accepted) {
    one.apply(command);
    two.apply(decodeCommand(JSON.parse(encodeCommand(command))));
    equal(two.rollingDigest(), one.rollingDigest());
    seen.add(one.rollingDigest());
  }
  equal(seen.size, accepted.length, 'each command moves it');
});

test('one altered command is detected at once: it is refused, or the digests differ', () => {
  const altered = new Set<string>();
  for (let stream = 1; stream <= STREAMS; stream++) {
    const { accepted } = play(stream, new Rng(stream));
    const rng = new Rng(stream);
    const kinds = new Set(accepted.map(({ kind }) => kind));
    for (const kind of kinds) {
      const command = rng.pick(accepted.filter((one) => one.kind === kind));
      const index = accepted.indexOf(command);
      const other = alter(command, rng);
      altered.add(kind);
      const history = accepted.slice(0, index);
      notEqual(digestAfter(history, other), digestAfter(history, command));
    }
  }
  ok(altered.size >= 12, `altered were ${[...altered].join(', ')}`);
});

function digestAfter(history: readonly Command[], command: Command): string {
  const engine = new Engine();
  for (const earlier of history) engine.apply(earlier);
  const outcome = engine.apply(command);
  return outcome.status === 'accepted' ? digestsOf(engine) : outcome.status;
}

/** Outcomes or state depend on these facts, of commands whose facts stand beside each other. */
const FACTS: Readonly<Partial<Record<Command['kind'], readonly string[]>>> = {
  ...{ advance: ['timeMs'], settle: ['timeMs'], moveClock: ['timeMs'], cancelOrder: ['timeMs'] },
  ...{ cancelOrders: ['timeMs'], suspendMarket: ['suspended'], setDeadman: ['seconds'] },
  ...{ fillOrders: ['timeMs'], expireOrders: ['timeMs'], boundaryPrice: ['price'], openLate: ['price'] },
  ...{ declareSetup: ['feed'], confirmPrice: ['reason'], voidRound: ['reason'] },
  ...{ setTrading: ['reason', 'enabled'], publishRoot: ['merkleRoot', 'signature'] },
  ...{ createAccount: ['name', 'tier', 'balanceCents', 'reference'] },
  ...{ updateKey: ['enabled'], expireKey: ['expiresAtMs'] },
  ...{ createKey: ['scopesMask', 'digest', 'expiresAtMs'], rotateKey: ['digest', 'expiresAtMs'] },
  ...{ deposit: ['amountCents', 'reference'], withdraw: ['amountCents', 'reference'] },
  ...{ depositHouse: ['amountCents', 'reference'], withdrawHouse: ['amountCents', 'reference'] },
};

const nextTier = (tier: number): number => (tier + 1) % TIERS.length;

function otherThan(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'string' ? `${value.startsWith('a') ? 'b' : 'a'}${value.slice(1)}` : 1;
}

function alter(command: Command, rng: Rng): Command {
  switch (command.kind) {
    case 'configure':
      return { ...command, rules: alterRules(command.rules, rng) };
    case 'setCalendar':
      return { ...command, sessions: [...command.sessions, [1, 2]] };
    case 'placeOrder':
      return alterOrder(command, rng);
    case 'updateAccount':
      return alterUpdate(command, rng);
    default: {
      const name = rng.pick(must(FACTS[command.kind], command.kind));
      const value = (command as unknown as Readonly<Record<string, unknown>>)[name];
      return { ...command, [name]: name === 'tier' ? nextTier(Number(value)) : otherThan(value) };
    }
  }
}

const withMoreSeeds = (market: MarketRules): MarketRules => ({
  ...market,
  house: { ...market.house, seedCents: market.house.seedCents + 1 },
});

function alterRules(rules: Rules, rng: Rng): Rules {
  const [first, ...others] = rules.markets;
  return rng.pick<Rules>([
    { ...rules, openBetsMax: rules.openBetsMax + 1 },
    { ...rules, idempotencyTtlMs: rules.idempotencyTtlMs + 1 },
    { ...rules, tiers: rules.tiers.map((tier) => ({ ...tier, activeKeysMax: tier.activeKeysMax + 1 })) },
    { ...rules, markets: first === undefined ? [] : [...others, withMoreSeeds(first)] },
    { ...rules, masterSecretFingerprint: 'cd'.repeat(32) },
  ]);
}

/** A field that was left alone may have the other value already: only set fields change, or the account. */
function alterUpdate(command: Extract<Command, { kind: 'updateAccount' }>, rng: Rng): Command {
  const { tier, frozen } = command;
  if (tier !== null && rng.chance(0.5)) return { ...command, tier: nextTier(tier) };
  if (frozen !== null && rng.chance(0.8)) return { ...command, frozen: !frozen };
  return { ...command, account: command.account === 1 ? 2 : 1 };
}

function alterOrder(command: Extract<Command, { kind: 'placeOrder' }>, rng: Rng): Command {
  const { idempotency } = command;
  if (idempotency !== null && rng.chance(0.4)) {
    return { ...command, idempotency: { ...idempotency, body: idempotency.body + 1 } };
  }
  return rng.pick<Command>([
    { ...command, stakeCents: command.stakeCents + 1 },
    { ...command, side: 1 - command.side },
    { ...command, account: command.account === 1 ? 2 : 1 },
    { ...command, clientSeed: `${command.clientSeed}!` },
    { ...command, clientOrderId: `${command.clientOrderId}!` },
    ...(command.limitOddsE4 === NO_LIMIT ? [] : [{ ...command, limitOddsE4: command.limitOddsE4 + 1 }]),
    ...(command.validUntilMs === NO_END ? [] : [{ ...command, validUntilMs: command.validUntilMs + 1 }]),
    { ...command, idempotency: { keyHigh: 1, keyLow: 2, body: 3 } },
  ]);
}

const digestOf = (event: EngineEvent, digest = new RollingDigest()): string => {
  if (event.type === 'betPlaced') digest.foldPlaced(1, event);
  else digest.foldOutcome(1, [event]);
  return digest.hex();
};

test('the rolling digest takes in each number of a bet, and which bet of whom has ended how', () => {
  const exchange = Exchange.opened();
  const account = exchange.account('VIP', 100_00);
  const bet = exchange.placed({ account });
  const limit = { account, stakeCents: 1_00, limitOddsE4: 90_000, validUntilMs: DAY_MS + 9_000 };
  const [resting] = exchange.accepted(plainOrder({ timeMs: DAY_MS, market: BTC_1M, ...limit }));
  exchange.voidCurrent(BTC_1M);
  const [ended] = exchange.settleAll();
  ok(resting?.type === 'orderPending' && ended?.type === 'betSettled');
  // A bet with a limit is folded elsewhere. The end of a bet repeats facts of it.
  const { limitOddsE4: _, ...placed } = bet;
  const { market, roundNumber, side, stakeCents, ...end } = ended;
  for (const [event, facts] of [[bet, placed] as const, [resting, resting] as const, [ended, end] as const]) {
    const numbers = Object.entries(facts).filter((fact) => typeof fact[1] === 'number');
    const others = numbers.map(([name, value]) => digestOf({ ...event, [name]: Number(value) + 1 }));
    equal(new Set([digestOf(event), ...others]).size, numbers.length + 1, event.type);
  }
});
