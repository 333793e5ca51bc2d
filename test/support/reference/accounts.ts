/** The reference model of accounts, keys, money in and out, and the operator's switches. */
import { assert } from '../../../engine/base/assert.js';
import { AMOUNT_CENTS_MAX } from '../../../engine/base/money.js';
import type {
  Configure,
  CreateAccount,
  CreateKey,
  DeclareSetup,
  ExpireKey,
  HouseTransfer,
  MoveClock,
  RotateKey,
  SetCalendar,
  SetDeadman,
  SetTrading,
  SuspendMarket,
  Transfer,
  UpdateAccount,
  UpdateKey,
} from '../../../engine/model/commands.js';
import { ASSET_CLASSES, WRITE_SCOPES_MASK, WRITE_TIER } from '../../../engine/model/domain.js';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { BalanceMoved, EngineEvent, SettingsChanged } from '../../../engine/model/events.js';
import { LOSS_SCOPES, lossLimitCents, scopesOfMarket } from '../../../engine/model/loss-limits.js';
import { cancelAllOf } from './limit-orders.js';
import { suspendAt } from './settlement.js';
import {
  accountOf,
  lostOf,
  marketRulesOf,
  type ReferenceAccount,
  type ReferenceKey,
  type ReferenceState,
  type ReferenceTransfer,
  resultOf,
  rulesOf,
  type Verdict,
} from './state.js';

const settings = (type: SettingsChanged['type'], timeMs: number, market = -1): Verdict => ({
  events: [{ type, timeMs, market }],
});

export function configure(state: ReferenceState, command: Configure): Verdict {
  state.rules = command.rules;
  state.rulesVersion = command.rulesVersion;
  const { timeMs } = command;
  const every = [...LOSS_SCOPES.keys()];
  return { events: [{ type: 'configured', timeMs, market: -1 }, ...suspendAt(state, every, timeMs)] };
}

export function declareSetup(state: ReferenceState, command: DeclareSetup): Verdict {
  const { timeMs, feed, clock, rulesFrom } = command;
  state.setup = { feed, clock, rulesFrom };
  return { events: [{ type: 'setupDeclared', timeMs, feed, clock, rulesFrom }] };
}

export function setCalendar(state: ReferenceState, command: SetCalendar): Verdict {
  state.calendars[ASSET_CLASSES.indexOf(command.assetClass)] = command.sessions;
  return settings('calendarChanged', command.timeMs);
}

export function setTrading(state: ReferenceState, command: SetTrading): Verdict {
  state.trading = { enabled: command.enabled, reason: command.reason };
  return settings('tradingChanged', command.timeMs);
}

export function suspendMarket(state: ReferenceState, command: SuspendMarket): Verdict {
  const market = state.markets[command.market];
  if (market === undefined || marketRulesOf(state, command.market) === null) {
    return { refused: 'market_not_found' };
  }
  market.suspendedSeq = command.suspended ? state.seq + 1 : 0;
  for (const scope of command.suspended ? [] : scopesOfMarket(command.market)) {
    const { timeMs } = command;
    if (lostOf(state, scope, timeMs) < lossLimitCents(rulesOf(state), scope)) continue;
    state.lifted.push({ scope, timeMs, cents: resultOf(state, scope, timeMs) });
  }
  return settings('marketSuspended', command.timeMs, command.market);
}

export const moveClock = (state: ReferenceState, { timeMs }: MoveClock): Verdict =>
  timeMs === state.timeMs ? { refused: 'invalid_request' } : settings('clockMoved', timeMs);

export function createAccount(state: ReferenceState, command: CreateAccount): Verdict {
  const { timeMs, name, tier, balanceCents, reference } = command;
  const isUnfit = balanceCents === 0 || reference === 'initial';
  if (reference !== undefined && isUnfit) return { refused: 'invalid_request' };
  const firsts = state.accounts.flatMap(({ transfers }) => transfers.slice(0, 1));
  const earlier = firsts.find((one) => one.opening !== null && one.reference === reference);
  if (earlier !== undefined) {
    const { opening } = earlier;
    const isSame = opening?.name === name && opening.tier === tier && opening.balanceCents === balanceCents;
    return isSame ? { replayed: earlier } : { refused: 'reference_conflict' };
  }
  if (state.depositsCents + balanceCents > AMOUNT_CENTS_MAX) return { refused: 'invalid_request' };
  const account: ReferenceAccount = {
    account: state.accounts.length + 1,
    name,
    tier,
    frozen: false,
    balanceCents,
    touchedSeq: 0,
    transfers: [],
    bets: [],
    placedKept: 0,
    settledKept: 0,
  };
  state.accounts.push(account);
  const created = { type: 'accountCreated', timeMs, account: account.account } as const;
  if (balanceCents === 0) return { events: [created] };
  const money = { kind: 'deposit', timeMs, amountCents: balanceCents } as const;
  const initial = { ...money, reference: reference ?? 'initial' };
  return { events: [created, move(state, initial, account.account, account.transfers, 0, command)] };
}

