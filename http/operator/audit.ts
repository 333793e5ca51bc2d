/**
 * The endpoint that lists the actions of operators, done and refused, newest first. The archive has all of them; the
 * engine's thread only says how far it must have come.
 */
import typia from 'typia';
import { ACTION_KINDS, type ActionsQuestion, isOperatorName } from '../../engine/model/operators.js';
import { eventsCursor, eventsQuery } from '../api/lists/archive-queries.js';
import { readArchive, refuseInvalid } from '../kit/refused.js';
import { ARCHIVE_CODES, type Call, type Declared, PAGED, page } from './endpoint.js';
import { type AuditEntry, auditEntry } from './resources/audit.js';

export const AUDIT_ENDPOINTS: readonly Declared[] = [
  {
    method: 'GET',
    path: '/audit',
    id: 'listActions',
    summary: 'Actions of operators, done and refused, newest first',
    parameters: ['operator', 'action', 'from', 'to', ...PAGED],
    schemas: typia.json.schemas<[AuditEntry], '3.1'>(),
    shape: 'page',
    codes: ARCHIVE_CODES,
    handle: async ({ engine, archive }, call) => {
      const asked = askedFor(call);
      const reachedSeq = await engine.ask('lastAction', {});
      const told = await readArchive(archive.actions, { ...asked, reachedSeq });
      return page(told.actions.map(auditEntry), eventsCursor('audit', told.nextBefore));
    },
  },
];

function askedFor(call: Call): Omit<ActionsQuestion, 'kind' | 'reachedSeq'> {
  const operator = call.given.get('operator') ?? null;
  if (operator !== null && !isOperatorName(operator)) refuseInvalid('operator must be the name of a token');
  const action = call.choice('action', ACTION_KINDS);
  const [fromMs, toMs] = [call.time('from'), call.time('to')];
  return { operator, action, fromMs, toMs, ...eventsQuery('audit', call.given) };
}
