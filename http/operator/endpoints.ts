/**
 * The endpoints of the operator API. A new endpoint is an entry of one of these lists: router, roles and API document
 * follow from it.
 */
import { ACCOUNT_ENDPOINTS } from './accounts.js';
import { AUDIT_ENDPOINT } from './audit.js';
import { BET_ENDPOINTS } from './bets.js';
import type { Endpoint } from './endpoint.js';
import { HOUSE_ENDPOINTS } from './house.js';
import { KEY_ENDPOINTS } from './keys.js';
import { ROUNDS_ENDPOINT } from './rounds.js';
import { RULES_ENDPOINTS } from './rules.js';
import { SERVER_ENDPOINTS } from './server.js';
import { SANDBOX_ENDPOINTS, TRADING_ENDPOINTS } from './trading.js';

export const ENDPOINTS: readonly Endpoint[] = [
  ...ACCOUNT_ENDPOINTS,
  ...KEY_ENDPOINTS,
  ROUNDS_ENDPOINT,
  ...BET_ENDPOINTS,
  ...TRADING_ENDPOINTS,
  ...HOUSE_ENDPOINTS,
  ...RULES_ENDPOINTS,
  AUDIT_ENDPOINT,
  ...SANDBOX_ENDPOINTS,
  ...SERVER_ENDPOINTS,
];
