/** The shared parts of the OpenAPI document: the envelope, the headers, and one response for each kind of failure. */
import { LIST_LIMIT_MAX } from '../../engine/model/bet-pages.js';
import type { ErrorCode } from '../../engine/model/errors.js';
import { EXAMPLE_FAILURES } from './examples.js';
import {
  FAILURE_KINDS,
  type FailureKind,
  type FailureName,
  MEANINGS,
  PUBLIC_CODES,
  statusOf,
} from './failures.js';
import { isObject, type Json, type JsonObject, schemaRef } from './schemas.js';

const headerRef = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` });
const headerRefs = (...names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, headerRef(name)]));

const commonHeaders: JsonObject = headerRefs(
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'X-Request-Id',
);

const taggedHeaders: JsonObject = { ...commonHeaders, ...headerRefs('ETag') };

const header = (description: string, schema: JsonObject, example: Json, isExtension = false): JsonObject => ({
  description,
  required: true,
  schema,
  example,
  ...(isExtension && { 'x-extension': true }),
});
const count: JsonObject = { type: 'integer', minimum: 0 };
const text: JsonObject = { type: 'string' };

const OPTIONAL_RETRY_AFTER = 'OptionalRetryAfter';
const retryAfter = header('Seconds to wait until a request will succeed.', { ...count, minimum: 1 }, 12);

export const headers: JsonObject = {
  'X-RateLimit-Limit': header(
    'Requests per 60 seconds of the limit that is nearest to exhaustion.',
    count,
    120,
  ),
  'X-RateLimit-Remaining': header('Requests left of that limit.', count, 119),
  'X-RateLimit-Reset': header('Seconds until the oldest counted request leaves its window.', count, 60),
  RateLimit: header(
    "The same as a structured field, with the limit's name: `r` requests left, `t` seconds until the reset.",
    text,
    '"key_read";r=119;t=60',
    true,
  ),
  'RateLimit-Policy': header(
    'All limits: `q` requests in any `w` seconds.',
    text,
    '"key_read";q=120;w=60, "key_write";q=30;w=60, "key_cancel";q=120;w=60, "account";q=240;w=60, "ip";q=300;w=60',
    true,
  ),
  'X-Request-Id': header(
    'Unique to this response; name it when you report a problem.',
    text,
    '5f0c2ad91b3e-7',
    true,
  ),
  'X-Idempotent-Replay': {
    description: '`true` on an answer that is replayed; absent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': retryAfter,
  [OPTIONAL_RETRY_AFTER]: {
    ...retryAfter,
    description: 'Seconds to wait before another attempt; only with codes of which the server can tell.',
    required: false,
  },
  'WWW-Authenticate': header(
    'Names the header that a key goes into.',
    text,
    'ApiKey header="X-API-Key"',
    true,
  ),
  ETag: header(
    'Send it back as `If-None-Match` to be told 304 while nothing has changed.',
    text,
    '"kq1x"',
    true,
  ),
};

export const errorPattern = (codes: readonly ErrorCode[]): string => `^(${codes.join('|')})(: \\S.*)?$`;

export const failureSchemas: JsonObject = {
  ErrorCode: {
    type: 'string',
    enum: PUBLIC_CODES,
    description: 'The code of a failure: its `error`, up to a colon. Decide by it.',
  },
  Failure: {
    type: 'object',
    description: 'The envelope of every failure.',
    required: ['success', 'error'],
    properties: {
      success: { type: 'boolean', const: false },
      error: {
        type: 'string',
        description:
          'An ErrorCode such as `odds_changed`, or the code, a colon and a sentence for people: `error.split(":")[0]` ' +
          'is the code.',
        pattern: errorPattern(PUBLIC_CODES),
      },
      current: {
        type: 'object',
        'x-extension': true,
        description: 'Only with `odds_changed`, and only if the order had `minOdds`: what it would have met.',
        required: ['percent', 'oddsAtBet'],
        properties: {
          percent: { type: 'number', description: "The side's live percent." },
          oddsAtBet: { type: 'number', description: 'Odds with the stake of this order in its pool.' },
        },
      },
    },
  },
};

/**
 * `$ref` is for client generators, which ignore the rest; the response's own codes beside it are for validators and
 * people.
 */
export function failureSchema(codes: readonly ErrorCode[]): JsonObject {
  return {
    ...schemaRef('Failure'),
    type: 'object',
    properties: { error: { type: 'string', pattern: errorPattern(codes) } },
  };
}

function failureResponse(name: FailureName): JsonObject {
  const { meaning, codes, headers: own = [], mayHaveRetryAfter }: FailureKind = FAILURE_KINDS[name];
  const lines = codes.map((code) => `- \`${code}\`: ${MEANINGS[code]}`);
  const examples = EXAMPLE_FAILURES[name].map((error): [string, Json] => [
    error.split(':')[0] ?? '',
    { value: { success: false, error } },
  ]);
  return {
    description: `${meaning}\n\n${lines.join('\n')}`,
    headers: {
      ...commonHeaders,
      ...headerRefs(...own),
      ...(mayHaveRetryAfter && { 'Retry-After': headerRef(OPTIONAL_RETRY_AFTER) }),
    },
    content: {
      'application/json': { schema: failureSchema(codes), examples: Object.fromEntries(examples) },
    },
  };
}

