/** Operator routes for the house's money (design, sections 2 and 8). */
import { parseQuery } from '../kit/params.js';
import { Refused } from '../kit/refused.js';
import { readTransfer, showTransfer } from './accounts.js';
import { type Asking, answer, asking, type Call, type Route } from './call.js';
import { profitRoute } from './profit.js';
import { houseExposure, houseResource } from './resources/house.js';
import { lastOf } from './rounds.js';

export const houseRoutes = (): readonly Route[] => [
  {
    method: 'GET',
    path: '/house',
    role: 'read',
    handle: () => asking('house', {}, (totals) => answer(200, houseResource(totals))),
  },
  {
    method: 'POST',
    path: '/house/deposits',
    role: 'admin',
    handle: (call) => transfer('depositHouse', call),
  },
  {
    method: 'POST',
    path: '/house/withdrawals',
    role: 'admin',
    handle: (call) => transfer('withdrawHouse', call),
  },
  { method: 'GET', path: '/house/exposure', role: 'read', handle: exposure },
  profitRoute(),
];

function transfer(kind: 'depositHouse' | 'withdrawHouse', call: Call): Asking | Refused {
  const given = readTransfer(call);
  return given instanceof Refused ? given : asking('transferHouse', { kind, ...given }, showTransfer);
}

function exposure({ request }: Call): Asking | Refused {
  const given = parseQuery(request.query, []);
  if (given instanceof Refused) return given;
  return asking('openRounds', {}, (...slices) =>
    answer(200, houseExposure([...lastOf(slices).values()], slices.at(-1)?.timeMs ?? 0)),
  );
}
