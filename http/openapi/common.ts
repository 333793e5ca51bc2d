/** What the endpoints of the OpenAPI document share: the envelope, headers, and one response for each status. */
import type { ErrorCode } from '../../engine/model/errors.js';
import type { JsonObject } from './schemas.js';

const headerRef = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` });

/** Headers that stand on every response. */
const everyHeader: JsonObject = {
  'X-RateLimit-Limit': headerRef('X-RateLimit-Limit'),
  'X-RateLimit-Remaining': headerRef('X-RateLimit-Remaining'),
  'X-RateLimit-Reset': headerRef('X-RateLimit-Reset'),
  'X-Request-Id': headerRef('X-Request-Id'),
};

const header = (description: string, type: 'integer' | 'string', isExtension = false): JsonObject => ({
  description,
  schema: { type },
  ...(isExtension && { 'x-extension': true }),
});

const headers: JsonObject = {
  'X-RateLimit-Limit': header(
    'Requests per 60 seconds of the limit that is nearest to exhaustion.',
    'integer',
  ),
  'X-RateLimit-Remaining': header('Requests left of that limit.', 'integer'),
  'X-RateLimit-Reset': header('Seconds until the oldest counted request leaves its window.', 'integer'),
  'X-Request-Id': header('Unique to this response; name it when you report a problem.', 'string', true),
  'X-Idempotent-Replay': {
    description: '`true` on an answer that is replayed; absent otherwise.',
    schema: { type: 'string', const: 'true' },
  },
  'Retry-After': header('Seconds to wait until a request will succeed.', 'integer'),
  'WWW-Authenticate': header('Names the header that a key goes into.', 'string', true),
};

/** What each status means here, the codes that carry it, and headers of its own. */
const FAILURES: Readonly<
  Record<number, { name: string; meaning: string; codes: ErrorCode[]; own: string[] }>
> = {
  400: {
    name: 'BadRequest',
    meaning: 'Missing or invalid parameters, or an order that the rules refuse.',
    codes: [
      'invalid_request',
      'round_not_live',
      'betting_closed',
      'stake_out_of_range',
      'insufficient_balance',
      'round_exposure_limit',
      'too_many_open_bets',
      'idempotency_key_reused',
    ],
    own: [],
  },
  401: {
    name: 'Unauthorized',
    meaning: 'Missing, malformed or unknown API key.',
    codes: ['missing_api_key', 'invalid_api_key'],
    own: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    meaning: 'Key disabled or expired; scope missing; tier too low for the scope; account frozen.',
    codes: ['key_disabled', 'key_expired', 'insufficient_scope', 'tier_too_low', 'account_frozen'],
    own: [],
  },
  404: {
    name: 'NotFound',
    meaning: 'Market or resource does not exist.',
    codes: ['market_not_found', 'round_not_found', 'not_found'],
    own: [],
  },
  409: {
    name: 'Conflict',
    meaning:
      'The odds moved beyond tolerance, or the first request with this Idempotency-Key is still in progress.',
    codes: ['odds_changed', 'idempotency_in_progress'],
    own: [],
  },
  413: { name: 'ContentTooLarge', meaning: 'The body is too large.', codes: ['body_too_large'], own: [] },
  415: {
    name: 'UnsupportedMediaType',
    meaning: 'The body is not `application/json`.',
    codes: ['unsupported_media_type'],
    own: [],
  },
  429: {
    name: 'TooManyRequests',
    meaning: 'Rate limit exceeded.',
    codes: ['rate_limited'],
    own: ['Retry-After'],
  },
  503: {
    name: 'ServiceUnavailable',
    meaning: 'Orders are not taken right now.',
    codes: [
      'trading_disabled',
      'market_suspended',
      'clock_unsynchronised',
      'journal_backlog',
      'disk_reserve',
      'idempotency_full',
      'shutting_down',
    ],
    own: [],
  },
};

/** Name of the shared response for every other status. */
const OTHER = 'OtherFailure';

function failureResponse(status: number): JsonObject {
  const { meaning = '', codes = [], own = [] } = FAILURES[status] ?? {};
  const [first = 'invalid_request'] = codes;
  return {
    description: `${meaning} Codes: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: { ...everyHeader, ...Object.fromEntries(own.map((name) => [name, headerRef(name)])) },
    content: failureContent(first),
  };
}

function failureContent(code: ErrorCode): JsonObject {
  return {
    'application/json': {
      schema: { $ref: '#/components/schemas/Failure' },
      example: { success: false, error: code },
    },
  };
}

/** Refusals of HTTP itself, which any request may meet. */
const otherFailure: JsonObject = {
  description:
    'What HTTP itself refuses, on any path: 400 `invalid_request` (a request that does not show where it ends), 405 ' +
    '`method_not_allowed` with `Allow`, 408 `request_timeout`, 413 `body_too_large`.',
  headers: everyHeader,
  content: failureContent('method_not_allowed'),
};

/** References to the shared responses of these statuses, and to that of all others. */
export function errorResponses(...statuses: readonly number[]): JsonObject {
  const named = statuses.map((status): [string, string] => [`${status}`, FAILURES[status]?.name ?? '']);
  return Object.fromEntries(
    [...named, ['default', OTHER]].map(([status, name]) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}

/** A success: the envelope around `data`. */
export function okResponse(description: string, data: JsonObject, status = 200): JsonObject {
  return {
    [status]: {
      description,
      headers: {
        ...everyHeader,
        ...(status === 201 && { 'X-Idempotent-Replay': headerRef('X-Idempotent-Replay') }),
      },
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['success', 'data'],
            properties: { success: { type: 'boolean', const: true }, data },
          },
        },
      },
    },
  };
}

/** Codes that the public API answers, by status; a test holds them equal to the registry. */
export function documentedCodes(): [code: ErrorCode, status: number][] {
  const shared = Object.entries(FAILURES).flatMap(([status, { codes }]) =>
    codes.map((code): [ErrorCode, number] => [code, Number(status)]),
  );
  return [...shared, ['method_not_allowed', 405], ['request_timeout', 408]];
}

export const SHARED = {
  everyHeader,
  headers,
  securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
  responses: {
    ...Object.fromEntries(
      Object.entries(FAILURES).map(([status, { name }]) => [name, failureResponse(Number(status))]),
    ),
    [OTHER]: otherFailure,
  },
} satisfies Record<string, JsonObject>;
