import type { Command } from '../../../../engine/model/commands.js';
import { ASSET_CLASSES, TIERS, WRITE_SCOPES_MASK, WRITE_TIER } from '../../../../engine/model/domain.js';
import { accountOf, type ReferenceKey, type ReferenceState, rulesOf } from '../state.js';
import type { Rng } from './rng.js';
import { WORLD_MARKETS, type World } from './world.js';

const ACCOUNTS_MAX = 5;
const KEYS_MAX = 25;

const someAccount = (world: World, rng: Rng): number => rng.integer(1, world.state.accounts.length + 1);

export function createAccount(world: World, rng: Rng): Command | null {
  const { accounts } = world.state;
  const opened = accounts.flatMap(({ transfers }) => transfers.flatMap(({ opening }) => opening ?? []));
  const [earlier] = rng.chance(0.5) ? opened.filter(({ reference }) => reference !== undefined) : [];
  if (earlier === undefined && accounts.length >= ACCOUNTS_MAX) return null;
  const command: Command = {
    kind: 'createAccount',
    timeMs: world.nowMs,
    name: rng.pick([null, 'ann', 'Bö "b"']),
    tier: rng.weighed([1, 9], [0, rng.integer(1, TIERS.length - 1)]),
    balanceCents: rng.pick([0, 1, 500_00, 20_000_00, 3_000_000_00, 3_000_000_00]),
    ...(rng.chance(0.5) && { reference: reference(world, rng) }),
  };
  const again = { ...command, ...earlier, timeMs: world.nowMs };
  const { tier, balanceCents } = command;
  return rng.chance(0.6) ? again : { ...again, tier, balanceCents };
}

export const updateAccount = (world: World, rng: Rng): Command => ({
  kind: 'updateAccount',
  timeMs: world.nowMs,
  account: someAccount(world, rng),
  tier: rng.pick([null, null, 0, 1, 2, 3, 3, 4, 4]),
  frozen: rng.pick([null, null, false, true]),
});

/** Few references and few amounts, so that they meet again. */
export function transfer(world: World, rng: Rng): Command {
  const account = someAccount(world, rng);
  const balanceCents = world.state.accounts[account - 1]?.balanceCents ?? 0;
  const amountCents = rng.weighed([1, 6, 1], [1, 500_00, rng.pick([balanceCents, balanceCents + 1])]);
  return {
    kind: rng.pick(['deposit', 'withdraw']),
    timeMs: world.nowMs,
    account,
    amountCents: Math.max(1, amountCents),
    reference: reference(world, rng),
  };
}

function reference(world: World, rng: Rng): string {
  if (rng.chance(0.4)) return rng.pick(['initial', 'r1', 'r1', 'r2']);
  world.counter += 1;
  return `ref ${world.counter}`;
}

export const transferHouse = (world: World, rng: Rng): Command => ({
  kind: rng.pick(['depositHouse', 'withdrawHouse']),
  timeMs: world.nowMs,
  amountCents: rng.weighed([8, 1], [rng.pick([1, 500_00, 2_000_00]), world.state.houseCents + 1]),
  reference: reference(world, rng),
});

export function createKey(world: World, rng: Rng): Command | null {
  if (world.state.keys.length >= KEYS_MAX) return null;
  return {
    kind: 'createKey',
    timeMs: world.nowMs,
    account: someAccount(world, rng),
    digest: newDigest(world, rng),
    scopesMask: rng.pick([0b0011, 0b0111, 0b1111, 0b0001, 0b1000]),
    expiresAtMs: rng.chance(0.7) ? null : soon(world, rng),
  };
}

function newDigest(world: World, rng: Rng): string {
  world.counter += 1;
  return `${rng.integer(0, 9)}${world.counter.toString(16).padStart(63, '0')}`;
}

const soon = ({ nowMs }: World, rng: Rng): number => nowMs + rng.pick([1, 30_000, 200_000]);
const someKey = ({ state }: World, rng: Rng): number => rng.integer(1, state.keys.length + 1);

export const expireKey = (world: World, rng: Rng): Command => ({
  kind: 'expireKey',
  timeMs: world.nowMs,
  key: someKey(world, rng),
  expiresAtMs: soon(world, rng),
});

