/**
 * Endpoints of API keys. A key's secret is shown once, in the answer that creates it. The engine's thread never sees
 * it, only its digest.
 */
import typia, { type tags } from 'typia';
import { generateKeySecret, keyDigest } from '../../crypto/api-keys.js';
import { must } from '../../engine/base/assert.js';
import { isoOrNull, isoText } from '../../engine/base/iso-text.js';
import {
  accountId,
  keyId,
  parseAccountId,
  parseKeyId,
  type Scope,
  scopesMask,
  scopesOf,
  WRITE_SCOPES_MASK,
} from '../../engine/model/domain.js';
import type { KeyView } from '../../engine/model/views.js';
import { markOf, searchOf } from '../kit/cursor.js';
import { refuseInvalid } from '../kit/refused.js';
import { refuseRole } from './access/callers.js';
import {
  type Answer,
  type Call,
  type Declared,
  IF_SEEN,
  type Reasoned,
  SEARCHED,
  type Services,
  searched,
  timeIn,
} from './endpoint.js';
import type { CommandResult } from './queries/commands.js';

interface CreateKeyBody extends Reasoned {
  readonly scopes: readonly Scope[] & tags.MinItems<1> & tags.UniqueItems;
  readonly expiresAt?: (string & tags.Format<'date-time'>) | null;
}
interface UpdateKeyBody extends Reasoned {
  readonly enabled?: boolean;
  readonly expiresAt?: string & tags.Format<'date-time'>;
}
interface RotateKeyBody extends Reasoned {
  /** How long the old key is good beside the new one; a day if absent. */
  readonly overlapSeconds?: number & tags.Type<'uint64'> & tags.Maximum<2_592_000>;
  /** When the new key expires; never if absent. */
  readonly expiresAt?: (string & tags.Format<'date-time'>) | null;
  /** Each rotation brings the old key's expiry forward. */
  readonly seen?: { readonly expiresAt: (string & tags.Format<'date-time'>) | null };
}
const OVERLAP_SECONDS = 86_400;

export interface CreatedKey extends KeyResource {
  /** Shown here and never again. */
  readonly secret: string;
}
interface RotatedKey extends CreatedKey {
  /** The key whose place it takes, with its expiry. */
  readonly replaces: KeyResource;
}

const validateCreateKey = typia.createValidateEquals<CreateKeyBody>();
const validateUpdateKey = typia.createValidateEquals<UpdateKeyBody>();
const validateRotateKey = typia.createValidateEquals<RotateKeyBody>();

const FOR_MONEY =
  'With scopes that write, for an account with a balance or open bets, it needs the role admin.';
const UNKNOWN_SECRET =
  'If no answer comes, look at the keys of the account: nobody has the secret of one that was made. Disable it.';

export const KEY_ENDPOINTS: readonly Declared[] = [
  {
    method: 'POST',
    path: '/accounts/{id}/keys',
    role: 'support',
    id: 'createKey',
    summary: 'Make a key; its secret is shown this once',
    text: `${FOR_MONEY} ${UNKNOWN_SECRET}`,
    schemas: typia.json.schemas<[CreatedKey, CreateKeyBody], '3.1'>(),
    status: 201,
    codes: ['account_not_found', 'tier_too_low', 'too_many_keys'],
    handle: create,
  },
  {
    method: 'GET',
    path: '/accounts/{id}/keys',
    id: 'listKeysOfAccount',
    summary: 'All keys of an account',
    schemas: typia.json.schemas<[KeyResource], '3.1'>(),
    shape: 'list',
    codes: ['account_not_found'],
    handle: async ({ engine }, { id }) => {
      const all = { enabled: null, expiresBeforeMs: null, after: 0, limit: Number.POSITIVE_INFINITY };
      const slices = await engine.list('keys', { account: parseAccountId(id), ...all });
      return slices.flatMap(({ found }) => found.map(keyResource));
    },
  },
  {
    method: 'GET',
    path: '/keys',
    id: 'listKeys',
    summary: 'Keys by number',
    parameters: ['accountId', 'enabled', 'expiresBefore', ...SEARCHED],
    schemas: typia.json.schemas<[KeyResource], '3.1'>(),
    shape: 'page',
    codes: ['account_not_found'],
    handle: list,
  },
  {
    method: 'GET',
    path: '/keys/{id}',
    id: 'getKey',
    summary: 'One key',
    schemas: typia.json.schemas<[KeyResource], '3.1'>(),
    codes: ['key_not_found'],
    handle: async ({ engine }, { id }) => keyResource(await engine.ask('key', { key: parseKeyId(id) })),
  },
  {
    method: 'PATCH',
    path: '/keys/{id}',
    role: 'support',
    id: 'updateKey',
    summary: 'Enable, disable, or let it expire',
    text: `One of the two. An expiry is set or brought forward, never put off. A disabled key is enabled as a new one is made. ${FOR_MONEY}`,
    schemas: typia.json.schemas<[KeyResource, UpdateKeyBody], '3.1'>(),
    codes: ['key_not_found', 'key_expired', 'too_many_keys'],
    handle: update,
  },
  {
    method: 'POST',
    path: '/keys/{id}/rotate',
    role: 'support',
    id: 'rotateKey',
    summary: 'A new key in place of this one, which stays good for a while',
    text: `${FOR_MONEY} ${UNKNOWN_SECRET} ${IF_SEEN}`,
    schemas: typia.json.schemas<[RotatedKey, RotateKeyBody], '3.1'>(),
    status: 201,
    codes: [
      ...(['key_not_found', 'key_disabled', 'key_expired', 'tier_too_low', 'too_many_keys'] as const),
      'preview_outdated',
    ],
    handle: rotate,
  },
];