export function updateAccount(state: ReferenceState, command: UpdateAccount): Verdict {
  const account = accountOf(state, command.account);
  if (account === null) return { refused: 'account_not_found' };
  account.tier = command.tier ?? account.tier;
  account.frozen = command.frozen ?? account.frozen;
  const cancelled = command.frozen === true ? cancelAllOf(state, command.account, command.timeMs) : [];
  return {
    events: [{ type: 'accountUpdated', timeMs: command.timeMs, account: command.account }, ...cancelled],
  };
}

type Move = Pick<Transfer, 'kind' | 'timeMs' | 'amountCents' | 'reference'>;

function verdictBefore(
  state: ReferenceState,
  { kind, amountCents, reference }: Move,
  transfers: readonly ReferenceTransfer[],
  balanceCents: number,
): Verdict | null {
  const earlier = transfers.find((one) => one.reference === reference);
  if (earlier !== undefined) {
    const isDeed = earlier.kind === kind && earlier.opening === null;
    const isSame = isDeed && earlier.amountCents === amountCents;
    return isSame ? { replayed: earlier } : { refused: 'reference_conflict' };
  }
  if (kind === 'withdraw') return amountCents > balanceCents ? { refused: 'insufficient_balance' } : null;
  return state.depositsCents + amountCents > AMOUNT_CENTS_MAX ? { refused: 'invalid_request' } : null;
}

/** `account` 0 is the house. The caller changes the balance. */
function move(
  state: ReferenceState,
  { kind, timeMs, amountCents: cents, reference }: Move,
  account: number,
  transfers: ReferenceTransfer[],
  beforeCents: number,
  opening: CreateAccount | null = null,
): BalanceMoved {
  const isDeposit = kind === 'deposit';
  if (isDeposit) state.depositsCents += cents;
  else state.withdrawalsCents += cents;
  const amountCents = isDeposit ? cents : -cents;
  const balanceCents = beforeCents + amountCents;
  const reason = isDeposit ? 'deposit' : 'withdrawal';
  const facts = { timeMs, account, amountCents, balanceCents, reason, reference } as const;
  const event: BalanceMoved = { type: 'balanceMoved', ...facts };
  transfers.push({ kind, amountCents: cents, reference, seq: state.seq + 1, event, opening });
  return event;
}

export function transfer(state: ReferenceState, command: Transfer): Verdict {
  const account = accountOf(state, command.account);
  if (account === null) return { refused: 'account_not_found' };
  const before = verdictBefore(state, command, account.transfers, account.balanceCents);
  if (before !== null) return before;
  const event = move(state, command, account.account, account.transfers, account.balanceCents);
  account.balanceCents = event.balanceCents;
  return { events: [event] };
}

export function transferHouse(state: ReferenceState, command: HouseTransfer): Verdict {
  const moved = { ...command, kind: command.kind === 'depositHouse' ? 'deposit' : 'withdraw' } as const;
  const before = verdictBefore(state, moved, state.houseTransfers, state.houseCents);
  if (before !== null) return before;
  const event = move(state, moved, 0, state.houseTransfers, state.houseCents);
  state.houseCents = event.balanceCents;
  return { events: [event] };
}

/** Enabled and not expired: these count against the tier's number. */
function activeKeys(state: ReferenceState, account: number, timeMs: number): ReferenceKey[] {
  return state.keys.filter(
    (key) => key.account === account && key.enabled && (key.expiresAtMs === null || key.expiresAtMs > timeMs),
  );
}

