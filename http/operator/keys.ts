/**
 * Operator routes for API keys (design, sections 3 and 8). A key's secret is shown once, in the answer that creates
 * it. The engine's thread never sees it, only its digest.
 */
import typia, { type tags } from 'typia';
import { parseKeyId, type Scope, scopesMask } from '../../engine/model/domain.js';
import { generateKeySecret, keyDigest } from '../keys.js';
import { readBody } from '../kit/body.js';
import { Refused } from '../kit/refused.js';
import { accountIn, hasAccount } from './accounts.js';
import { type Asking, answer, asking, type Call, type Route, readTimeMs, refuseAfter } from './call.js';
import { keyResource } from './resources.js';

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
  { method: 'POST', path: '/accounts/{id}/keys', handle: createKey },
  { method: 'GET', path: '/accounts/{id}/keys', handle: listKeys },
  { method: 'PATCH', path: '/keys/{id}', handle: updateKey },
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

function listKeys(call: Call): Asking {
  const account = accountIn(call);
  return asking('keys', { account }, (...slices) => answer(200, slices.flat().map(keyResource)));
}

function updateKey(call: Call): Asking {
  const key = parseKeyId(call.params[0] ?? '');
  const body = readBody(call.request, validateUpdateKey);
  if (body instanceof Refused) return refuseAfter({ kind: 'hasKey', ask: { key } }, body);
  return asking('updateKey', { key, enabled: body.enabled }, (view) => answer(200, keyResource(view)));
}