const timeOrNever = (field: string, text: string | null): number | null =>
  text === null ? null : timeIn(field, text);

const keyOf = ({ keys }: CommandResult): KeyResource => keyResource(must(keys.at(-1), 'the key'));

/** A holder of a key that writes can bet the account's money away, to an accomplice on the other side. */
async function refuseForMoney(
  { engine }: Services,
  call: Call,
  account: number,
  mask: number,
): Promise<void> {
  const refused = (mask & WRITE_SCOPES_MASK) === 0 ? null : refuseRole(call.caller, 'admin');
  if (refused === null) return;
  const { balanceCents, openBets } = await engine.ask('account', { account });
  if (balanceCents > 0 || openBets > 0) throw refused;
}

async function create(services: Services, call: Call): Promise<CreatedKey> {
  const account = parseAccountId(call.id);
  const { scopes, expiresAt = null } = call.body(validateCreateKey);
  const secret = generateKeySecret();
  const key = {
    digest: keyDigest(secret),
    scopesMask: scopesMask(scopes),
    expiresAtMs: timeOrNever('expiresAt', expiresAt),
  };
  await refuseForMoney(services, call, account, key.scopesMask);
  const made = await services.engine.command({ kind: 'createKey', account, ...key }, call.by);
  return { ...keyOf(made), secret };
}

async function list({ engine }: Services, call: Call): Promise<Answer> {
  const filters = {
    account: call.account(),
    enabled: call.flag('enabled'),
    expiresBeforeMs: call.time('expiresBefore'),
  };
  const mark = markOf('keys', filters);
  const slices = await engine.list('keys', { ...filters, ...searchOf(mark, call.given) });
  return searched(slices, mark, keyResource);
}

/** One change at a time: each is a command. */
async function update(services: Services, call: Call): Promise<KeyResource> {
  const { engine } = services;
  const key = parseKeyId(call.id);
  const { enabled, expiresAt } = call.body(validateUpdateKey);
  if ((enabled === undefined) === (expiresAt === undefined))
    refuseInvalid('one of enabled and expiresAt is expected');
  if (enabled === true) {
    const before = await engine.ask('key', { key });
    if (!before.enabled) await refuseForMoney(services, call, before.account, before.scopesMask);
  }
  const command =
    enabled === undefined
      ? ({ kind: 'expireKey', key, expiresAtMs: timeIn('expiresAt', expiresAt ?? '') } as const)
      : ({ kind: 'updateKey', key, enabled } as const);
  return keyOf(await engine.command(command, call.by));
}

async function rotate(services: Services, call: Call): Promise<RotatedKey> {
  const { engine } = services;
  const key = parseKeyId(call.id);
  const { overlapSeconds = OVERLAP_SECONDS, expiresAt = null, seen } = call.body(validateRotateKey);
  const before = await engine.ask('key', { key });
  await refuseForMoney(services, call, before.account, before.scopesMask);
  const secret = generateKeySecret();
  const rotated = await engine.ask('rotateKey', {
    key,
    overlapMs: overlapSeconds * 1_000,
    digest: keyDigest(secret),
    expiresAtMs: timeOrNever('expiresAt', expiresAt),
    seen: seen === undefined ? {} : { expiresAtMs: timeOrNever('seen.expiresAt', seen.expiresAt) },
    by: call.by,
  });
  const replaces = keyResource(must(rotated.keys[0], 'the replaced key'));
  return { ...keyOf(rotated), secret, replaces };
}

export interface KeyResource {
  readonly id: string;
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  readonly enabled: boolean;
  readonly expiresAt: string | null;
  readonly createdAt: string;
}

function keyResource(view: KeyView): KeyResource {
  return {
    id: keyId(view.key),
    accountId: accountId(view.account),
    scopes: scopesOf(view.scopesMask),
    enabled: view.enabled,
    expiresAt: isoOrNull(view.expiresAtMs),
    createdAt: isoText(view.createdAtMs),
  };
}
