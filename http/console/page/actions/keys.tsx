/** Actions on keys. A secret is shown once, in the dialog that made its key. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SCOPES } from '../../../../engine/model/domain.js';
import type { AccountResource, KeyResource } from '../../../operator/resources/accounts.js';
import { begin, type Field, typedIn } from '../state/action.js';
import { operator } from '../state/api.js';
import { isoOf, isoTimeText } from '../state/format.js';

interface MadeKey extends KeyResource {
  readonly secret: string;
}

const EXPIRES: Field = { name: 'expires', label: 'Expires (UTC)', kind: 'time' };
const endOf = (iso: string | null): string => (iso === null ? 'never' : isoTimeText(iso));

export function createKey(account: AccountResource, onDone: () => void): void {
  const readsOnly = account.tier === 'BRONZE';
  const scopes = readsOnly ? SCOPES.filter((scope) => scope.endsWith(':read')) : SCOPES;
  begin({
    title: `Create a key for ${account.id}`,
    about:
      'Its secret is shown once, when it is made, and is kept nowhere. Hand it to the owner of the account alone.',
    fields: [
      {
        name: 'scopes',
        label: 'Scopes',
        kind: 'choices',
        options: scopes,
        initial: scopes.join(','),
        ...(readsOnly ? { hint: 'Write scopes need the tier SILVER or higher.' } : {}),
      },
      { ...EXPIRES, isOptional: true, hint: 'Never, if left empty.' },
    ],
    preview: (values) => {
      const chosen = typedIn(values, 'scopes');
      if (chosen === '') return 'Choose at least one scope.';
      const expires = typedIn(values, 'expires');
      return [
        [`New key of ${account.id}`, '', chosen.split(',').join(', ')],
        ['Expires', '', expires === '' ? 'never' : isoTimeText(isoOf(expires))],
      ];
    },
    label: 'Create key',
    run: (values, reason) => {
      const expires = typedIn(values, 'expires');
      return operator<MadeKey>('POST', `/accounts/${account.id}/keys`, {
        scopes: typedIn(values, 'scopes').split(','),
        ...(expires === '' ? {} : { expiresAt: isoOf(expires) }),
        reason,
      });
    },
    result: (data) => <Secret made={data as MadeKey} />,
    done: 'The key is created.',
    onDone,
  });
}

export function setKeyEnabled(key: KeyResource, isEnabled: boolean, onDone: () => void): void {
  begin({
    title: isEnabled ? `Enable ${key.id}` : `Disable ${key.id}`,
    about: isEnabled
      ? 'Requests with this key are answered again.'
      : 'Requests with this key are refused with 403 at once. Bets that were placed with it stay.',
    preview: () => [
      isEnabled ? [key.id, 'disabled', 'enabled'] : [`${key.id} of ${key.accountId}`, 'enabled', 'disabled'],
    ],
    label: isEnabled ? 'Enable key' : 'Disable key',
    isDangerous: !isEnabled,
    run: (_, reason) => operator('PATCH', `/keys/${key.id}`, { enabled: isEnabled, reason }),
    done: isEnabled ? `${key.id} is enabled.` : `${key.id} is disabled.`,
    onDone,
  });
}

export function expireKey(key: KeyResource, onDone: () => void): void {
  const before = key.expiresAt;
  begin({
    title: `Let ${key.id} expire`,
    about:
      'From that time on requests with this key are refused with 403. An expiry can be brought forward, and never put off.',
    fields: [EXPIRES],
    preview: (values) => {
      const expires = typedIn(values, 'expires');
      if (expires === '') return 'Say when.';
      const after = isoOf(expires);
      if (before !== null && after > before) return `It must be before ${isoTimeText(before)} UTC.`;
      return [[`${key.id} of ${key.accountId} expires`, endOf(before), isoTimeText(after)]];
    },
    label: 'Set expiry',
    run: (values, reason) =>
      operator('PATCH', `/keys/${key.id}`, { expiresAt: isoOf(typedIn(values, 'expires')), reason }),
    done: `The expiry of ${key.id} is set.`,
    onDone,
  });
}

/** The old key is good beside the new one for so long. */
const OVERLAPS: Readonly<Record<string, number>> = {
  'not at all': 0,
  'an hour': 3_600,
  'a day': 86_400,
  'a week': 604_800,
};

export function rotateKey(key: KeyResource, onDone: () => void): void {
  begin({
    title: `Rotate ${key.id}`,
    about:
      'A new key of the same account with the same scopes takes its place. Its secret is shown once. The old one is good for a while, so that its owner can change over.',
    fields: [
      {
        name: 'overlap',
        label: 'The old key stays good for',
        kind: 'select',
        options: Object.keys(OVERLAPS),
        initial: 'a day',
      },
    ],
    preview: (values) => [
      [`New key of ${key.accountId}`, '', key.scopes.join(', ')],
      [
        `${key.id} expires`,
        endOf(key.expiresAt),
        typedIn(values, 'overlap') === 'not at all' ? 'now' : `in ${typedIn(values, 'overlap')}`,
      ],
    ],
    label: 'Rotate key',
    run: (values, reason) =>
      operator<MadeKey>('POST', `/keys/${key.id}/rotate`, {
        overlapSeconds: OVERLAPS[typedIn(values, 'overlap')] ?? 0,
        reason,
      }),
    result: (data) => <Secret made={data as MadeKey} />,
    done: `${key.id} is rotated.`,
    onDone,
  });
}

function Secret({ made: { id, secret } }: { readonly made: MadeKey }): JSX.Element {
  const [said, setSaid] = useState('');
  const copy = (): void => {
    // Browsers give the clipboard to pages over TLS or on this machine alone.
    const refused = 'This browser does not allow it: select the text instead';
    void (navigator.clipboard?.writeText(secret) ?? Promise.reject()).then(
      () => setSaid('secret copied'),
      () => setSaid(refused),
    );
  };
  return (
    <>
      <p>
        This is the secret of {id}. <strong>It is not shown again.</strong>
      </p>
      <code class="secret">{secret}</code>
      <div class="buttons">
        <span class="quiet" role="status">
          {said}
        </span>
        <button type="button" onClick={copy}>
          Copy secret
        </button>
      </div>
    </>
  );
}
