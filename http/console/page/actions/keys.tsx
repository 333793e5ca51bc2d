/** Actions on keys. A secret is shown once, in the dialog that made its key. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SCOPES } from '../../../../engine/model/domain.js';
import type { AccountResource, KeyResource } from '../../../operator/resources/accounts.js';
import { begin, typedIn } from '../state/action.js';
import { operator } from '../state/api.js';
import { isoTimeText } from '../state/format.js';

/** A new key with its secret. */
interface MadeKey extends KeyResource {
  readonly secret: string;
}

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
      {
        name: 'expires',
        label: 'Expires (your time)',
        kind: 'time',
        isOptional: true,
        hint: 'Never, if left empty.',
      },
    ],
    preview: (values) => {
      const chosen = typedIn(values, 'scopes');
      if (chosen === '') return 'Choose at least one scope.';
      const expires = typedIn(values, 'expires');
      return [
        { what: `New key of ${account.id}`, before: '', after: chosen.split(',').join(', ') },
        {
          what: 'Expires',
          before: '',
          after: expires === '' ? 'never' : `${isoTimeText(new Date(expires).toISOString())} UTC`,
        },
      ];
    },
    label: 'Create key',
    run: (values, reason) => {
      const expires = typedIn(values, 'expires');
      return operator<MadeKey>('POST', `/accounts/${account.id}/keys`, {
        scopes: typedIn(values, 'scopes').split(','),
        ...(expires === '' ? {} : { expiresAt: new Date(expires).toISOString() }),
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
    fields: [],
    preview: () => [
      {
        what: `${key.id} of ${key.accountId}`,
        before: isEnabled ? 'disabled' : 'enabled',
        after: isEnabled ? 'enabled' : 'disabled',
      },
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
    fields: [{ name: 'expires', label: 'Expires (your time)', kind: 'time' }],
    preview: (values) => {
      const expires = typedIn(values, 'expires');
      if (expires === '') return 'Say when.';
      const after = new Date(expires).toISOString();
      if (before !== null && after > before) return `It must be before ${isoTimeText(before)} UTC.`;
      return [
        {
          what: `${key.id} of ${key.accountId} expires`,
          before: before === null ? 'never' : `${isoTimeText(before)} UTC`,
          after: `${isoTimeText(after)} UTC`,
        },
      ];
    },
    label: 'Set expiry',
    run: (values, reason) =>
      operator('PATCH', `/keys/${key.id}`, {
        expiresAt: new Date(typedIn(values, 'expires')).toISOString(),
        reason,
      }),
    done: `The expiry of ${key.id} is set.`,
    onDone,
  });
}

/** How long the old key is good beside the new one. */
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
      { what: `New key of ${key.accountId}`, before: '', after: key.scopes.join(', ') },
      {
        what: key.id,
        before: key.expiresAt === null ? 'never expires' : `expires ${isoTimeText(key.expiresAt)}`,
        after:
          typedIn(values, 'overlap') === 'not at all'
            ? 'expires now'
            : `expires in ${typedIn(values, 'overlap')}`,
      },
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

export function Secret({ made }: { readonly made: MadeKey }): JSX.Element {
  return (
    <div>
      <p>
        This is the secret of {made.id}. <strong>It is not shown again.</strong>
      </p>
      <p>
        <code class="secret">{made.secret}</code>
      </p>
      <p>
        <CopyButton text={made.secret} what="secret" />
      </p>
    </div>
  );
}

export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid(`${what} copied`);
    } catch {
      // Browsers give the clipboard to pages over TLS or on this machine alone.
      setSaid('This browser does not allow it: select the text instead');
    }
  };
  return (
    <>
      <button type="button" onClick={copy}>
        Copy {what}
      </button>
      <span class="quiet" role="status">
        {said}
      </span>
    </>
  );
}
