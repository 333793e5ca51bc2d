/** Operator commands on accounts, keys and the house (design, sections 3 and 8). */
import { assert } from '../base/assert.js';
import { AMOUNT_CENTS_MAX } from '../base/money.js';
import type {
  CreateAccount,
  CreateKey,
  DepositHouse,
  Transfer,
  UpdateAccount,
  UpdateKey,
} from '../model/commands.js';
import { WRITE_SCOPES_MASK, WRITE_TIER } from '../model/domain.js';
import type { BalanceMoved, Rejected } from '../model/events.js';
import { HOUSE } from '../state/house.js';
import { isActive } from '../state/keys.js';
import { type Effect, reject, type State } from '../state/state.js';

/** An initial balance is a deposit with this reference. */
const INITIAL_REFERENCE = 'initial';

export function createAccount(state: State, command: CreateAccount): Effect {
  const { balanceCents, timeMs } = command;
  assert(balanceCents >= 0, 'the initial balance is not negative');
  if (!withinDepositLimit(state, balanceCents)) return tooLarge();
  const account = state.accounts.add(command.name, command.tier);
  state.accounts.touch(account, state.nextSeq);
  if (balanceCents === 0) return [{ type: 'accountCreated', timeMs, account }];
  const moved = moveBalance(state, account, balanceCents, 'deposit', INITIAL_REFERENCE, timeMs);
  return [{ type: 'accountCreated', timeMs, account }, moved];
}

export function updateAccount(state: State, command: UpdateAccount): Effect {
  const { account, timeMs } = command;
  if (!state.accounts.has(account)) return noAccount();
  if (command.tier !== null) state.accounts.setTier(account, command.tier);
  if (command.frozen !== null) state.accounts.setFrozen(account, command.frozen);
  state.accounts.touch(account, state.nextSeq);
  return [{ type: 'accountUpdated', timeMs, account }];
}

/**
 * Deposits and withdrawals. A reference used again with the same content is replayed; with other content it is
 * refused.
 */
export function transfer(state: State, command: Transfer): Effect {
  const { account, amountCents, reference, timeMs } = command;
  if (!state.accounts.has(account)) return noAccount();
  const isDeposit = command.kind === 'deposit';
  const reason = isDeposit ? 'deposit' : 'withdrawal';
  const signedCents = isDeposit ? amountCents : -amountCents;
  const known = checkReference(state, account, reference, signedCents);
  if (known !== null) return known;
  assert(amountCents > 0, 'a transfer moves at least one cent');
  if (isDeposit && !withinDepositLimit(state, amountCents)) return tooLarge();
  if (!isDeposit && state.accounts.balanceCents(account) < amountCents) {
    return reject('insufficient_balance', 'the withdrawal is more than the balance');
  }
  return [moveBalance(state, account, signedCents, reason, reference, timeMs)];
}

export function depositHouse(state: State, command: DepositHouse): Effect {
  const { amountCents, reference, timeMs } = command;
  const known = checkReference(state, HOUSE, reference, amountCents);
  if (known !== null) return known;
  assert(amountCents > 0, 'a deposit moves at least one cent');
  if (!withinDepositLimit(state, amountCents)) return tooLarge();
  return [moveBalance(state, HOUSE, amountCents, 'deposit', reference, timeMs)];
}

/** Bounding the sum of all deposits keeps every sum in the ledger, and so every balance, an exact integer. */
function withinDepositLimit(state: State, amountCents: number): boolean {
  return state.house.depositsCents + amountCents <= AMOUNT_CENTS_MAX;
}

/** A replay or a conflict if the reference was used before, else null. */
function checkReference(
  state: State,
  account: number,
  reference: string,
  signedCents: number,
): Effect | null {
  const known = state.house.reference(account, reference);
  if (known === null) return null;
  if (known.event.amountCents === signedCents)
    return { status: 'replayed', seq: known.seq, event: known.event };
  return reject('reference_conflict', 'this reference was used with other content');
}

function moveBalance(
  state: State,
  account: number,
  amountCents: number,
  reason: 'deposit' | 'withdrawal',
  reference: string,
  timeMs: number,
): BalanceMoved {
  const isHouse = account === HOUSE;
  const balanceCents = isHouse
    ? state.house.move(amountCents)
    : state.accounts.move(account, amountCents, state.nextSeq);
  if (amountCents > 0) state.house.depositsCents += amountCents;
  else state.house.withdrawalsCents -= amountCents;
  const event: BalanceMoved = {
    type: 'balanceMoved',
    timeMs,
    account,
    amountCents,
    balanceCents,
    reason,
    reference,
  };
  state.house.remember({ seq: state.nextSeq, event });
  return event;
}

export function createKey(state: State, command: CreateKey): Effect {
  const { account, digest, scopesMask, expiresAtMs, timeMs } = command;
  if (!state.accounts.has(account)) return noAccount();
  if ((scopesMask & WRITE_SCOPES_MASK) !== 0 && state.accounts.tier(account) < WRITE_TIER) {
    return reject('tier_too_low', 'scopes that write need tier SILVER or higher');
  }
  const full = checkKeyLimit(state, account, timeMs);
  if (full !== null) return full;
  const key = state.keys.add({ account, digest, scopesMask, expiresAtMs, createdAtMs: timeMs });
  state.accounts.touch(account, state.nextSeq);
  return [{ type: 'keyCreated', timeMs, key, account }];
}

export function updateKey(state: State, command: UpdateKey): Effect {
  const { key, enabled, timeMs } = command;
  if (!state.keys.has(key)) return reject('key_not_found', 'no such key');
  const view = state.keys.view(key);
  if (enabled && !view.enabled) {
    if (!isActive({ ...view, enabled: true }, timeMs)) {
      return reject('key_expired', 'an expired key cannot be enabled');
    }
    const full = checkKeyLimit(state, view.account, timeMs);
    if (full !== null) return full;
  }
  state.keys.setEnabled(key, enabled);
  state.accounts.touch(view.account, state.nextSeq);
  return [{ type: 'keyUpdated', timeMs, key, account: view.account }];
}

function checkKeyLimit(state: State, account: number, timeMs: number): Rejected | null {
  const keysMax = state.rulesInForce.tiers[state.accounts.tier(account)]?.activeKeysMax ?? 0;
  if (state.keys.activeCount(account, timeMs) < keysMax) return null;
  return reject('too_many_keys', `an account of this tier may have ${keysMax} active keys`);
}

const noAccount = (): Rejected => reject('account_not_found', 'no such account');
const tooLarge = (): Rejected =>
  reject('invalid_request', 'all deposits together would be more than can be kept exactly');
