/**
 * The OpenAPI 3.1 document of the operator API: its endpoints, and for each the least role. The schemas of bodies and answers are made from the types of the handlers.
 */
import type { ErrorCode } from '../../../engine/model/errors.js';
import type { JsonObject } from '../../openapi/schemas.js';
import { type Endpoint, PREFIX, TAGS } from '../endpoint.js';
import { PARAMETERS, pathParameters } from '../parameters.js';
import { componentSchemas, failures, requestBody, success } from './responses.js';

const INTRODUCTION = `Actions of operators, on a port of its own. Every request needs a token (\`Authorization: Bearer\`), or
the session of the console; \`/healthz\` and \`/readyz\` need neither. A token has one of three roles, \`read\`, \`support\` and
\`admin\`, of which each may do what the ones before it may.

Every answer is \`{ "success": true, "data": ... }\` or \`{ "success": false, "error": "..." }\`, where \`error\` starts with a
stable code. Amounts are in USD, times are ISO 8601 in UTC. A success is sent once what it says is on disk. Bodies that
change something take a \`reason\`, which is kept with the name of the token and listed by \`GET /audit\`. An unknown path is
404 \`not_found\`, a method that a path does not offer 405 \`method_not_allowed\` with \`Allow\`.`;

/** Any request may get these; the transport's refusals are among them. */
const ANY_CODES: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_operator_token',
  'client_certificate_required',
  'invalid_session',
  'insufficient_role',
  'request_timeout',
  'body_too_large',
  'rate_limited',
  'journal_unavailable',
  'shutting_down',
];
const CHANGE_CODES: readonly ErrorCode[] = ['csrf_refused', 'unsupported_media_type'];

export function operatorDocument(endpoints: readonly Endpoint[]): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    const path = PREFIX + endpoint.path;
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationObject(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'tote operator API',
      version: '1.0.0',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The operator port' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'tote_console',
          description:
            'With the port of the address behind an underscore, if it has one: `tote_console_8081`',
        },
      },
      schemas: componentSchemas(endpoints.map((endpoint) => endpoint.schemas)),
    },
  };
}

function operationObject(endpoint: Endpoint): JsonObject {
  const { method, path, role, id, tag, summary, text, schemas, codes = [] } = endpoint;
  const own = (endpoint.parameters ?? []).map((name) => PARAMETERS[name]);
  const parameters = [...pathParameters(path), ...own];
  const all = [...ANY_CODES, ...(method === 'GET' ? [] : CHANGE_CODES), ...codes];
  const body = schemas?.schemas[1] as JsonObject | undefined;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `Role \`${role}\`.${text === undefined ? '' : ` ${text}`}`,
    'x-role': role,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: requestBody(body) }),
    responses: { [endpoint.status ?? 200]: success(endpoint), ...failures(all) },
  };
}
