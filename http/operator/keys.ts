/**
 * Operator routes for API keys (design, sections 3 and 8). A key's secret is shown once, in the answer that creates
 * it. The engine's thread never sees it, only its digest.
 */
import typia, { type tags } from 'typia';
import { parseKeyId, type Scope, scopesMask } from '../../engine/model/domain.js';
import { generateKeySecret, keyDigest } from '../keys.js';
import { readBody } from '../kit/body.js';
import { parseFlag, parseQuery, parseTime } from '../kit/params.js';
import { Refused } from '../kit/refused.js';
import { accountIn, hasAccount } from './accounts.js';
import { type Asking, answer, asking, type Call, page, type Route, readTimeMs, refuseAfter } from './call.js';
import { keyResource } from './resources/accounts.js';
import { nextOf, parseOptionalAccount, searchOf } from './search.js';

interface CreateKeyBody {
  readonly scopes: readonly Scope[] & tags.MinItems<1> & tags.UniqueItems;
  readonly expiresAt?: (string & tags.Format<'date-time'>) | null;
}
interface UpdateKeyBody {
  readonly enabled: boolean;
}

const validateCreateKey = typia.createValidateEquals<CreateKeyBody>();
const validateUpdateKey = typia.createValidateEquals<UpdateKeyBody>();

export const keyRoutes: readonly Route[] = [
  { method: 'POST', path: '/accounts/{id}/keys', role: 'support', handle: createKey },
  { method: 'GET', path: '/accounts/{id}/keys', role: 'read', handle: listOwn },
  { method: 'GET', path: '/keys', role: 'read', handle: list },
  { method: 'PATCH', path: '/keys/{id}', role: 'support', handle: updateKey },
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

function updateKey(call: Call): Asking {
  const key = parseKeyId(call.params[0] ?? '');
  const body = readBody(call.request, validateUpdateKey);
  if (body instanceof Refused) return refuseAfter({ kind: 'hasKey', ask: { key } }, body);
  return asking('updateKey', { key, enabled: body.enabled }, (view) => answer(200, keyResource(view)));
}