const failureNames = Object.keys(FAILURE_KINDS) as readonly FailureName[];

/** `components.responses`. */
export const responses: JsonObject = Object.fromEntries(
  failureNames.map((name) => [name, failureResponse(name)]),
);

export const failureRefs = (names: readonly FailureName[]): JsonObject =>
  Object.fromEntries(names.map((name) => [statusOf(name), { $ref: `#/components/responses/${name}` }]));

export const listOf = (schema: string, maxItems: number): JsonObject => ({
  type: 'array',
  items: schemaRef(schema),
  maxItems,
});

const nextCursor: JsonObject = {
  type: ['string', 'null'],
  description: 'For `cursor`: the next page; null on the last one. Opaque, and good for as long as you like.',
  'x-extension': true,
};

/** A page of `schema`. The envelope has the cursor of the next one beside `data`. */
export const pageResponse = (
  description: string,
  schema: string,
  examples: Readonly<Record<string, JsonObject>>,
): JsonObject =>
  envelopeResponse(description, 200, { data: listOf(schema, LIST_LIMIT_MAX), nextCursor }, examples);

/** `schema` is a schema's name, or one of a list; `examples` are answers of the real server. */
export function okResponse(
  description: string,
  schema: string | JsonObject,
  examples: Readonly<Record<string, Json>>,
  status = 200,
): JsonObject {
  const data = typeof schema === 'string' ? schemaRef(schema) : schema;
  const shown = Object.entries(examples).map(([name, value]) => [name, { data: value }] as const);
  return envelopeResponse(description, status, { data }, Object.fromEntries(shown));
}

/** `members` stand beside `success`. */
export const successSchema = (members: JsonObject): JsonObject => ({
  type: 'object',
  required: ['success', ...Object.keys(members)],
  properties: { success: { type: 'boolean', const: true }, ...members },
});

/** As `successSchema`; `examples` are answers of the real server. */
export function envelopeResponse(
  description: string,
  status: number,
  members: JsonObject,
  examples: Readonly<Record<string, JsonObject>>,
): JsonObject {
  return {
    [status]: {
      description,
      headers: { ...commonHeaders, ...(status === 201 && headerRefs('X-Idempotent-Replay')) },
      content: {
        'application/json': {
          schema: successSchema(members),
          examples: Object.fromEntries(
            Object.entries(examples).map(([name, shown]) => [name, { value: { success: true, ...shown } }]),
          ),
        },
      },
    },
  };
}

/** Adds the tag, and the 304 for a client that has the newest answer. */
export const taggedResponses = (success: JsonObject): JsonObject => {
  const tagged = Object.entries(success).map(([status, response]): [string, Json] => [
    status,
    isObject(response) ? { ...response, headers: taggedHeaders } : response,
  ]);
  return {
    ...Object.fromEntries(tagged),
    304: { description: 'Your copy is the newest.', headers: taggedHeaders, 'x-extension': true },
  };
};