function isAtKeyLimit(state: ReferenceState, account: ReferenceAccount, timeMs: number): boolean {
  const activeMax = rulesOf(state).tiers[account.tier]?.activeKeysMax ?? 0;
  return activeKeys(state, account.account, timeMs).length >= activeMax;
}

export function createKey(state: ReferenceState, command: CreateKey): Verdict {
  const { timeMs, digest, scopesMask, expiresAtMs } = command;
  const account = accountOf(state, command.account);
  if (account === null) return { refused: 'account_not_found' };
  assert(!state.keys.some((key) => key.digest === digest), 'a key is made once');
  if ((scopesMask & WRITE_SCOPES_MASK) !== 0 && account.tier < WRITE_TIER) return { refused: 'tier_too_low' };
  if (isAtKeyLimit(state, account, timeMs)) return { refused: 'too_many_keys' };
  return { events: [addKey(state, { account: account.account, digest, scopesMask, expiresAtMs }, timeMs)] };
}

function addKey(
  state: ReferenceState,
  facts: Pick<ReferenceKey, 'account' | 'digest' | 'scopesMask' | 'expiresAtMs'>,
  timeMs: number,
): EngineEvent {
  const key = state.keys.length + 1;
  state.keys.push({ key, ...facts, createdAtMs: timeMs, enabled: true, deadmanSeconds: 0 });
  return { type: 'keyCreated', timeMs, key, account: facts.account };
}

const keyUpdated = (timeMs: number, { key, account }: ReferenceKey): EngineEvent => ({
  type: 'keyUpdated',
  timeMs,
  key,
  account,
});

export function updateKey(state: ReferenceState, command: UpdateKey): Verdict {
  const { timeMs, enabled } = command;
  const key = state.keys.find((one) => one.key === command.key);
  const account = key === undefined ? null : accountOf(state, key.account);
  if (key === undefined || account === null) return { refused: 'key_not_found' };
  if (enabled && !key.enabled) {
    if (key.expiresAtMs !== null && key.expiresAtMs <= timeMs) return { refused: 'key_expired' };
    if (isAtKeyLimit(state, account, timeMs)) return { refused: 'too_many_keys' };
  }
  key.enabled = enabled;
  return { events: [keyUpdated(timeMs, key)] };
}

export function expireKey(state: ReferenceState, command: ExpireKey): Verdict {
  const { timeMs, expiresAtMs } = command;
  const key = state.keys.find((one) => one.key === command.key);
  if (key === undefined) return { refused: 'key_not_found' };
  if (key.expiresAtMs !== null && key.expiresAtMs < expiresAtMs) return { refused: 'invalid_request' };
  key.expiresAtMs = expiresAtMs;
  return { events: [keyUpdated(timeMs, key)] };
}

export function setDeadman(
  state: ReferenceState,
  { key: number, seconds, timeMs }: SetDeadman,
  gate: ErrorCode | null,
): Verdict {
  const key = state.keys.find((one) => one.key === number);
  if (key === undefined) return { refused: 'key_not_found' };
  if (gate !== null) return { refused: gate };
  key.deadmanSeconds = seconds;
  return { events: [keyUpdated(timeMs, key)] };
}

export function rotateKey(state: ReferenceState, command: RotateKey): Verdict {
  const { timeMs, overlapEndsMs, digest, expiresAtMs } = command;
  const key = state.keys.find((one) => one.key === command.key);
  const account = key === undefined ? null : accountOf(state, key.account);
  if (key === undefined || account === null) return { refused: 'key_not_found' };
  if (!key.enabled) return { refused: 'key_disabled' };
  if (key.expiresAtMs !== null && key.expiresAtMs <= timeMs) return { refused: 'key_expired' };
  const { scopesMask } = key;
  if ((scopesMask & WRITE_SCOPES_MASK) !== 0 && account.tier < WRITE_TIER) return { refused: 'tier_too_low' };
  const activeMax = rulesOf(state).tiers[account.tier]?.activeKeysMax ?? 0;
  if (activeKeys(state, account.account, timeMs).length >= 2 * activeMax) return { refused: 'too_many_keys' };
  key.expiresAtMs = Math.min(key.expiresAtMs ?? Number.POSITIVE_INFINITY, overlapEndsMs);
  const made = addKey(state, { account: account.account, digest, scopesMask, expiresAtMs }, timeMs);
  return { events: [keyUpdated(timeMs, key), made] };
}
