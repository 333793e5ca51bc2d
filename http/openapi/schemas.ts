/**
 * The component schemas of the OpenAPI document, made by typia from the types that the handlers use, and
 * written the way that client generators understand best: one `enum` in place of a choice of constants, and a
 * list of types in place of a choice between a type and null.
 */
import typia from 'typia';
import type {
  Failure,
  Market,
  OrderRequest,
  OrderResult,
  Position,
  Price,
  RoundDetail,
} from '../wire/types.js';

/** Any part of an OpenAPI document. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

const generated = typia.json.schemas<
  [Market, Price, Position, OrderRequest, OrderResult, RoundDetail, Failure],
  '3.1'
>();

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same schema with every choice in it written shorter. */
function tidy(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (!isObject(schema)) return schema;
  const tidied = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, tidy(value)]));
  const { oneOf, ...rest } = tidied;
  if (Array.isArray(oneOf)) return { ...choice(oneOf), ...rest };
  const constant = tidied['const'];
  return constant === undefined ? tidied : { type: typeof constant, ...tidied };
}

function choice(options: readonly Json[]): JsonObject {
  const objects = options.filter(isObject);
  const others = objects.filter((option) => option['type'] !== 'null');
  const canBeNull = others.length < objects.length;
  const values = others.flatMap((option) => (option['const'] === undefined ? [] : [option['const']]));
  const typed = (type: Json): Json => (canBeNull ? [type, 'null'] : type);
  if (values.length === others.length && values.every((value) => typeof value === 'string')) {
    return { type: typed('string'), enum: canBeNull ? [...values, null] : values };
  }
  const [only] = others;
  if (others.length === 1 && only !== undefined && typeof only['type'] === 'string') {
    return { ...only, type: typed(only['type']) };
  }
  return { oneOf: options };
}

/** Unknown fields of an order are refused (`order-request.ts`). */
function closed(schema: Json | undefined): Json {
  return isObject(schema) ? { ...schema, additionalProperties: false } : false;
}

/** `components.schemas` of the document. */
export function componentSchemas(): JsonObject {
  // Typia's own schema types are wider than JSON in name only.
  const schemas = tidy(JSON.parse(JSON.stringify(generated.components.schemas ?? {})));
  if (!isObject(schemas)) return {};
  return { ...schemas, OrderRequest: closed(schemas['OrderRequest']) };
}
