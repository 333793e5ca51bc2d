/** All routes of the operator API. */
import { accountRoutes } from './accounts.js';
import { auditRoutes } from './audit.js';
import { betRoutes } from './bets.js';
import { answer, asking, type Route } from './call.js';
import { controlRoutes } from './control.js';
import { houseRoutes } from './house.js';
import { keyRoutes } from './keys.js';
import { moneyRoutes } from './money.js';
import { roundRoutes } from './rounds.js';
import { rulesRoutes } from './rules.js';
import { type SandboxParts, sandboxRoutes } from './sandbox.js';

const statusRoute: Route = {
  method: 'GET',
  path: '/status',
  role: 'read',
  handle: () => asking('status', {}, (status) => answer(200, status)),
};

/** A server that does not run in a process of its own, as in tests, has no status. */
export function operatorRoutes(parts: SandboxParts, hasStatus: boolean): Route[] {
  return [
    ...accountRoutes,
    ...keyRoutes,
    ...moneyRoutes,
    ...roundRoutes,
    ...betRoutes,
    ...controlRoutes,
    ...houseRoutes(),
    ...rulesRoutes,
    ...auditRoutes,
    ...sandboxRoutes(parts),
    ...(hasStatus ? [statusRoute] : []),
  ];
}
