/**
 * The endpoint that lists the actions of operators, done and refused, newest first. The archive has all of them; the
 * engine's thread only says how far it must have come.
 */
import typia from 'typia';
import { ACTION_KINDS, type ActionsQuestion, isOperatorName } from '../../engine/model/operators.js';
import { cursorText, parseCursor } from '../kit/cursor.js';
import { parseLimit } from '../kit/params.js';
import { readArchive, refuseInvalid } from '../kit/refused.js';
import { ARCHIVE_CODES, type Call, type Declared, PAGED, page } from './endpoint.js';
import { type AuditEntry, auditEntry } from './resources/audit.js';

const AUDIT = 'audit';
const LIMIT_DEFAULT = 100;

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
      const { actions, nextBefore } = told;
      const next = nextBefore === null ? null : cursorText(AUDIT, nextBefore.seq, nextBefore.item);
      return page(actions.map(auditEntry), next);
    },
  },
];

function askedFor(call: Call): Omit<ActionsQuestion, 'kind' | 'reachedSeq'> {
  const operator = call.given.get('operator') ?? null;
  if (operator !== null && !isOperatorName(operator)) refuseInvalid('operator must be the name of a token');
  const action = call.choice('action', ACTION_KINDS);
  const [fromMs, toMs] = [call.time('from'), call.time('to')];
  const limit = parseLimit(call.given.get('limit'), LIMIT_DEFAULT);
  const place = parseCursor(call.given.get('cursor'), AUDIT, 2);
  const [seq = 0, item = 0] = place ?? [];
  return { operator, action, fromMs, toMs, limit, before: place === null ? null : { seq, item } };
}
