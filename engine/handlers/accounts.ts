/** Operator commands on accounts and the house. */
import { assert } from '../base/assert.js';
import { AMOUNT_CENTS_MAX } from '../base/money.js';
import type { CreateAccount, HouseTransfer, Transfer, UpdateAccount } from '../model/commands.js';
import type { BalanceMoved, Rejected } from '../model/events.js';
import { HOUSE } from '../state/house.js';
import { type Effect, reject, type State } from '../state/state.js';
import { cancelAllOf } from './limit-orders.js';

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

/** Freezing an account cancels its resting orders: nothing may come of them without its doing. */
export function updateAccount(state: State, command: UpdateAccount): Effect {
  const { account, timeMs } = command;
  if (!state.accounts.has(account)) return noAccount();
  if (command.tier !== null) state.accounts.setTier(account, command.tier);
  if (command.frozen !== null) state.accounts.setFrozen(account, command.frozen);
  state.accounts.touch(account, state.nextSeq);
  const cancelled = command.frozen === true ? cancelAllOf(state, account, timeMs) : [];
  return [{ type: 'accountUpdated', timeMs, account }, ...cancelled];
}

/** A reference used again with the same content is replayed; with other content it is refused. */
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

/** The house's balance excludes everything that rounds hold, seeds included. */
export function transferHouse(state: State, command: HouseTransfer): Effect {
  const { kind, amountCents, reference, timeMs } = command;
  const isDeposit = kind === 'depositHouse';
  const reason = isDeposit ? 'deposit' : 'withdrawal';
  const signedCents = isDeposit ? amountCents : -amountCents;
  const known = checkReference(state, HOUSE, reference, signedCents);
  if (known !== null) return known;
  assert(amountCents > 0, 'a transfer moves at least one cent');
  if (isDeposit && !withinDepositLimit(state, amountCents)) return tooLarge();
  if (!isDeposit && state.house.balanceCents < amountCents) {
    return reject(
      'insufficient_balance',
      'the withdrawal is more than the house has besides its seeds in rounds',
    );
  }
  return [moveBalance(state, HOUSE, signedCents, reason, reference, timeMs)];
}

/** Bounding the sum of all deposits keeps every sum in the ledger, and so every balance, an exact integer. */
function withinDepositLimit(state: State, amountCents: number): boolean {
  return state.house.depositsCents + amountCents <= AMOUNT_CENTS_MAX;
}

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

export const noAccount = (): Rejected => reject('account_not_found', 'no such account');
const tooLarge = (): Rejected =>
  reject('invalid_request', 'all deposits together would be more than can be kept exactly');
