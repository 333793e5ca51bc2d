/**
 * Operator routes for API keys (design, sections 3 and 8). A key's secret is shown once, in the answer that creates
 * it. The engine's thread never sees it, only its digest.
 */
import typia, { type tags } from 'typia';
import { generateKeySecret, keyDigest } from '../../crypto/api-keys.js';
import { parseKeyId, type Scope, scopesMask } from '../../engine/model/domain.js';
import { readBody } from '../kit/body.js';
import { parseFlag, parseQuery, parseTime } from '../kit/params.js';
import { invalid, Refused } from '../kit/refused.js';
import { nextOf, searchOf } from '../kit/search-query.js';
import { accountIn, hasAccount, parseOptionalAccount } from './accounts.js';
import {
  type Asking,
  answer,
  asking,
  type Call,
  page,
  type Reasoned,
  type Route,
  readTimeMs,
  refuseAfter,
} from './call.js';
import type { Question } from './desk/dealings.js';
import { keyResource } from './resources/accounts.js';

export interface CreateKeyBody extends Reasoned {
  readonly scopes: readonly Scope[] & tags.MinItems<1> & tags.UniqueItems;
  readonly expiresAt?: (string & tags.Format<'date-time'>) | null;
}
export interface UpdateKeyBody extends Reasoned {
  readonly enabled?: boolean;
  readonly expiresAt?: string & tags.Format<'date-time'>;
}
export interface RotateKeyBody extends Reasoned {
  /** How long the old key is good beside the new one; a day if absent. */
  readonly overlapSeconds?: number & tags.Type<'uint32'> & tags.Maximum<2_592_000>;
  /** When the new key expires; never if absent. */
  readonly expiresAt?: (string & tags.Format<'date-time'>) | null;
}
const OVERLAP_SECONDS = 86_400;

const validateCreateKey = typia.createValidateEquals<CreateKeyBody>();
const validateUpdateKey = typia.createValidateEquals<UpdateKeyBody>();
const validateRotateKey = typia.createValidateEquals<RotateKeyBody>();

export const keyRoutes: readonly Route[] = [
  { method: 'POST', path: '/accounts/{id}/keys', role: 'support', handle: createKey },
  { method: 'GET', path: '/accounts/{id}/keys', role: 'read', handle: listOwn },
  { method: 'GET', path: '/keys', role: 'read', handle: list },
  { method: 'PATCH', path: '/keys/{id}', role: 'support', handle: updateKey },
  { method: 'POST', path: '/keys/{id}/rotate', role: 'support', handle: rotateKey },
];

function createKey(call: Call): Asking {
  const account = accountIn(call);
  const refuse = (refused: Refused): Asking => refuseAfter(hasAccount(account), refused);
  const body = readBody(call.request, validateCreateKey);
  if (body instanceof Refused) return refuse(body);
  const { scopes, expiresAt = null } = body;
  const expiresAtMs = expiresAt === null ? null : readTimeMs('expiresAt', expiresAt);
  if (expiresAtMs instanceof Refused) return refuse(expiresAtMs);
  const secret = generateKeySecret();
  const ask = { account, digest: keyDigest(secret), scopesMask: scopesMask(scopes), expiresAtMs };
  return asking('createKey', ask, (view) => {
    const { id, ...rest } = keyResource(view);
    return answer(201, { id, secret, ...rest });
  });
}

/** All keys of the account that the path names. */
function listOwn(call: Call): Asking {
  const all = { enabled: null, expiresBeforeMs: null, after: 0, limit: Number.POSITIVE_INFINITY };
  return asking('keys', { account: accountIn(call), ...all }, (...slices) =>
    answer(
      200,
      slices.flatMap(({ found }) => found.map(keyResource)),
    ),
  );
}

/** Pages by number, the oldest key first. */
function list({ request }: Call): Asking | Refused {
  const given = parseQuery(request.query, ['accountId', 'enabled', 'expiresBefore', 'limit', 'cursor']);
  if (given instanceof Refused) return given;
  const account = parseOptionalAccount(given);
  if (account instanceof Refused) return account;
  // Those of an account are found by their place among them, so a cursor is of no use in another list.
  const name = account === null ? 'keys' : `keys-${account}`;
  const searched = searchOf(given, name);
  if (searched instanceof Refused) return searched;
  const enabled = parseFlag('enabled', given.get('enabled'));
  if (enabled instanceof Refused) return enabled;
  const expiresBeforeMs = parseTime('expiresBefore', given.get('expiresBefore'));
  if (expiresBeforeMs instanceof Refused) return expiresBeforeMs;
  return asking('keys', { account, enabled, expiresBeforeMs, ...searched }, (...slices) =>
    page(
      slices.flatMap(({ found }) => found.map(keyResource)),
      nextOf(slices, name),
    ),
  );
}

const hasKey = (key: number): Question<'hasKey'> => ({ kind: 'hasKey', ask: { key } });

/** One change at a time: each is a command. */
function updateKey(call: Call): Asking {
  const key = parseKeyId(call.params[0] ?? '');
  const refuse = (refused: Refused): Asking => refuseAfter(hasKey(key), refused);
  const body = readBody(call.request, validateUpdateKey);
  if (body instanceof Refused) return refuse(body);
  const { enabled, expiresAt } = body;
  if ((enabled === undefined) === (expiresAt === undefined))
    return refuse(invalid('one of enabled and expiresAt is expected'));
  if (enabled !== undefined)
    return asking('updateKey', { key, enabled }, (view) => answer(200, keyResource(view)));
  const expiresAtMs = readTimeMs('expiresAt', expiresAt ?? '');
  if (expiresAtMs instanceof Refused) return refuse(expiresAtMs);
  return asking('expireKey', { key, expiresAtMs }, (view) => answer(200, keyResource(view)));
}

function rotateKey(call: Call): Asking {
  const key = parseKeyId(call.params[0] ?? '');
  const refuse = (refused: Refused): Asking => refuseAfter(hasKey(key), refused);
  const body = readBody(call.request, validateRotateKey);
  if (body instanceof Refused) return refuse(body);
  const { overlapSeconds = OVERLAP_SECONDS, expiresAt = null } = body;
  const expiresAtMs = expiresAt === null ? null : readTimeMs('expiresAt', expiresAt);
  if (expiresAtMs instanceof Refused) return refuse(expiresAtMs);
  const secret = generateKeySecret();
  const ask = { key, overlapMs: overlapSeconds * 1_000, digest: keyDigest(secret), expiresAtMs };
  return asking('rotateKey', ask, ({ made, replaced }) => {
    const { id, ...rest } = keyResource(made);
    return answer(201, { id, secret, ...rest, replaces: keyResource(replaced) });
  });
}
