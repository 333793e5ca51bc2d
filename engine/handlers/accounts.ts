/** Operator commands on accounts and the house. */
import { assert } from '../base/assert.js';
import { AMOUNT_CENTS_MAX } from '../base/money.js';
import type { CreateAccount, HouseTransfer, Transfer, UpdateAccount } from '../model/commands.js';
import type { BalanceMoved, Rejected } from '../model/events.js';
import { HOUSE, INITIAL_REFERENCE, type TransferRecord } from '../state/house.js';
import { type Effect, reject, type State } from '../state/state.js';
import { cancelAllOf } from './limit-orders.js';

export function createAccount(state: State, command: CreateAccount): Effect {
  const { balanceCents, reference, timeMs } = command;
  assert(balanceCents >= 0, 'the initial balance is not negative');
  if (reference !== undefined) {
    if (balanceCents === 0)
      return reject('invalid_request', 'reference is that of a first balance, and balance is 0 or absent');
    if (reference === INITIAL_REFERENCE)
      return reject('invalid_request', `reference is not ${INITIAL_REFERENCE}, which stands for none`);
    const known = state.house.opening(reference);
    if (known !== null) return repeated(known, isSameOpening(state, known, command));
  }
  if (!withinDepositLimit(state, balanceCents)) return tooLarge();
  const account = state.accounts.add(command.name, command.tier);
  state.accounts.touch(account, state.nextSeq);
  if (balanceCents === 0) return [{ type: 'accountCreated', timeMs, account }];
  const given = { account, amountCents: balanceCents, reference: reference ?? INITIAL_REFERENCE, timeMs };
  const moved = moveBalance(state, given, command.tier);
  return [{ type: 'accountCreated', timeMs, account }, moved];
}

/** The account's tier may be another by now, its name is not. */
function isSameOpening(
  { accounts }: State,
  { event, openedTier }: TransferRecord,
  { name, tier, balanceCents }: CreateAccount,
): boolean {
  if (openedTier !== tier || event.amountCents !== balanceCents) return false;
  return accounts.view(event.account).name === name;
}

const repeated = ({ seq, event }: TransferRecord, isSame: boolean): Effect =>
  isSame
    ? { status: 'replayed', seq, event }
    : reject('reference_conflict', 'this reference was used with other content');

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

/**
 * A reference used again with the same content is replayed; with other content it is refused. The house's balance
 * excludes everything that rounds hold, seeds included.
 */
export function transfer(state: State, command: Transfer | HouseTransfer): Effect {
  const { kind, amountCents, reference, timeMs } = command;
  const ofHouse = isOfHouse(command);
  const account = ofHouse ? HOUSE : command.account;
  if (!ofHouse && !state.accounts.has(account)) return noAccount();
  const isDeposit = kind === 'deposit' || kind === 'depositHouse';
  const signedCents = isDeposit ? amountCents : -amountCents;
  const known = state.house.reference(account, reference);
  if (known !== null)
    return repeated(known, known.openedTier === null && known.event.amountCents === signedCents);
  assert(amountCents > 0, 'a transfer moves at least one cent');
  if (isDeposit && !withinDepositLimit(state, amountCents)) return tooLarge();
  const balanceCents = ofHouse ? state.house.balanceCents : state.accounts.balanceCents(account);
  if (!isDeposit && balanceCents < amountCents) {
    const most = ofHouse ? 'the house has besides its seeds in rounds' : 'the balance';
    return reject('insufficient_balance', `the withdrawal is more than ${most}`);
  }
  return [moveBalance(state, { account, amountCents: signedCents, reference, timeMs }, null)];
}

const isOfHouse = (command: Transfer | HouseTransfer): command is HouseTransfer =>
  command.kind === 'depositHouse' || command.kind === 'withdrawHouse';

/** Bounding the sum of all deposits keeps every sum in the ledger, and so every balance, an exact integer. */
function withinDepositLimit(state: State, amountCents: number): boolean {
  return state.house.depositsCents + amountCents <= AMOUNT_CENTS_MAX;
}

function moveBalance(
  state: State,
  given: Pick<BalanceMoved, 'account' | 'amountCents' | 'reference' | 'timeMs'>,
  openedTier: number | null,
): BalanceMoved {
  const { account, amountCents, reference, timeMs } = given;
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
    reason: amountCents > 0 ? 'deposit' : 'withdrawal',
    reference,
  };
  state.house.remember({ seq: state.nextSeq, event, openedTier });
  return event;
}

export const noAccount = (): Rejected => reject('account_not_found', 'no such account');
const tooLarge = (): Rejected =>
  reject('invalid_request', 'all deposits together would be more than can be kept exactly');
