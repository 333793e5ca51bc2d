/**
 * The body of POST /orders: from bytes to an order in the engine's units, or to a refusal that names the field.
 *
 * An unknown field is refused, not ignored: a misspelt `expectedPercent`, or a guard that only a later version
 * knows, would otherwise be a bet without the protection that its sender asked for.
 */
import { Buffer, isUtf8 } from 'node:buffer';
import { createIs, createValidateEquals } from 'typia';
import { DOWN, marketOf, SIDES, UP } from '../../engine/domain.js';
import { centsOfDollars } from '../../engine/money.js';
import { describeTypeErrors } from '../type-errors.js';
import type { OrderContent } from './idempotency.js';
import { invalid, Refused } from './refused.js';
import type { OrderRequest } from './types.js';

/** An order in the engine's units. */
export interface ParsedOrder extends OrderContent {
  /** Market index, or -1 where the id names none. */
  readonly market: number;
}

const CLIENT_SEED_BYTES_MAX = 128;
const DETAIL_LENGTH_MAX = 300;
const REPLACEMENT_CHARACTER = '\ufffd';
const LONE_SURROGATE = /\p{Surrogate}/u;
const JSON_TYPE = /^application\/json[ \t]*(;[ \t]*charset=("utf-8"|utf-8)[ \t]*)?$/i;

const isOrder = createIs<OrderRequest>();
const validateOrder = createValidateEquals<OrderRequest>();

/** Whether a Content-Type says JSON; parameters other than `charset=utf-8` are not known to it. */
export const isJsonType = (contentType: string): boolean =>
  contentType === 'application/json' || JSON_TYPE.test(contentType);

/** An order as most clients write it: no spaces, the required fields in the order of their description, nothing else. */
const USUAL_ORDER =
  /^\{"marketId":"([A-Z_]{1,32})","prediction":"(UP|DOWN)","amount":(0|[1-9]\d{0,8})(?:\.(\d)(\d)?)?\}$/;

/** Reads the body of POST /orders. */
export function parseOrder(body: Uint8Array): ParsedOrder | Refused {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // The usual form is ASCII, whatever it is decoded as.
  return parseUsual(bytes.toString('latin1')) ?? parseAny(bytes);
}

/** The same as `parseAny` in less than half of the time, or null for all but the usual form of a good order. */
export function parseUsual(text: string): ParsedOrder | null {
  const [, marketId, prediction, dollars, tenths = 0, hundredths = 0] = USUAL_ORDER.exec(text) ?? [];
  if (marketId === undefined) return null;
  const stakeCents = Number(dollars) * 100 + Number(tenths) * 10 + Number(hundredths);
  if (stakeCents === 0) return null;
  const side = prediction === 'UP' ? UP : DOWN;
  return { market: marketOf(marketId), marketId, side, stakeCents, expectedPercentE6: -1, clientSeed: null };
}

/** Reads any body. */
export function parseAny(body: Buffer): ParsedOrder | Refused {
  const value = parseJson(body);
  if (value instanceof Refused) return value;
  if (!isOrder(value) || hasOtherFields(value)) return explain(value);
  const stakeCents = centsOfDollars(value.amount);
  if (stakeCents === null)
    return invalid('amount must have at most two decimals and be a possible amount of USD');
  const clientSeed = value.clientSeed ?? null;
  if (clientSeed !== null) {
    if (LONE_SURROGATE.test(clientSeed)) return invalid('clientSeed must be valid Unicode');
    if (Buffer.byteLength(clientSeed) > CLIENT_SEED_BYTES_MAX) {
      return invalid(`clientSeed must be at most ${CLIENT_SEED_BYTES_MAX} bytes of UTF-8`);
    }
  }
  return {
    market: marketOf(value.marketId),
    marketId: value.marketId,
    side: SIDES.indexOf(value.prediction),
    stakeCents,
    expectedPercentE6: value.expectedPercent === undefined ? -1 : Math.round(value.expectedPercent * 1e6),
    clientSeed,
  };
}

/** The value of a JSON text in UTF-8. Its type is for the caller to find out. */
function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  // Decoding puts this character wherever bytes are not UTF-8; only then is it worth a look at the bytes.
  if (text.includes(REPLACEMENT_CHARACTER) && !isUtf8(bytes)) return invalid('the body is not valid UTF-8');
  try {
    return JSON.parse(text);
  } catch {
    return invalid('the body is not valid JSON');
  }
}

function hasOtherFields(order: OrderRequest): boolean {
  let known = 3;
  if (order.expectedPercent !== undefined) known++;
  if (order.clientSeed !== undefined) known++;
  return Object.keys(order).length !== known;
}

function explain(value: unknown): Refused {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('the body must be a JSON object');
  }
  const result = validateOrder(value);
  const sentences = result.success ? ['the body does not fit'] : describeTypeErrors(result.errors);
  const detail = sentences.join('; ');
  return invalid(detail.length > DETAIL_LENGTH_MAX ? `${detail.slice(0, DETAIL_LENGTH_MAX)}...` : detail);
}
