/** Actions on accounts and their money. */
import { TIERS } from '../../../../engine/model/domain.js';
import type { AccountResource } from '../../../operator/resources/accounts.js';
import { begin, typedIn } from '../state/action.js';
import { operator } from '../state/api.js';
import { centsIn, centsOf, dollarsOf, usd } from '../state/format.js';
import { linkTo } from '../state/route.js';
import { may } from '../state/session.js';
import { referenceField } from './reference.js';

const NO_AMOUNT = 'Enter an amount above zero with at most two decimals.';

export function createAccount(onDone: () => void): void {
  const mayDeposit = may('admin');
  begin({
    title: 'Create an account',
    about: 'The account can have keys at once. Its number follows from the order of creation.',
    fields: [
      {
        name: 'name',
        label: 'Name',
        kind: 'text',
        isOptional: true,
        hint: 'For operators alone, at most 100 characters.',
      },
      { name: 'tier', label: 'Tier', kind: 'select', options: TIERS, initial: 'SILVER' },
      ...(mayDeposit
        ? [{ name: 'balance', label: 'Initial balance in USD', kind: 'money', isOptional: true } as const]
        : []),
    ],
    preview: (values) => {
      const typed = typedIn(values, 'balance');
      const cents = typed === '' ? 0 : centsIn(typed);
      if (cents === null) return NO_AMOUNT;
      const name = typedIn(values, 'name');
      return [
        { what: 'New account', before: '', after: name === '' ? 'without a name' : name },
        { what: 'Tier', before: '', after: typedIn(values, 'tier') },
        { what: 'Balance', before: '', after: usd(cents) },
      ];
    },
    label: 'Create account',
    run: async (values, reason) => {
      const name = typedIn(values, 'name');
      const cents = centsIn(typedIn(values, 'balance'));
      const made = await operator<AccountResource>('POST', '/accounts', {
        tier: typedIn(values, 'tier'),
        ...(name === '' ? {} : { name }),
        ...(cents === null ? {} : { balance: dollarsOf(cents) }),
        reason,
      });
      if (made.ok) location.hash = linkTo('accounts', made.data.id);
      return made;
    },
    done: 'The account is created.',
    onDone,
  });
}

export function changeTier(account: AccountResource, onDone: () => void): void {
  begin({
    title: `Change the tier of ${account.id}`,
    about:
      'The tier bounds stakes and the number of keys. A lower one takes effect at once; keys above its number stay.',
    fields: [{ name: 'tier', label: 'Tier', kind: 'select', options: TIERS, initial: account.tier }],
    preview: (values) => {
      const tier = typedIn(values, 'tier');
      return tier === account.tier
        ? 'Choose another tier.'
        : [{ what: 'Tier', before: account.tier, after: tier }];
    },
    label: 'Change tier',
    run: (values, reason) =>
      operator('PATCH', `/accounts/${account.id}`, { tier: typedIn(values, 'tier'), reason }),
    done: `The tier of ${account.id} is changed.`,
    onDone,
  });
}

export function setFrozen(account: AccountResource, isFrozen: boolean, onDone: () => void): void {
  begin({
    title: isFrozen ? `Freeze ${account.id}` : `Unfreeze ${account.id}`,
    about: isFrozen
      ? 'The account can read, and places no more orders. Open bets settle as ever, and operators can move its money.'
      : 'The account can place orders again.',
    fields: [],
    preview: () => [
      { what: 'Orders', before: isFrozen ? 'taken' : 'refused', after: isFrozen ? 'refused' : 'taken' },
      { what: 'Open bets', before: '', after: 'stay as they are' },
    ],
    label: isFrozen ? 'Freeze' : 'Unfreeze',
    isDangerous: isFrozen,
    run: (_, reason) => operator('PATCH', `/accounts/${account.id}`, { frozen: isFrozen, reason }),
    done: isFrozen ? `${account.id} is frozen.` : `${account.id} is no longer frozen.`,
    onDone,
  });
}

export function moveMoney(
  kind: 'deposits' | 'withdrawals',
  account: AccountResource,
  onDone: () => void,
): void {
  const isDeposit = kind === 'deposits';
  const balance = centsOf(account.balance);
  begin({
    title: isDeposit ? `Deposit to ${account.id}` : `Withdraw from ${account.id}`,
    about: isDeposit
      ? 'Money is paid into the account, and it can bet with it at once.'
      : 'Money is paid out of the account, as far as its balance reaches.',
    fields: [{ name: 'amount', label: 'Amount in USD', kind: 'money' }, referenceField()],
    preview: (values) => {
      const cents = centsIn(typedIn(values, 'amount'));
      if (cents === null) return NO_AMOUNT;
      if (typedIn(values, 'reference') === '') return 'Enter a reference.';
      const after = isDeposit ? balance + cents : balance - cents;
      if (after < 0) return `The balance is ${usd(balance)}: that is not enough.`;
      return [{ what: `Balance of ${account.id}`, before: usd(balance), after: usd(after) }];
    },
    label: isDeposit ? 'Deposit' : 'Withdraw',
    isDangerous: !isDeposit,
    run: (values, reason) =>
      operator('POST', `/accounts/${account.id}/${kind}`, {
        amount: dollarsOf(centsIn(typedIn(values, 'amount')) ?? 0),
        reference: typedIn(values, 'reference'),
        reason,
      }),
    done: isDeposit ? 'The deposit is made.' : 'The withdrawal is made.',
    onDone,
  });
}
