/** Request bodies and responses of the operator API's document: the envelope around what a schema says. */
import { ERROR_STATUS, type ErrorCode } from '../../../engine/model/errors.js';
import { type JsonObject, schemaRef } from '../../openapi/schemas.js';
import type { Described } from '../endpoint.js';

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

export function success({ schemas, shape, summary, codes, isNullable = false }: Described): JsonObject {
  if (shape === 'none') return { description: summary, headers };
  const any: JsonObject = { type: 'object' };
  const named = (schemas?.schemas[0] ?? any) as JsonObject;
  const one = isNullable ? { oneOf: [named, { type: 'null' }] } : named;
  if (shape === 'text')
    return { description: summary, headers, content: { 'application/json': { schema: any } } };
  const data = shape === undefined ? one : { type: 'array', items: one };
  const cursor: JsonObject =
    shape === 'page'
      ? { nextCursor: { type: ['string', 'null'], description: 'For `cursor`; null on the last page.' } }
      : {};
  const properties: JsonObject = { success: { type: 'boolean', const: true }, data, ...cursor };
  const schema = { type: 'object', required: Object.keys(properties), properties };
  const replay: JsonObject = {
    'X-Idempotent-Replay': {
      description: 'An earlier request has done it.',
      schema: { const: 'true', type: 'string' },
    },
  };
  return {
    description: summary,
    headers: codes?.includes('reference_conflict') ? { ...headers, ...replay } : headers,
    content: { 'application/json': { schema } },
  };
}

/** One response for each status of these codes. */
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
        content: {
          'application/json': {
            schema: {
              ...schemaRef('Failure'),
              type: 'object',
              properties: { error: { type: 'string', pattern: `^(${own.join('|')})(: \\S.*)?$` } },
            },
          },
        },
      },
    ]),
  );
}
