/** Endpoints of the house's money. */
import typia from 'typia';
import { REFERENCE, showTransfer, type TransferBody, transferIn } from './accounts.js';
import { answer, type Endpoint } from './endpoint.js';
import { PROFIT_ENDPOINT } from './profit.js';
import type { TransferResource } from './resources/accounts.js';
import { type HouseExposure, type HouseResource, houseExposure, houseResource } from './resources/house.js';
import { lastOf } from './rounds.js';

export const HOUSE_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/house',
    role: 'read',
    id: 'getHouse',
    tag: 'House',
    summary: 'Its money, and all money',
    schemas: typia.json.schemas<[HouseResource], '3.1'>(),
    handle: async ({ engine }) => answer(200, houseResource(await engine.ask('house', {}))),
  },
  {
    method: 'POST',
    path: '/house/deposits',
    role: 'admin',
    id: 'depositHouse',
    tag: 'House',
    summary: 'Pay capital in',
    text: REFERENCE,
    schemas: typia.json.schemas<[TransferResource, TransferBody], '3.1'>(),
    status: 201,
    codes: ['reference_conflict'],
    handle: async ({ engine }, call) =>
      showTransfer(await engine.command({ kind: 'depositHouse', ...transferIn(call) }, call.by)),
  },
  {
    method: 'POST',
    path: '/house/withdrawals',
    role: 'admin',
    id: 'withdrawHouse',
    tag: 'House',
    summary: 'Pay capital out',
    text: REFERENCE,
    schemas: typia.json.schemas<[TransferResource, TransferBody], '3.1'>(),
    status: 201,
    codes: ['reference_conflict', 'insufficient_balance'],
    handle: async ({ engine }, call) =>
      showTransfer(await engine.command({ kind: 'withdrawHouse', ...transferIn(call) }, call.by)),
  },
  {
    method: 'GET',
    path: '/house/exposure',
    role: 'read',
    id: 'getExposure',
    tag: 'House',
    summary: 'Exposure in open rounds, by round and by market',
    parameters: [],
    schemas: typia.json.schemas<[HouseExposure], '3.1'>(),
    handle: async ({ engine }) => {
      const slices = await engine.list('openRounds', {});
      return answer(200, houseExposure([...lastOf(slices).values()], slices.at(-1)?.timeMs ?? 0));
    },
  },
  PROFIT_ENDPOINT,
];