const isActive = ({ nowMs }: World, { enabled, expiresAtMs }: ReferenceKey): boolean =>
  enabled && (expiresAtMs === null || expiresAtMs > nowMs);

/** Active, with scopes that the tier of their account lacks by now. */
export const keysBeyondTier = (world: World): ReferenceKey[] =>
  world.state.keys
    .filter((key) => isActive(world, key) && (key.scopesMask & WRITE_SCOPES_MASK) !== 0)
    .filter(({ account }) => (accountOf(world.state, account)?.tier ?? 0) < WRITE_TIER);

function keyToRotate(world: World, rng: Rng): number {
  const active = world.state.keys.filter((key) => isActive(world, key));
  const chosen = rng.pick([keysBeyondTier(world), active, []]);
  return chosen.length > 0 ? rng.pick(chosen).key : someKey(world, rng);
}

export function rotateKey(world: World, rng: Rng): Command | null {
  if (world.state.keys.length >= KEYS_MAX) return null;
  return {
    kind: 'rotateKey',
    timeMs: world.nowMs,
    key: keyToRotate(world, rng),
    overlapEndsMs: rng.pick([world.nowMs, soon(world, rng), world.nowMs + 600_000]),
    digest: newDigest(world, rng),
    expiresAtMs: rng.chance(0.7) ? null : soon(world, rng),
  };
}

export function updateKey(world: World, rng: Rng): Command {
  const { keys } = world.state;
  const disabled = keys.filter((key) => !key.enabled && key.expiresAtMs === null);
  const isReviving = disabled.length > 0 && rng.chance(0.3);
  return {
    kind: 'updateKey',
    timeMs: world.nowMs,
    key: isReviving ? rng.pick(disabled).key : someKey(world, rng),
    enabled: isReviving || rng.chance(0.4),
  };
}

export const configure = (world: World, rng: Rng): Command => ({
  kind: 'configure',
  timeMs: world.nowMs,
  rulesVersion: world.state.rulesVersion,
  rules: world.rules(rng, rulesOf(world.state)),
});

export const declareSetup = (world: World, rng: Rng): Command => ({
  kind: 'declareSetup',
  timeMs: world.nowMs,
  feed: rng.pick(['push', 'simulated', 'another']),
  clock: rng.pick(['system', 'manual']),
  rulesFrom: rng.pick(['defaults', 'file']),
});

export function setCalendar(world: World, rng: Rng): Command {
  const minuteMs = 60_000;
  const hereMs = Math.floor(world.nowMs / minuteMs) * minuteMs;
  const openMs = hereMs + rng.integer(-5, 3) * minuteMs + rng.pick([0, 0, -1, 1]);
  const closeMs = openMs + rng.integer(1, 25) * minuteMs + rng.pick([0, 0, -1, 1]);
  const reopenMs = closeMs + rng.integer(1, 3) * minuteMs;
  const always = [hereMs - 86_400_000, hereMs + 86_400_000] as const;
  const open = [openMs, closeMs] as const;
  const again = [reopenMs, always[1]] as const;
  return {
    kind: 'setCalendar',
    timeMs: world.nowMs,
    assetClass: rng.pick(ASSET_CLASSES),
    sessions: rng.pick([[always], [always], [open], [open, again], []]),
  };
}

/** Trading and markets are switched on again more often than off. */
export const setTrading = (world: World, rng: Rng): Command => ({
  kind: 'setTrading',
  timeMs: world.nowMs,
  enabled: world.state.trading.enabled ? rng.chance(0.5) : rng.chance(0.95),
  reason: rng.pick(['', 'maintenance']),
});

export const suspendedMarkets = ({ markets }: ReferenceState): number[] =>
  markets.flatMap(({ market, suspendedSeq }) => (suspendedSeq > 0 ? [market] : []));

export function suspendMarket(world: World, rng: Rng): Command {
  const suspended = suspendedMarkets(world.state);
  const isResuming = suspended.length > 0 && rng.chance(0.8);
  return {
    kind: 'suspendMarket',
    timeMs: world.nowMs,
    market: isResuming ? rng.pick(suspended) : rng.pick(WORLD_MARKETS),
    suspended: !isResuming,
  };
}
