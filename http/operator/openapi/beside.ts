/** The paths of the operator port beside the API: health, metrics, and the sessions of the console. */
import typia from 'typia';
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { LoginBody } from '../../console/console.js';
import type { SessionResource } from '../../console/sessions.js';
import { type JsonObject, schemaRef } from '../../openapi/schemas.js';
import type { Described } from '../endpoint.js';
import { failures, requestBody, success } from './responses.js';

const TRANSPORT: readonly ErrorCode[] = ['invalid_request', 'request_timeout', 'body_too_large'];
const NOT_READY: readonly ErrorCode[] = [
  'overloaded',
  'shutting_down',
  'clock_unsynchronised',
  'disk_reserve',
  'journal_unavailable',
  'journal_backlog',
  'stale_price',
];
const ASKED: readonly ErrorCode[] = ['invalid_operator_token', 'invalid_session', 'rate_limited'];

interface Healthy {
  readonly status: 'ok';
}
const HEALTHY = typia.json.schemas<[Healthy], '3.1'>();
const SESSION = typia.json.schemas<[SessionResource, LoginBody], '3.1'>();

export const BESIDE_SCHEMAS = [HEALTHY, SESSION];

const health = (id: string, summary: string): JsonObject => ({
  operationId: id,
  tags: ['Server'],
  summary,
  description: 'Needs no token.',
  security: [],
  responses: {
    200: success({ id, tag: 'Server', summary, schemas: HEALTHY }),
    ...failures([...TRANSPORT, ...NOT_READY]),
  },
});

const metrics: JsonObject = {
  operationId: 'getMetrics',
  tags: ['Server'],
  summary: 'Figures for Prometheus',
  description: 'Role `read`.',
  'x-role': 'read',
  responses: {
    200: { description: 'Prometheus text.', content: { 'text/plain': { schema: { type: 'string' } } } },
    ...failures([...TRANSPORT, ...ASKED]),
  },
};

const session = (
  id: string,
  summary: string,
  ok: Pick<Described, 'status' | 'isNullable' | 'shape'>,
  codes: readonly ErrorCode[],
): JsonObject => {
  return {
    operationId: id,
    tags: ['Console'],
    summary,
    security: id === 'logIn' ? [] : [{ session: [] }, {}],
    responses: {
      [ok.status ?? 200]: success({ id, tag: 'Console', summary, schemas: SESSION, ...ok }),
      ...failures([...TRANSPORT, ...codes]),
    },
  };
};

export const besidePaths = (): JsonObject => ({
  '/healthz': { get: health('getHealth', 'Whether the process is alive') },
  '/readyz': { get: health('getReadiness', 'Whether it serves; `notReady` says why not') },
  '/metrics': { get: metrics },
  '/console/session': {
    get: session('getSession', "The browser's session, or null", { isNullable: true }, []),
    post: {
      ...session('logIn', 'Log in with a token', { status: 201 }, [
        'invalid_operator_token',
        'csrf_refused',
        'unsupported_media_type',
        'rate_limited',
      ]),
      requestBody: requestBody(schemaRef('LoginBody')),
    },
    put: session('renewSession', 'Renew the session for an hour', {}, ['invalid_session', 'csrf_refused']),
    delete: session('logOut', 'Log out', { status: 204, shape: 'none' }, ['invalid_session', 'csrf_refused']),
  },
});
