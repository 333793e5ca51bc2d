/**
 * Parses the body of POST /orders into an order in the engine's units. A refusal names the field.
 *
 * Unknown fields are refused, not ignored: with a misspelt `expectedPercent`, or a guard that only a later version
 * knows, the bet would be placed without the protection that the client asked for.
 */
import { Buffer } from 'node:buffer';
import { createIs, createValidateEquals } from 'typia';
import { assert } from '../../engine/base/assert.js';
import { centsOfDollars } from '../../engine/base/money.js';
import type { OrderGuards } from '../../engine/model/commands.js';
import { MARKET_IDS, marketOf, NO_LIMIT, parseRoundId, SIDES } from '../../engine/model/domain.js';
import { parseJson, refuseForm } from '../kit/body.js';
import type { OrderContent } from '../kit/idempotency.js';
import { beginsWithDay } from '../kit/params.js';
import { refuseInvalid } from '../kit/refused.js';
import type { OrderRequest } from '../wire/types.js';

/** Two orders are the same even if only one asks for a receipt. */
export interface ParsedOrder extends OrderContent {
  readonly wantsReceipt: boolean;
}

const CLIENT_SEED_BYTES_MAX = 128;
const OPTIONAL_FIELDS = [
  'expectedPercent',
  'clientSeed',
  'clientOrderId',
  'roundId',
  'validUntil',
  'minOdds',
  'limitOdds',
  'receipt',
] as const;

const isOrder = createIs<OrderRequest>();
const validateOrder = createValidateEquals<OrderRequest>();

/**
 * The orders of most clients, up to the amount, by `hashOf`: the required fields in the order of the API document, with
 * spaces as JavaScript or Python writes them. Behind the amount stands a `clientSeed`, or nothing.
 */
const USUAL_HEADS = new Map(
  MARKET_IDS.flatMap((marketId, market) =>
    SIDES.flatMap((prediction, side) =>
      ['', ' '].map((gap) => {
        const text = `{"marketId":${gap}"${marketId}",${gap}"prediction":${gap}"${prediction}",${gap}"amount":${gap}`;
        const bytes = new TextEncoder().encode(text);
        return [hashOf(bytes, bytes.length), { bytes: [...bytes], market, marketId, side }] as const;
      }),
    ),
  ),
);

