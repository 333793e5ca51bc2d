/**
 * Operator routes for API keys (design, sections 3 and 8). A key's secret is shown once, in the answer that creates
 * it.
 */
import typia, { type tags } from 'typia';
import type { Sequencer } from '../../engine/host/sequencer.js';
import { parseKeyId, type Scope, scopesMask } from '../../engine/model/domain.js';
import { eventOf } from '../event-of.js';
import { generateKeySecret, keyDigest } from '../keys.js';
import { readBody } from '../kit/body.js';
import { invalid, Refused } from '../kit/refused.js';
import { findAccount } from './accounts.js';
import { answer, type Call, eventsOf, type Result, type Route, readTimeMs, taken } from './call.js';
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

export function keyRoutes(sequencer: Sequencer): readonly Route[] {
  return [
    { method: 'POST', path: '/accounts/{id}/keys', handle: (call) => createKey(sequencer, call) },
    { method: 'GET', path: '/accounts/{id}/keys', handle: (call) => listKeys(sequencer, call) },
    { method: 'PATCH', path: '/keys/{id}', handle: (call) => updateKey(sequencer, call) },
  ];
}

function createKey(sequencer: Sequencer, call: Call): Result {
  const account = findAccount(sequencer, call);
  if (account instanceof Refused) return account;
  const body = readBody(call.request, validateCreateKey);
  if (body instanceof Refused) return body;
  const { scopes, expiresAt = null } = body;
  const timeMs = sequencer.stampMs();
  const expiresAtMs = expiresAt === null ? null : readTimeMs('expiresAt', expiresAt);
  if (expiresAtMs instanceof Refused) return expiresAtMs;
  if (expiresAtMs !== null && expiresAtMs <= timeMs) return invalid('expiresAt is past');
  const secret = generateKeySecret();
  const outcome = taken(
    sequencer.submit({
      kind: 'createKey',
      timeMs,
      account: account.account,
      digest: keyDigest(secret),
      scopesMask: scopesMask(scopes),
      expiresAtMs,
    }),
  );
  if (outcome instanceof Refused) return outcome;
  const { id, ...rest } = keyResource(sequencer.engine.key(eventOf(eventsOf(outcome), 'keyCreated').key));
  return answer(201, { id, secret, ...rest }, outcome.seq);
}

function listKeys(sequencer: Sequencer, call: Call): Result {
  const account = findAccount(sequencer, call);
  if (account instanceof Refused) return account;
  const { engine } = sequencer;
  return answer(200, engine.keysOf(account.account).map(keyResource), engine.seq);
}

function updateKey(sequencer: Sequencer, call: Call): Result {
  const { engine } = sequencer;
  const key = parseKeyId(call.params[0] ?? '');
  if (key === 0 || key > engine.keyCount) return new Refused('key_not_found', 'no such key');
  const body = readBody(call.request, validateUpdateKey);
  if (body instanceof Refused) return body;
  const { enabled } = body;
  const outcome = taken(sequencer.submit({ kind: 'updateKey', timeMs: sequencer.stampMs(), key, enabled }));
  return outcome instanceof Refused ? outcome : answer(200, keyResource(engine.key(key)), outcome.seq);
}
