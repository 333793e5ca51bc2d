/** Accounts by number: all, or a selection. */
import type { JSX } from 'preact';
import { TIERS } from '../../../../engine/model/domain.js';
import type { AccountResource } from '../../../operator/accounts.js';
import { createAccount } from '../actions/accounts.js';
import { Act } from '../parts/action.js';
import { Badge, Ref } from '../parts/basics.js';
import { List } from '../parts/list.js';
import { paid } from '../state/format.js';
import { linkTo } from '../state/route.js';

/** `name` is a part of a name that somebody has searched for, or ''. */
export const AccountsView = ({ name: initial }: { readonly name: string }): JSX.Element => (
  <>
    <h1>Accounts</h1>
    <div class="buttons">
      <Act
        action={createAccount()}
        onDone={(made) => {
          location.hash = linkTo('accounts', (made as AccountResource).id);
        }}
      />
    </div>
    <List<AccountResource>
      title="Found"
      path="/accounts"
      filters={[
        { name: 'name', label: 'Part of the name', initial },
        { name: 'tier', label: 'Tier', options: [['', 'all'], ...TIERS] },
        { name: 'frozen', label: 'frozen only', kind: 'flag' },
      ]}
      empty="No account is like that."
      columns={[
        ['Account', ({ id }) => <Ref id={id} />],
        ['~Name', ({ name }) => name ?? '–'],
        ['Tier', ({ tier }) => tier],
        ['#Balance', ({ balance }) => paid(balance)],
        [
          'State',
          ({ frozen }) => <Badge tone={frozen ? 'bad' : 'good'}>{frozen ? 'frozen' : 'active'}</Badge>,
        ],
      ]}
    />
  </>
);
