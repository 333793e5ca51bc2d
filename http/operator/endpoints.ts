/**
 * The endpoints of the operator API. A new endpoint is an entry of one of these lists: router, roles and API document
 * follow from it.
 */
import { ACCOUNT_ENDPOINTS } from './accounts.js';
import { AUDIT_ENDPOINTS } from './audit.js';
import { BET_ENDPOINTS } from './bets.js';
import type { Declared, Endpoint } from './endpoint.js';
import { HOUSE_ENDPOINTS } from './house.js';
import { KEY_ENDPOINTS } from './keys.js';
import { ROUND_ENDPOINTS } from './rounds.js';
import { RULES_ENDPOINTS } from './rules.js';
import { SERVER_ENDPOINTS } from './server.js';
import { SANDBOX_ENDPOINTS, TRADING_ENDPOINTS } from './trading.js';

const BY_TAG: readonly (readonly [Endpoint['tag'], readonly Declared[]])[] = [
  ['Accounts', ACCOUNT_ENDPOINTS],
  ['Keys', KEY_ENDPOINTS],
  ['Trading', [...ROUND_ENDPOINTS, ...BET_ENDPOINTS, ...TRADING_ENDPOINTS]],
  ['House', HOUSE_ENDPOINTS],
  ['Rules', RULES_ENDPOINTS],
  ['Record', AUDIT_ENDPOINTS],
  ['Sandbox', SANDBOX_ENDPOINTS],
  ['Server', SERVER_ENDPOINTS],
];

export const ENDPOINTS: readonly Endpoint[] = BY_TAG.flatMap(([tag, declared]) =>
  declared.map((endpoint) => ({ ...endpoint, tag, role: endpoint.role ?? 'read' })),
);
