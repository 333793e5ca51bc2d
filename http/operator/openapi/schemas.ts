/** The component schemas of the operator API's document, made by typia from the types of the handlers. */
import typia from 'typia';
import { ERROR_STATUS } from '../../../engine/model/errors.js';
import type { LoginBody } from '../../console/console.js';
import type { SessionResource } from '../../console/session-resource.js';
import { isObject, type Json, type JsonObject } from '../../openapi/schemas.js';
import type { LedgerEntry } from '../../wire/past-types.js';
import type { CreateAccountBody, TransferBody, UpdateAccountBody } from '../accounts.js';
import type { ConfirmPriceBody, MarketBody, TradingBody, VoidRoundBody } from '../control.js';
import type { PriceHistoryResource } from '../figures/price-history.js';
import type { VitalsResource } from '../figures/vitals.js';
import type { CreateKeyBody, RotateKeyBody, UpdateKeyBody } from '../keys.js';
import type { AccountResource, KeyResource, TransferResource } from '../resources/accounts.js';
import type { AuditEntry } from '../resources/audit.js';
import type { BetResource } from '../resources/bets.js';
import type { HouseExposure, HouseResource } from '../resources/house.js';
import type { RoundResource } from '../resources/rounds.js';
import type { RulesResource } from '../resources/rules.js';
import type { RulesPatchBody } from '../rules.js';
import type { ClockBody, Tick } from '../sandbox.js';
import type {
  ClockTime,
  ConfirmedPrice,
  CreatedKey,
  Healthy,
  HouseProfit,
  MarketState,
  RotatedKey,
  RulesChange,
  TakenPrices,
  TradingState,
  VoidedRound,
} from './answers.js';

const generated = typia.json.schemas<
  [
    AccountResource,
    AuditEntry,
    BetResource,
    ClockBody,
    ClockTime,
    ConfirmPriceBody,
    ConfirmedPrice,
    CreateAccountBody,
    CreateKeyBody,
    CreatedKey,
    Healthy,
    HouseExposure,
    HouseProfit,
    HouseResource,
    KeyResource,
    LedgerEntry,
    LoginBody,
    MarketBody,
    MarketState,
    PriceHistoryResource,
    RotateKeyBody,
    RotatedKey,
    RoundResource,
    RulesChange,
    RulesPatchBody,
    RulesResource,
    SessionResource,
    TakenPrices,
    Tick,
    TradingBody,
    TradingState,
    TransferBody,
    TransferResource,
    UpdateAccountBody,
    UpdateKeyBody,
    VitalsResource,
    VoidRoundBody,
    VoidedRound,
  ],
  '3.1'
>();

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

export function componentSchemas(): JsonObject {
  // The round trip changes only the type: typia's schema types are wider than JSON.
  const schemas = tidy(JSON.parse(JSON.stringify(generated.components.schemas ?? {})));
  const named = isObject(schemas) ? Object.entries(schemas) : [];
  return {
    ...Object.fromEntries(named.map(([name, schema]) => [name, closed(name, schema)])),
    Failure: failure,
  };
}
