/** Actions on accounts and their money. */
import { TIERS } from '../../../../engine/model/domain.js';
import type { AccountResource } from '../../../operator/resources/accounts.js';
import { begin, typedIn } from '../state/action.js';
import { operator } from '../state/api.js';
import { centsIn, usd } from '../state/format.js';
import { linkTo } from '../state/route.js';
import { may } from '../state/session.js';
import { NO_AMOUNT } from './money.js';

export function createAccount(): void {
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
        ['New account', '', name === '' ? 'without a name' : name],
        ['Tier', '', typedIn(values, 'tier')],
        ['Balance', '', usd(cents)],
      ];
    },
    label: 'Create account',
    run: async (values, reason) => {
      const name = typedIn(values, 'name');
      const cents = centsIn(typedIn(values, 'balance'));
      const made = await operator<AccountResource>('POST', '/accounts', {
        tier: typedIn(values, 'tier'),
        ...(name === '' ? {} : { name }),
        ...(cents === null ? {} : { balance: cents / 100 }),
        reason,
      });
      if (made.ok) location.hash = linkTo('accounts', made.data.id);
      return made;
    },
    done: 'The account is created.',
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
      return tier === account.tier ? 'Choose another tier.' : [['Tier', account.tier, tier]];
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
    preview: () => [
      isFrozen ? ['Orders', 'taken', 'refused'] : ['Orders', 'refused', 'taken'],
      ['Open bets', '', 'stay as they are'],
    ],
    label: isFrozen ? 'Freeze' : 'Unfreeze',
    isDangerous: isFrozen,
    run: (_, reason) => operator('PATCH', `/accounts/${account.id}`, { frozen: isFrozen, reason }),
    done: isFrozen ? `${account.id} is frozen.` : `${account.id} is no longer frozen.`,
    onDone,
  });
}
