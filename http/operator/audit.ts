/**
 * The operator route that lists what operators have done and were refused, newest first. All of it is in the archive; the
 * engine's thread only says how far that must have come.
 */

import { isRefusal } from '../../engine/model/archive-reads.js';
import { ACTION_KINDS, type ActionsQuestion, isOperatorName } from '../../engine/model/operators.js';
import { cursorText, parseCursor } from '../kit/cursor.js';
import { parseChoice, parseLimit, parseQuery, parseTime } from '../kit/params.js';
import { invalid, Refused, refusedBy } from '../kit/refused.js';
import { type Asking, asking, type Call, page, Reading, type Route } from './call.js';
import { auditEntry } from './resources/audit.js';

const AUDIT = 'audit';
const LIMIT_DEFAULT = 100;

export const auditRoutes: readonly Route[] = [{ method: 'GET', path: '/audit', role: 'read', handle: list }];

type Asked = Omit<ActionsQuestion, 'kind' | 'reachedSeq'>;

function list({ request }: Call): Asking | Refused {
  const asked = readQuery(request.query);
  if (asked instanceof Refused) return asked;
  return asking(
    'lastAction',
    {},
    (reachedSeq) =>
      new Reading((archive, tell) =>
        archive.actions({ ...asked, reachedSeq }, (told) => {
          if (isRefusal(told)) return tell(refusedBy(told));
          const { actions, nextBefore } = told;
          const next = nextBefore === null ? null : cursorText(AUDIT, nextBefore.seq, nextBefore.item);
          return tell(page(actions.map(auditEntry), next));
        }),
      ),
  );
}

function readQuery(text: string): Asked | Refused {
  const given = parseQuery(text, ['operator', 'action', 'from', 'to', 'limit', 'cursor']);
  if (given instanceof Refused) return given;
  const operator = given.get('operator') ?? null;
  if (operator !== null && !isOperatorName(operator)) return invalid('operator must be the name of a token');
  const action = parseChoice('action', given.get('action'), ACTION_KINDS);
  if (action instanceof Refused) return action;
  const fromMs = parseTime('from', given.get('from'));
  if (fromMs instanceof Refused) return fromMs;
  const toMs = parseTime('to', given.get('to'));
  if (toMs instanceof Refused) return toMs;
  const limit = parseLimit(given.get('limit'), LIMIT_DEFAULT);
  if (limit instanceof Refused) return limit;
  const place = parseCursor(given.get('cursor'), AUDIT, 2);
  if (place instanceof Refused) return place;
  const [seq = 0, item = 0] = place ?? [];
  return { operator, action, fromMs, toMs, limit, before: place === null ? null : { seq, item } };
}
