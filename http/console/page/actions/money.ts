/**
 * Deposits and withdrawals, of accounts and of the house. A reference that is sent again moves no money again, so an
 * answer that was lost can be asked for by trying once more with the same one.
 */
import type { Action } from '../parts/action.js';
import type { Field } from '../parts/field.js';
import { centsIn, usd } from '../state/format.js';

const RANDOM_BYTES = 6;
export const NO_REFERENCE = 'Enter a reference.';
export const NO_AMOUNT = 'Enter an amount above zero with at most two decimals, such as 1,000.50.';

interface Balance {
  /** In the operator API. */
  readonly path: string;
  readonly name: string;
  readonly cents: number;
}

export const deposit = (balance: Balance): Action => ({
  ...movement(balance, 1),
  verb: 'Deposit',
  target: `to ${balance.name}`,
  about: 'Money is paid in, and can be used at once: by an account for bets, by the house for seeds.',
});

export const withdraw = (balance: Balance): Action => ({
  ...movement(balance, -1),
  verb: 'Withdraw',
  target: `from ${balance.name}`,
  about:
    'Money is paid out, as far as the balance reaches. Stakes and seeds in open rounds are not in it; a market whose seeds the house cannot pay opens no round.',
  isDangerous: true,
});

const movement = (
  { path, cents }: Balance,
  sign: 1 | -1,
): Pick<Action, 'role' | 'fields' | 'preview' | 'request'> => ({
  role: 'admin',
  fields: [{ name: 'amount', label: 'Amount in USD', kind: 'money' }, referenceField()],
  preview: ({ amount = '', reference }) => {
    const moved = centsIn(amount);
    if (moved === null) return NO_AMOUNT;
    if (reference === '') return NO_REFERENCE;
    const after = cents + sign * moved;
    if (after < 0) return `The balance is ${usd(cents)}: that is not enough.`;
    return [['Balance', usd(cents), usd(after)]];
  },
  request: ({ amount = '', reference }) => [
    'POST',
    `${path}/${sign > 0 ? 'deposits' : 'withdrawals'}`,
    { amount: (centsIn(amount) ?? 0) / 100, reference },
  ],
});

export const referenceField = (): Field => ({
  name: 'reference',
  label: 'Reference',
  initial: newReference(),
  hint: 'The same reference never moves money twice.',
});

function newReference(): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const digits = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `console-${new Date().toISOString().slice(0, 10)}-${digits}`;
}
