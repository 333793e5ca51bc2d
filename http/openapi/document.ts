/**
 * The OpenAPI 3.1 document of the public API. Each endpoint describes its own parameters and answers (`Documented`),
 * the schemas come from the handlers' types (`schemas.ts`), and shared parts are in `common.ts`. Anything beyond the
 * first API of six endpoints is marked `x-extension: true`. A name in braces stands for a value of the rules in force.
 */
import type { Rules } from '../../engine/model/rules.js';
import { failureRefs, failureSchemas, headers, responses, taggedResponses } from './common.js';
import { fillInRules } from './describe-rules.js';
import { DOCUMENT_FAILURES } from './failures.js';
import { type Documented, operationObject } from './operation.js';
import { ifNoneMatchParameter } from './parameters.js';
import { componentSchemas, type Json, type JsonObject } from './schemas.js';

const INTRODUCTION = `A trading server for parimutuel UP/DOWN prediction markets. Each market runs in rounds; a bet
says whether the asset's price will be higher (UP) or lower (DOWN) at the round's end. Odds are totalPool / sidePool,
a win pays amount * oddsAtBet * {keptShare} (the fee is {fee}), and bets settle by themselves when the round ends.

Every answer is \`{ "success": true, "data": ... }\` or \`{ "success": false, "error": "..." }\`. \`error\` starts with
a stable code. Times are ISO 8601 in UTC, amounts are in USD.

Besides what each operation lists, an unknown path is 404 \`not_found\`, and a method that a path does not offer 405
\`method_not_allowed\` with \`Allow\`. An error of the server is 500 \`internal_error\`, with \`X-Request-Id\` alone of the headers named
here; the connection ends. GET paths take HEAD, and all take OPTIONS. The HTTP parser
itself answers anything that is no HTTP/1.1, with 400, 431 (the headers are too large) or 505 (another version of HTTP), a
page of HTML and none of the headers named here; the connection ends. The examples are answers of a server with
the default rules.`;

/** No endpoint of the router, because it needs no key. */
const getDocument: JsonObject = {
  operationId: 'getOpenApi',
  tags: ['Description'],
  summary: 'This document',
  description:
    'Needs no key, but counts for the address, and for the key if one is sent. Pages of any origin may read it.',
  'x-extension': true,
  security: [],
  parameters: [ifNoneMatchParameter],
  responses: {
    ...taggedResponses({
      200: {
        description: 'OpenAPI 3.1.',
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['openapi', 'info', 'paths'],
              properties: {
                openapi: { type: 'string' },
                info: { type: 'object' },
                paths: { type: 'object' },
              },
            },
            examples: {
              start: { value: { openapi: '3.1.0', info: { title: 'tote', version: '1.0.0' }, paths: {} } },
            },
          },
        },
      },
    }),
    ...failureRefs(DOCUMENT_FAILURES),
  },
};

function pathsOf(endpoints: readonly Documented[], rules: Rules): JsonObject {
  const paths: Record<string, JsonObject> = {};
  for (const endpoint of endpoints) {
    const { method, path } = endpoint;
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(endpoint, rules) };
  }
  return { ...paths, '/openapi.json': { get: getDocument } };
}

export const TAGS = [
  { name: 'Markets', description: 'Public market data' },
  { name: 'Orders', description: 'Your bets' },
  { name: 'Service', description: "The server's clock, and your limits" },
  { name: 'Description', description: 'About the interface' },
];

export function openApiDocument(endpoints: readonly Documented[], rules: Rules): JsonObject {
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'tote',
      version: '1.0.0',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { url: '/docs/quickstart', description: 'The guide: what a schema cannot say.' },
    servers: [
      { url: '/v1', description: 'Canonical base' },
      { url: '/api/v1', description: 'Legacy base, the same version' },
    ],
    tags: TAGS,
    security: [{ apiKey: [] }],
    paths: pathsOf(endpoints, rules),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      headers,
      responses,
      schemas: { ...componentSchemas(), ...failureSchemas },
    },
  } satisfies Record<string, Json>;
  return JSON.parse(fillInRules(JSON.stringify(document), rules)) as JsonObject;
}
