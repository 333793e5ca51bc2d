/** Bodies of POST /orders: valid ones, and valid ones with one or several mistakes. */
import type { Rng } from '../support/reference/random/rng.js';
import {
  AMOUNTS,
  FOREIGN_FIELDS,
  LIMITS,
  MARKETS,
  NOT_ORDERS,
  ODDS,
  PERCENTS,
  RECEIPTS,
  ROUNDS,
  SEEDS,
  SIDES,
  TIMES,
  type Value,
} from './values.js';

export interface Body {
  readonly bytes: Buffer;
  readonly isBad: boolean;
}

interface Field {
  readonly name: string;
  readonly usual: string;
  readonly values: readonly Value[];
  readonly isRequired: boolean;
  /** Chance that an optional field is left out; half if absent. */
  readonly leftOut?: number;
}

export const ORDER_FIELDS: readonly Field[] = [
  { name: 'marketId', usual: '"BTC_ONE_DAY"', values: MARKETS, isRequired: true },
  { name: 'prediction', usual: '"UP"', values: SIDES, isRequired: true },
  { name: 'amount', usual: '1', values: AMOUNTS, isRequired: true },
  { name: 'expectedPercent', usual: '50', values: PERCENTS, isRequired: false },
  { name: 'roundId', usual: '"BTC_ONE_DAY_20614"', values: ROUNDS, isRequired: false, leftOut: 0.9 },
  { name: 'validUntil', usual: '"2100-01-01T00:00:00Z"', values: TIMES, isRequired: false },
  { name: 'minOdds', usual: '1.01', values: ODDS, isRequired: false },
  { name: 'limitOdds', usual: '1.01', values: LIMITS, isRequired: false, leftOut: 0.9 },
  { name: 'receipt', usual: 'true', values: RECEIPTS, isRequired: false, leftOut: 0.9 },
  { name: 'clientSeed', usual: '"seed"', values: SEEDS, isRequired: false },
  { name: 'clientOrderId', usual: '"name"', values: SEEDS, isRequired: false },
];

const STRANGE_CHANCE = 0.25;
const LEFT_OUT_CHANCE = 0.03;
const TWICE_CHANCE = 0.01;
const FOREIGN_CHANCE = 0.05;
/** A longer body is refused by the transport. */
export const BODY_BYTES_MAX = 16_384;
/** The server drops the connection only for more: these must be answered. */
const LONG_BYTES = [BODY_BYTES_MAX + 1, 20_000, 65_536, 200_000];
const NOT_UTF8: readonly Buffer[] = [
  Buffer.from([0x22, 0xff, 0x22]),
  Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  Buffer.from([0xfe, 0xff, 0x00, 0x7b, 0x00, 0x7d]),
];

export function orderBody(rng: Rng): Body {
  return rng.weighted<(rng: Rng) => Body>([
    [30, plainOrder],
    [60, strangeOrder],
    [8, notAnOrder],
    [1, longBody],
    [2, notUtf8],
  ])(rng);
}

function plainOrder(rng: Rng): Body {
  const side = rng.chance(0.5) ? 'UP' : 'DOWN';
  return {
    bytes: Buffer.from(`{"marketId":"BTC_ONE_DAY","prediction":"${side}","amount":1}`),
    isBad: false,
  };
}

function notAnOrder(rng: Rng): Body {
  return { bytes: Buffer.from(rng.pick(NOT_ORDERS)), isBad: true };
}

function notUtf8(rng: Rng): Body {
  return { bytes: rng.pick(NOT_UTF8), isBad: true };
}

/** The first length is the longest that is accepted. */
function longBody(rng: Rng): Body {
  const { bytes, isBad } = rng.chance(0.5) ? plainOrder(rng) : notAnOrder(rng);
  const length = rng.pick([BODY_BYTES_MAX, ...LONG_BYTES]);
  const rest = Buffer.alloc(Math.max(0, length - bytes.length), rng.pick([' ', '[', '\xff', '{"a":']));
  const isTaken = length === BODY_BYTES_MAX && rest.every((byte) => byte === 0x20);
  return { bytes: Buffer.concat([bytes, rest]), isBad: isBad || !isTaken };
}

function strangeOrder(rng: Rng): Body {
  const parts: string[] = [];
  const names = new Set<string>();
  let isBad = false;
  for (const { name, usual, values, isRequired, leftOut = 0.5 } of ORDER_FIELDS) {
    if (rng.chance(isRequired ? LEFT_OUT_CHANCE : leftOut)) {
      isBad ||= isRequired;
      continue;
    }
    const value = rng.chance(STRANGE_CHANCE) ? rng.pick(values) : { json: usual, isBad: false };
    if (rng.chance(TWICE_CHANCE)) {
      const first = rng.chance(0.5) ? rng.pick(values).json : usual;
      parts.push(`"${name}":${first}`);
      isBad = true;
    }
    parts.push(`"${name}":${value.json}`);
    names.add(name);
    isBad ||= value.isBad;
  }
  isBad ||= names.has('limitOdds') && (names.has('minOdds') || names.has('expectedPercent'));
  if (rng.chance(FOREIGN_CHANCE)) {
    parts.push(rng.pick(FOREIGN_FIELDS));
    isBad = true;
  }
  const space = rng.chance(0.1) ? rng.pick([' ', '\n\t', '\r\n  ']) : '';
  return { bytes: Buffer.from(`{${space}${parts.join(`,${space}`)}${space}}`), isBad };
}
