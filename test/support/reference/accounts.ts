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
import type { BalanceMoved, SettingsChanged } from '../../../engine/model/events.js';
import { lossLimitCents, scopesOfMarket } from '../../../engine/model/loss-limits.js';
import { cancelAllOf } from './limit-orders.js';
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
  return settings('configured', command.timeMs);
}

export function declareSetup(state: ReferenceState, command: DeclareSetup): Verdict {
  const { timeMs, feed, clock, rulesFrom } = command;
  state.setup = { feed, clock, rulesFrom };
  return { events: [{ type: 'setupDeclared', timeMs, feed, clock, rulesFrom }] };
}

export function setCalendar(state: ReferenceState, command: SetCalendar): Verdict {
  state.sessions[ASSET_CLASSES.indexOf(command.assetClass)] = command.sessions;
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
  market.suspended = command.suspended;
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
  const { timeMs, name, tier, balanceCents } = command;
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
  const event: BalanceMoved = {
    type: 'balanceMoved',
    timeMs,
    account: account.account,
    amountCents: balanceCents,
    balanceCents,
    reason: 'deposit',
    reference: 'initial',
  };
  state.depositsCents += balanceCents;
  account.transfers.push({
    kind: 'deposit',
    amountCents: balanceCents,
    reference: 'initial',
    seq: state.seq + 1,
    event,
  });
  return { events: [created, event] };
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

function referenceVerdict(
  transfers: readonly ReferenceTransfer[],
  kind: 'deposit' | 'withdraw',
  amountCents: number,
  reference: string,
): Verdict | null {
  const earlier = transfers.find((one) => one.reference === reference);
  if (earlier === undefined) return null;
  const isSame = earlier.kind === kind && earlier.amountCents === amountCents;
  return isSame ? { replayed: earlier } : { refused: 'reference_conflict' };
}

export function transfer(state: ReferenceState, command: Transfer): Verdict {
  const { kind, amountCents, reference, timeMs } = command;
  const account = accountOf(state, command.account);
  if (account === null) return { refused: 'account_not_found' };
  const known = referenceVerdict(account.transfers, kind, amountCents, reference);
  if (known !== null) return known;
  if (kind === 'withdraw' && amountCents > account.balanceCents) return { refused: 'insufficient_balance' };
  if (kind === 'deposit' && state.depositsCents + amountCents > AMOUNT_CENTS_MAX) {
    return { refused: 'invalid_request' };
  }

  if (kind === 'deposit') state.depositsCents += amountCents;
  else state.withdrawalsCents += amountCents;
  const movedCents = kind === 'deposit' ? amountCents : -amountCents;
  account.balanceCents += movedCents;
  const event: BalanceMoved = {
    type: 'balanceMoved',
    timeMs,
    account: account.account,
    amountCents: movedCents,
    balanceCents: account.balanceCents,
    reason: kind === 'deposit' ? 'deposit' : 'withdrawal',
    reference,
  };
  account.transfers.push({ kind, amountCents, reference, seq: state.seq + 1, event });
  return { events: [event] };
}

export function transferHouse(state: ReferenceState, command: HouseTransfer): Verdict {
  const { amountCents, reference, timeMs } = command;
  const isDeposit = command.kind === 'depositHouse';
  const kind = isDeposit ? 'deposit' : 'withdraw';
  const known = referenceVerdict(state.houseTransfers, kind, amountCents, reference);
  if (known !== null) return known;
  if (!isDeposit && amountCents > state.houseCents) return { refused: 'insufficient_balance' };
  if (isDeposit && state.depositsCents + amountCents > AMOUNT_CENTS_MAX)
    return { refused: 'invalid_request' };
  const movedCents = isDeposit ? amountCents : -amountCents;
  state.houseCents += movedCents;
  if (isDeposit) state.depositsCents += amountCents;
  else state.withdrawalsCents += amountCents;
  const event: BalanceMoved = {
    type: 'balanceMoved',
    timeMs,
    account: 0,
    amountCents: movedCents,
    balanceCents: state.houseCents,
    reason: isDeposit ? 'deposit' : 'withdrawal',
    reference,
  };
  state.houseTransfers.push({ kind, amountCents, reference, seq: state.seq + 1, event });
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
  const key: ReferenceKey = {
    key: state.keys.length + 1,
    account: account.account,
    digest,
    scopesMask,
    expiresAtMs,
    createdAtMs: timeMs,
    enabled: true,
    deadmanSeconds: 0,
  };
  state.keys.push(key);
  return { events: [{ type: 'keyCreated', timeMs, key: key.key, account: key.account }] };
}

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
  return { events: [{ type: 'keyUpdated', timeMs, key: key.key, account: key.account }] };
}

export function expireKey(state: ReferenceState, command: ExpireKey): Verdict {
  const { timeMs, expiresAtMs } = command;
  const key = state.keys.find((one) => one.key === command.key);
  if (key === undefined) return { refused: 'key_not_found' };
  if (key.expiresAtMs !== null && key.expiresAtMs < expiresAtMs) return { refused: 'invalid_request' };
  key.expiresAtMs = expiresAtMs;
  return { events: [{ type: 'keyUpdated', timeMs, key: key.key, account: key.account }] };
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
  return { events: [{ type: 'keyUpdated', timeMs, key: key.key, account: key.account }] };
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
  const made: ReferenceKey = {
    ...{ key: state.keys.length + 1, account: account.account, digest, scopesMask, expiresAtMs },
    ...{ createdAtMs: timeMs, enabled: true, deadmanSeconds: 0 },
  };
  state.keys.push(made);
  return {
    events: [
      { type: 'keyUpdated', timeMs, key: key.key, account: key.account },
      { type: 'keyCreated', timeMs, key: made.key, account: made.account },
    ],
  };
}