/** Hashes the bytes around the market's id in a head. Together with the length, the hash distinguishes all heads. */
function hashOf(bytes: Uint8Array, length: number): number {
  let hash = length;
  for (let at = 13; at < length - 28; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  return hash;
}

function beginsWith(body: Uint8Array, head: readonly number[]): boolean {
  for (let at = 0; at < head.length; at++) if (body[at] !== head[at]) return false;
  return true;
}

const POINT = 0x2e;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;
const CLOSING_BRACE = 0x7d;
const DOLLAR_DIGITS_MAX = 9;

export function parseOrder(body: Uint8Array): ParsedOrder {
  return parseUsual(body) ?? parseAny(body);
}

/** A fast path with the same result as `parseAny`. Null unless the body is a valid order in the usual form. */
export function parseUsual(body: Uint8Array): ParsedOrder | null {
  // Read once: the length of a typed array is a getter and costs more than reading a byte.
  const last = body.length - 1;
  if (body[last] !== CLOSING_BRACE) return null;
  const seedAt = body[last - 1] === QUOTE ? beginOfSeed(body, last - 1) : 0;
  const end = seedAt === 0 ? last : endBeforeSeed(body, seedAt);
  let begin = end;
  while (begin > 0 && isOfAmount(body[begin - 1] as number)) begin--;
  const head = USUAL_HEADS.get(hashOf(body, begin));
  if (head === undefined || head.bytes.length !== begin || !beginsWith(body, head.bytes)) return null;
  const stakeCents = readCents(body, begin, end);
  if (stakeCents === 0) return null;
  const { market, marketId, side } = head;
  return {
    market,
    marketId,
    side,
    stakeCents,
    expectedPercentE6: -1,
    limitOddsE4: NO_LIMIT,
    clientSeed: seedAt === 0 ? null : asciiText(body, seedAt, last - 1),
    clientOrderId: null,
    guards: null,
    wantsReceipt: false,
  };
}

const SEED_FIELDS = ['', ' '].map((gap) => new TextEncoder().encode(`,${gap}"clientSeed":${gap}"`));

/**
 * The begin of the text that the quote at `end` closes, if it is visible ASCII as it stands and not too long; else 0.
 */
function beginOfSeed(body: Uint8Array, end: number): number {
  for (let at = end - 1; at >= end - 1 - CLIENT_SEED_BYTES_MAX; at--) {
    const byte = body[at] as number;
    if (byte === QUOTE) return at + 1;
    if (!(byte > 0x20 && byte < 0x7f) || byte === BACKSLASH) return 0;
  }
  return 0;
}

/** The begin of the field `clientSeed`, with its comma, whose text begins at `seedAt`; 0 if it is another field. */
function endBeforeSeed(body: Uint8Array, seedAt: number): number {
  for (const field of SEED_FIELDS) {
    const begin = seedAt - field.length;
    if (begin > 0 && field.every((byte, at) => body[begin + at] === byte)) return begin;
  }
  return 0;
}

export const asciiText = ({ buffer, byteOffset }: Uint8Array, from: number, end: number): string =>
  Buffer.from(buffer, byteOffset + from, end - from).toString('latin1');

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;
const isOfAmount = (byte: number): boolean => isDigit(byte) || byte === POINT;

/** Cents of a JSON number of dollars with at most two decimals; 0 if the bytes, all digits and points, are not one. */
function readCents(bytes: Uint8Array, begin: number, end: number): number {
  let dollars = 0;
  let at = begin;
  for (; at < end && bytes[at] !== POINT; at++) dollars = dollars * 10 + (bytes[at] as number) - ZERO;
  const digits = at - begin;
  if (digits === 0 || digits > DOLLAR_DIGITS_MAX || (digits > 1 && bytes[begin] === ZERO)) return 0;
  if (at === end) return dollars * 100;
  const tenths = bytes[at + 1] as number;
  const hundredths = at + 2 === end ? ZERO : (bytes[at + 2] as number);
  if (end - at > 3 || !isDigit(tenths) || !isDigit(hundredths)) return 0;
  return dollars * 100 + (tenths - ZERO) * 10 + (hundredths - ZERO);
}

export const parseAny = (body: Uint8Array): ParsedOrder => orderOf(parseJson(body));

const PARTS_MAX = 100;

export function parseQuote(body: Uint8Array) {
  const { parts, rest } = splitOff(parseJson(body));
  const order = orderOf(rest);
  if (typeof parts !== 'number' || !Number.isInteger(parts) || parts < 1 || parts > PARTS_MAX)
    return refuseInvalid(`parts must be a whole number from 1 to ${PARTS_MAX}`);
  if (order.stakeCents % parts !== 0)
    refuseInvalid(`amount must be a multiple of ${parts} cents, so that its parts are equal`);
  return { order, parts };
}

function splitOff(value: unknown): { readonly parts: unknown; readonly rest: unknown } {
  if (typeof value !== 'object' || value === null || !('parts' in value)) return { parts: 1, rest: value };
  const { parts, ...rest } = value;
  return { parts, rest };
}

/** `subject` is what a refusal speaks of. */
export function orderOf(value: unknown, subject = 'the body'): ParsedOrder {
  if (!isOrder(value) || hasOtherFields(value)) return explain(value, subject);
  const stakeCents = centsOfDollars(value.amount);
  if (stakeCents === null)
    return refuseInvalid('amount must have at most two decimals and be a possible amount of USD');
  const clientSeed = value.clientSeed ?? null;
  if (clientSeed !== null) {
    if (!clientSeed.isWellFormed()) refuseInvalid('clientSeed must be valid Unicode');
    if (Buffer.byteLength(clientSeed) > CLIENT_SEED_BYTES_MAX) {
      refuseInvalid(`clientSeed must be at most ${CLIENT_SEED_BYTES_MAX} bytes of UTF-8`);
    }
  }
  const market = marketOf(value.marketId);
  const guards = readGuards(value, market);
  const limitOddsE4 = readLimit(value);
  return {
    market,
    marketId: value.marketId,
    side: SIDES.indexOf(value.prediction),
    stakeCents,
    expectedPercentE6: value.expectedPercent === undefined ? -1 : Math.round(value.expectedPercent * 1e6),
    limitOddsE4,
    clientSeed,
    clientOrderId: value.clientOrderId ?? null,
    guards,
    wantsReceipt: value.receipt === true,
  };
}

const ODDS_E4 = 10_000;
const CENT_E4 = 100;
/**
 * No round has this number: the engine refuses the order as one whose round is over, behind the checks that come
 * before.
 */
const OF_ANOTHER_MARKET = Number.MAX_SAFE_INTEGER;

/**
 * In 1e-4; 0 if the order has no limit. Limits have at most three digits, and two decimals: with so few possible limits
 * the search for orders to fill stays short, whoever places them.
 */
function readLimit({ limitOdds, minOdds, expectedPercent }: OrderRequest): number {
  if (limitOdds === undefined) return NO_LIMIT;
  if (minOdds !== undefined || expectedPercent !== undefined)
    refuseInvalid('limitOdds must stand alone: it takes the place of minOdds and expectedPercent');
  const oddsE4 = Math.round(limitOdds * ODDS_E4);
  const stepE4 = oddsE4 < 100_000 ? CENT_E4 : oddsE4 < 1_000_000 ? 10 * CENT_E4 : 100 * CENT_E4;
  if (oddsE4 % stepE4 !== 0 || oddsE4 / ODDS_E4 !== limitOdds)
    refuseInvalid('limitOdds must go in steps of 0.01 below 10, of 0.1 below 100, and of 1 from there on');
  return oddsE4;
}

function readGuards({ roundId, validUntil, minOdds }: OrderRequest, market: number): OrderGuards | null {
  if (roundId === undefined && validUntil === undefined && minOdds === undefined) return null;
  const round = roundId === undefined ? null : parseRoundId(roundId);
  if (roundId !== undefined && round === null) refuseInvalid('roundId must be the id of a round');
  const roundNumber = round === null ? -1 : round.market === market ? round.roundNumber : OF_ANOTHER_MARKET;
  const validUntilMs = validUntil === undefined ? Number.POSITIVE_INFINITY : Date.parse(validUntil);
  if (validUntil !== undefined && (Number.isNaN(validUntilMs) || !beginsWithDay(validUntil)))
    refuseInvalid('validUntil must be a possible date and time');
  const minOddsE4 = Math.round((minOdds ?? 0) * ODDS_E4);
  if (minOdds !== undefined && minOddsE4 / ODDS_E4 !== minOdds)
    refuseInvalid('minOdds must have at most four decimals');
  return { roundNumber, validUntilMs, minOddsE4 };
}

function hasOtherFields(order: OrderRequest): boolean {
  let known = 3;
  for (const name of OPTIONAL_FIELDS) if (order[name] !== undefined) known++;
  return Object.keys(order).length !== known;
}

function explain(value: unknown, subject: string): never {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuseInvalid(`${subject} must be a JSON object`);
  const result = validateOrder(value);
  assert(!result.success, 'what is no order has a mistake');
  return refuseForm(result.errors);
}
