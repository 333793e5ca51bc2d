/** Actions on accounts. */
import { TIERS } from '../../../../engine/model/domain.js';
import type { AccountResource } from '../../../operator/accounts.js';
import type { Action } from '../parts/action.js';
import type { Field } from '../parts/field.js';
import { may } from '../state/api.js';
import { centsIn, usd } from '../state/format.js';
import { NO_AMOUNT, NO_REFERENCE, referenceField } from './money.js';

const TIER = { name: 'tier', label: 'Tier', options: TIERS } satisfies Field;
const BALANCE: Field = { name: 'balance', label: 'Initial balance in USD', kind: 'money', isOptional: true };

export const createAccount = (): Action => ({
  role: 'support',
  verb: 'Create account',
  about: 'The account can have keys at once. Its number follows from the order of creation.',
  fields: [
    { name: 'name', label: 'Name', isOptional: true, hint: 'For operators alone, at most 100 characters.' },
    { ...TIER, initial: 'SILVER' },
    ...(may('admin') ? [BALANCE, referenceField()] : []),
  ],
  preview: ({ name = '', tier = '', balance = '', reference }) => {
    const cents = balance === '' ? 0 : centsIn(balance);
    if (cents === null) return NO_AMOUNT;
    if (cents > 0 && reference === '') return NO_REFERENCE;
    return [
      ['New account', '', name || 'without a name'],
      ['Tier', '', tier],
      ['Balance', '', usd(cents)],
    ];
  },
  request: ({ name, tier, balance = '', reference }) => {
    const cents = centsIn(balance);
    const first = cents === null ? {} : { balance: cents / 100, reference };
    return ['POST', '/accounts', { tier, name: name || undefined, ...first }];
  },
});

export const changeTier = ({ id, tier: before }: AccountResource): Action => ({
  role: 'support',
  verb: 'Change tier',
  target: `of ${id}`,
  about:
    'The tier bounds stakes and the number of keys. A lower one takes effect at once; keys above its number stay.',
  fields: [{ ...TIER, initial: before }],
  preview: ({ tier = '' }) => (tier === before ? 'Choose another tier.' : [['Tier', before, tier]]),
  request: ({ tier }) => ['PATCH', `/accounts/${id}`, { tier, seen: { tier: before } }],
});

export const freeze = ({ id, frozen }: AccountResource): Action => ({
  role: 'support',
  verb: frozen ? 'Unfreeze' : 'Freeze',
  target: id,
  about: frozen
    ? 'The account can place orders again.'
    : 'The account can read, and places no more orders. Open bets settle as ever, and operators can move its money.',
  preview: () => [
    frozen ? ['Orders', 'refused', 'taken'] : ['Orders', 'taken', 'refused'],
    ['Open bets', '', 'stay as they are'],
    ...(frozen ? [] : [['Limit orders that wait', '', 'are cancelled'] as const]),
  ],
  isDangerous: !frozen,
  request: () => ['PATCH', `/accounts/${id}`, { frozen: !frozen }],
});
