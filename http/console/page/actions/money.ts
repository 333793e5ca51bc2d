/**
 * Deposits and withdrawals, of accounts and of the house. A reference that is sent again moves no money again, so an
 * answer that was lost can be asked for by trying once more with the same one.
 */
import type { AccountResource } from '../../../operator/resources/accounts.js';
import { begin, typedIn } from '../state/action.js';
import { operator } from '../state/api.js';
import { centsIn, centsOf, usd } from '../state/format.js';
import { live } from '../state/live.js';

const RANDOM_BYTES = 6;
export const NO_AMOUNT = 'Enter an amount above zero with at most two decimals.';

interface Purse {
  readonly path: string;
  readonly name: string;
  readonly about: Readonly<Record<Kind, string>>;
  readonly cents: () => number;
}
export type Kind = 'deposits' | 'withdrawals';

export const purseOf = ({ id, balance }: AccountResource): Purse => ({
  path: `/accounts/${id}`,
  name: `the balance of ${id}`,
  about: {
    deposits: 'Money is paid into the account, and it can bet with it at once.',
    withdrawals: 'Money is paid out of the account, as far as its balance reaches.',
  },
  cents: () => centsOf(balance),
});

export const HOUSE: Purse = {
  path: '/house',
  name: "the house's capital",
  about: {
    deposits: 'The house pays the seeds of its rounds from its balance.',
    withdrawals:
      'Seeds that are out in open rounds are not in its balance. A market whose seeds it cannot pay opens no round.',
  },
  cents: () => live.value?.totals.houseCents ?? 0,
};

export function moveMoney(kind: Kind, { path, name, about, cents }: Purse, onDone?: () => void): void {
  const isDeposit = kind === 'deposits';
  begin({
    title: isDeposit ? `Add to ${name}` : `Withdraw from ${name}`,
    about: about[kind],
    fields: [
      { name: 'amount', label: 'Amount in USD', kind: 'money' },
      {
        name: 'reference',
        label: 'Reference',
        kind: 'text',
        initial: newReference(),
        hint: 'The same reference never moves money twice.',
      },
    ],
    preview: (values) => {
      const amount = centsIn(typedIn(values, 'amount'));
      if (amount === null) return NO_AMOUNT;
      if (typedIn(values, 'reference') === '') return 'Enter a reference.';
      const [before, after] = [cents(), cents() + (isDeposit ? amount : -amount)];
      if (after < 0) return `The balance is ${usd(before)}: that is not enough.`;
      return [['Balance', usd(before), usd(after)]];
    },
    label: isDeposit ? 'Deposit' : 'Withdraw',
    isDangerous: !isDeposit,
    run: (values, reason) =>
      operator('POST', `${path}/${kind}`, {
        amount: (centsIn(typedIn(values, 'amount')) ?? 0) / 100,
        reference: typedIn(values, 'reference'),
        reason,
      }),
    done: isDeposit ? 'The deposit is made.' : 'The withdrawal is made.',
    ...(onDone === undefined ? {} : { onDone }),
  });
}

function newReference(): string {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
  const digits = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `console-${new Date().toISOString().slice(0, 10)}-${digits}`;
}
