/** Endpoints of the server's state. */
import typia from 'typia';
import { refuseInvalid } from '../kit/refused.js';
import { answer, type Endpoint, type OperatorRoute, textAnswer } from './endpoint.js';
import type { VitalsResource } from './figures/vitals.js';

export const SERVER_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/status',
    role: 'read',
    id: 'getStatus',
    tag: 'Server',
    summary: "The server's state on one page",
    text: 'It does not wait for the journal. docs/ops/runbook.md says what to do at each alarm.',
    handle: async ({ engine }) => answer(200, await engine.ask('status', {})),
  },
  {
    method: 'GET',
    path: '/vitals',
    role: 'read',
    id: 'getVitals',
    tag: 'Server',
    summary: 'Figures of the last hour, and the alarms that are raised',
    parameters: ['since'],
    schemas: typia.json.schemas<[VitalsResource], '3.1'>(),
    handle: ({ vitals }, { given }) => {
      const since = given.get('since') ?? '0';
      if (!/^\d{1,12}(\.\d{1,3})?$/.test(since)) refuseInvalid('since must be a time in seconds since 1970');
      return answer(200, vitals(Number(since)));
    },
  },
  {
    method: 'GET',
    path: '/openapi.json',
    role: 'read',
    id: 'getOpenApi',
    tag: 'Server',
    summary: 'This document',
    shape: 'text',
    handle: ({ document }) => textAnswer('application/json', document()),
  },
];

/** Prometheus looks for its figures below no prefix. */
export const metricsRoute = (contentType: string, text: () => Promise<string>): OperatorRoute => ({
  method: 'GET',
  path: '/metrics',
  role: 'read',
  handle: async () => textAnswer(contentType, await text()),
});
