/** The component schemas of the operator API's document. */
import { ERROR_STATUS } from '../../../engine/model/errors.js';
import { isObject, type Json, type JsonObject } from '../../openapi/schemas.js';
import type { Schemas } from '../endpoint.js';

/** A choice of words becomes an enumeration, which people read more easily. */
function tidy(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (!isObject(schema)) return schema;
  const tidied: JsonObject = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, tidy(value)]),
  );
  const { oneOf, ...rest } = tidied;
  const options = Array.isArray(oneOf) ? oneOf.filter(isObject) : [];
  const words = options.flatMap(({ const: word }) => (typeof word === 'string' ? [word] : []));
  const canBeNull = options.some(({ type }) => type === 'null');
  if (words.length === 0 || words.length + (canBeNull ? 1 : 0) < options.length) return tidied;
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
      pattern: `^(${Object.keys(ERROR_STATUS).join('|')})(: \\S.*)?$`,
    },
  },
};

/** Bodies are refused if they have any other field. */
const closed = (name: string, schema: Json): Json =>
  isObject(schema) && (name.endsWith('Body') || name === 'Tick')
    ? { ...schema, additionalProperties: false }
    : schema;

/** All types that `units` name, each once. */
export function componentSchemas(units: readonly (Schemas | undefined)[]): JsonObject {
  const named = Object.assign({}, ...units.map((unit) => unit?.components.schemas));
  // The round trip changes only the type: typia's schema types are wider than JSON.
  const schemas = Object.entries<Json>(JSON.parse(JSON.stringify(named)))
    .map(([name, schema]) => [name, closed(name, tidy(schema))] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...Object.fromEntries(schemas), Failure: failure };
}
