/**
 * The component schemas of the OpenAPI document, made by typia from the types that the handlers use, and
 * written the way that client generators understand best: every choice of words is a schema with a name, so that
 * clients get one type of it, and what may also be null is a choice between that schema and null.
 */
import typia from 'typia';
import { must } from '../../engine/base/assert.js';
import {
  ASSETS,
  BET_RESULTS,
  POSITION_STATUSES,
  ROUND_STATUSES,
  SCOPES,
  SIDES,
  TIERS,
  TIME_FRAMES,
} from '../../engine/model/domain.js';
import type { Market, OrderRequest, OrderResult, Position, Price, RoundDetail } from '../wire/types.js';

/** Any part of an OpenAPI document. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

const generated = typia.json.schemas<
  [Market, Price, Position, OrderRequest, OrderResult, RoundDetail],
  '3.1'
>();

const enumeration = (description: string, words: readonly string[]) => ({ description, words });

/** By the schema's name. Nothing answers Tier and Scope, but a client that knows keys wants words for them. */
const ENUMERATIONS = {
  Crypto: enumeration('An asset: crypto, a metal or a currency pair.', ASSETS),
  TimeFrame: enumeration('How long the rounds of a market last.', TIME_FRAMES),
  Prediction: enumeration("The side of a bet: the price at the round's end is higher, or lower.", SIDES),
  RoundStatus: enumeration('A round goes through these in turn; only a LIVE one takes bets.', ROUND_STATUSES),
  RoundResult: enumeration('How the close price stands to the open price.', ['UP', 'DOWN', 'DRAW']),
  BetStatus: enumeration(
    'ACTIVE until the round ends, SETTLING until the bet is paid, then SETTLED. The others are reserved.',
    POSITION_STATUSES,
  ),
  BetResult: enumeration(
    'WIN pays potentialPayout, LOSS nothing; DRAW and REFUNDED (the round was voided) return the stake. CASHOUT is reserved.',
    BET_RESULTS.filter((result) => result !== 'NONE'),
  ),
  Tier: enumeration('Tier of an account, from the lowest.', TIERS),
  Scope: enumeration('What a key may do. `orders:cancel` is reserved.', SCOPES),
};

const namesByWords = new Map(
  Object.entries(ENUMERATIONS).map(([name, { words }]) => [words.toSorted().join(), name]),
);

export const schemaRef = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same schema with every choice in it written as clients like it. */
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
  const words = others.flatMap((option) => (typeof option['const'] === 'string' ? [option['const']] : []));
  if (words.length > 0) return orNull(named(words), canBeNull);
  const only = must(others.length === 1 ? others[0] : undefined, 'type of a field that may be null');
  return orNull(only, canBeNull);
}

function named(words: readonly string[]): JsonObject {
  return schemaRef(
    must(namesByWords.get(words.toSorted().join()), `name of the enumeration ${words.join()}`),
  );
}

function orNull(schema: JsonObject, canBeNull: boolean): JsonObject {
  if (!canBeNull) return schema;
  if (typeof schema['type'] === 'string' && schema['type'] !== 'object') {
    return { ...schema, type: [schema['type'], 'null'] };
  }
  return { oneOf: [schema, { type: 'null' }] };
}

/** Unknown fields of an order are refused (`order-request.ts`). */
function closed(schema: Json | undefined): Json {
  return isObject(schema) ? { ...schema, additionalProperties: false } : false;
}

/** `components.schemas` of the document, but for those of failures. */
export function componentSchemas(): JsonObject {
  // Typia's own schema types are wider than JSON in name only.
  const schemas = tidy(JSON.parse(JSON.stringify(generated.components.schemas ?? {})));
  if (!isObject(schemas)) return {};
  const enumerations = Object.entries(ENUMERATIONS).map(([name, { description, words }]): [string, Json] => [
    name,
    { type: 'string', enum: words, description },
  ]);
  return { ...schemas, ...Object.fromEntries(enumerations), OrderRequest: closed(schemas['OrderRequest']) };
}
