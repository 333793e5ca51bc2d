/** Request bodies and responses of the operator API's document: the envelope around a schema. */
import { ERROR_CODES, ERROR_STATUS, type ErrorCode } from '../../../engine/model/errors.js';
import { errorPattern, failureSchema, successSchema } from '../../openapi/common.js';
import { closed, isObject, type JsonObject, tidied } from '../../openapi/schemas.js';
import type { Described, Schemas } from '../endpoint.js';

export const requestBody = (schema: JsonObject): JsonObject => ({
  required: true,
  content: { 'application/json': { schema } },
});

const headers: JsonObject = {
  'X-Request-Id': {
    description: 'Unique to this response.',
    required: true,
    schema: { type: 'string' },
  },
};

export function success({ schemas, shape, summary, codes }: Described): JsonObject {
  const any: JsonObject = { type: 'object' };
  const one = (schemas?.schemas[0] ?? any) as JsonObject;
  if (shape === 'text')
    return { description: summary, headers, content: { 'application/json': { schema: any } } };
  const data = shape === undefined ? one : { type: 'array', items: one };
  const cursor: JsonObject =
    shape === 'page'
      ? { nextCursor: { type: ['string', 'null'], description: 'For `cursor`; null on the last page.' } }
      : {};
  const replay: JsonObject = {
    'X-Idempotent-Replay': {
      description: 'An earlier request has done it.',
      schema: { const: 'true', type: 'string' },
    },
  };
  return {
    description: summary,
    headers: codes?.includes('reference_conflict') ? { ...headers, ...replay } : headers,
    content: { 'application/json': { schema: successSchema({ data, ...cursor }) } },
  };
}

export function failures(codes: readonly ErrorCode[]): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes))
    byStatus.set(ERROR_STATUS[code], [...(byStatus.get(ERROR_STATUS[code]) ?? []), code]);
  return Object.fromEntries(
    Array.from(byStatus, ([status, own]) => [
      `${status}`,
      {
        description: own.map((code) => `\`${code}\``).join(', '),
        headers,
        content: { 'application/json': { schema: failureSchema(own) } },
      },
    ]),
  );
}

/** A choice of words becomes an enumeration, which people read more easily. */
function withEnumerations(schema: JsonObject): JsonObject {
  const { oneOf, ...rest } = schema;
  const options = Array.isArray(oneOf) ? oneOf.filter(isObject) : [];
  const words = options.flatMap(({ const: word }) => (typeof word === 'string' ? [word] : []));
  const canBeNull = options.some(({ type }) => type === 'null');
  if (words.length === 0 || words.length + (canBeNull ? 1 : 0) < options.length) return schema;
  return canBeNull
    ? { ...rest, type: ['string', 'null'], enum: [...words, null] }
    : { ...rest, type: 'string', enum: words };
}

const failure: JsonObject = {
  type: 'object',
  description:
    'The envelope of every failure. A `503` of `/readyz` says in `notReady` what is not as it should be.',
  required: ['success', 'error'],
  properties: {
    success: { type: 'boolean', const: false },
    error: {
      type: 'string',
      description: 'A stable code, or the code, a colon and a sentence for people.',
      pattern: errorPattern(ERROR_CODES),
    },
  },
};

export function componentSchemas(units: readonly (Schemas | undefined)[]): JsonObject {
  const named = Object.assign({}, ...units.map((unit) => unit?.components.schemas));
  const schemas = Object.entries(tidied(named, withEnumerations))
    .map(([name, schema]) => [name, /(Body|^Tick)$/.test(name) ? closed(schema) : schema] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...Object.fromEntries(schemas), Failure: failure };
}
