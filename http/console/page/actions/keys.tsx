/** Actions on keys. A secret is shown once, in the dialog that made its key. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SCOPES } from '../../../../engine/model/domain.js';
import type { AccountResource } from '../../../operator/accounts.js';
import type { CreatedKey, KeyResource } from '../../../operator/keys.js';
import type { Action } from '../parts/action.js';
import type { Field, Values } from '../parts/field.js';
import { isoOf, timeText } from '../state/format.js';
import { live } from '../state/live.js';

const EXPIRES: Field = { name: 'expires', label: 'Expires (UTC)', kind: 'time' };
export const endOf = (iso: string | null): string => (iso === null ? 'never' : timeText(iso));
/** By the server's clock, which a sandbox moves. */
const nowMs = (): number => live.value?.timeMs ?? Date.now();
export const stateOf = ({ enabled, expiresAt }: KeyResource): 'enabled' | 'disabled' | 'expired' => {
  if (!enabled) return 'disabled';
  return expiresAt !== null && Date.parse(expiresAt) <= nowMs() ? 'expired' : 'enabled';
};
const expiryIn = ({ expires }: Values): string | undefined => (expires ? isoOf(expires) : undefined);
const chosenOf = (typed: Values): string[] => SCOPES.filter((scope) => typed[scope] === 'true');

export const createKey = ({ id, tier }: AccountResource): Action => ({
  role: 'support',
  verb: 'Create key',
  target: `for ${id}`,
  about:
    'Its secret is shown once, when it is made, and is kept nowhere. Hand it to the owner of the account alone. Keys that write need the tier SILVER or higher.',
  fields: [
    ...SCOPES.filter((scope) => tier !== 'BRONZE' || scope.endsWith(':read')).map(
      (scope): Field => ({ name: scope, label: scope, kind: 'flag', initial: 'true' }),
    ),
    { ...EXPIRES, isOptional: true, hint: 'Never, if left empty.' },
  ],
  preview: (typed) => {
    const scopes = chosenOf(typed).join(', ');
    if (scopes === '') return 'Choose at least one scope.';
    return [
      [`New key of ${id}`, '', scopes],
      ['Expires', '', endOf(expiryIn(typed) ?? null)],
    ];
  },
  request: (typed) => [
    'POST',
    `/accounts/${id}/keys`,
    { scopes: chosenOf(typed), expiresAt: expiryIn(typed) },
  ],
  result: (data) => <Secret {...(data as CreatedKey)} />,
});

export const switchKey = ({ id, accountId, enabled }: KeyResource): Action => ({
  role: 'support',
  verb: enabled ? 'Disable' : 'Enable',
  target: id,
  about: enabled
    ? 'Requests with this key are refused with 403 at once. Bets that were placed with it stay.'
    : 'Requests with this key are answered again.',
  preview: () => [
    enabled ? [`Key of ${accountId}`, 'enabled', 'disabled'] : [`Key of ${accountId}`, 'disabled', 'enabled'],
  ],
  isDangerous: enabled,
  request: () => ['PATCH', `/keys/${id}`, { enabled: !enabled }],
});

export const expireKey = ({ id, accountId, expiresAt: before }: KeyResource): Action => ({
  role: 'support',
  verb: 'Expire',
  target: id,
  about:
    'From that time on requests with this key are refused with 403. An expiry can be brought forward, and never put off.',
  fields: [EXPIRES],
  preview: ({ expires = '' }) => {
    if (expires === '') return 'Say when.';
    const after = isoOf(expires);
    if (before !== null && after > before) return `It must be before ${timeText(before)} UTC.`;
    return [[`Key of ${accountId} expires`, endOf(before), timeText(after)]];
  },
  request: ({ expires = '' }) => ['PATCH', `/keys/${id}`, { expiresAt: isoOf(expires) }],
});

/** In seconds. */
const OVERLAPS = [
  ['0', 'not at all'],
  ['3600', 'an hour'],
  ['86400', 'a day'],
  ['604800', 'a week'],
] as const;

export const rotateKey = ({ id, accountId, scopes, expiresAt }: KeyResource): Action => ({
  role: 'support',
  verb: 'Rotate',
  target: id,
  about:
    'A new key of the same account with the same scopes takes its place. Its secret is shown once. The old one is good for a while, so that its owner can change over.',
  fields: [
    {
      name: 'overlap',
      label: 'The old key stays good for',
      options: OVERLAPS,
      initial: '86400',
    },
  ],
  preview: ({ overlap = '' }) => {
    const endMs = nowMs() + Number(overlap) * 1_000;
    const after = expiresAt === null ? endMs : Math.min(endMs, Date.parse(expiresAt));
    return [
      [`New key of ${accountId}`, '', scopes.join(', ')],
      [`${id} expires`, endOf(expiresAt), timeText(after)],
    ];
  },
  request: ({ overlap = '' }) => [
    'POST',
    `/keys/${id}/rotate`,
    { overlapSeconds: Number(overlap), seen: { expiresAt } },
  ],
  result: (data) => <Secret {...(data as CreatedKey)} />,
});

function Secret({ id, secret }: CreatedKey): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  return (
    <>
      <p>
        This is the secret of {id}. <strong>It is not shown again.</strong>
      </p>
      <code class="secret">{secret}</code>
      <div class="buttons">
        {/* Browsers give the clipboard to pages over TLS or on this machine alone. */}
        {navigator.clipboard !== undefined && (
          <button
            type="button"
            onClick={() => void navigator.clipboard.writeText(secret).then(() => setCopied(true))}
          >
            {isCopied ? 'Secret copied' : 'Copy secret'}
          </button>
        )}
      </div>
    </>
  );
}
