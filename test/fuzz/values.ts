/**
 * Values that have broken servers before: numbers beyond doubles, invalid text, keys named like prototypes. Each says
 * whether an order with it must be refused, so that the fuzzer detects a wrong acceptance.
 */
import type { Rng } from '../support/reference/random/rng.js';

export interface Value {
  readonly json: string;
  readonly isBad: boolean;
}

const bad = (...texts: readonly string[]): Value[] => texts.map((json) => ({ json, isBad: true }));
const good = (...texts: readonly string[]): Value[] => texts.map((json) => ({ json, isBad: false }));

/** No numbers, markets, sides or seeds. */
const NEITHER: readonly Value[] = bad(
  ...['null', 'true', '[]', '{}', '[1]', '{"toString":1}', '{"__proto__":{"amount":1}}'],
);

export const AMOUNTS: readonly Value[] = [
  ...good('1', '1.0', '1.5', '2', '1e0', '0.1e1', '100E-2', '1.00', '12.34', '1.1'),
  ...bad('1e999', '-1e999', '1e308', '-0', '0', '0.0', '-1', '0.001', '1.001', '0.30000000000000004'),
  // 1.1 + 2.2 as floats have it: above the smallest stake, so that its decimals alone speak against it.
  ...bad('3.3000000000000003', '0.1+0.2', '1.1+2.2'),
  ...bad('99999999999999999999', '18446744073709551616', '9007199254740993', '-9223372036854775809'),
  ...bad('1e-999', '5e-324', '10000.01', '0.99', '1.0000000000001', '1e21', '"1"', '""', '"NaN"'),
  ...bad('NaN', 'Infinity', '0x10', '1_000', '+1', '.5', '1.', '01', '1e', '--1', '１'),
  ...NEITHER,
];

export const PERCENTS: readonly Value[] = [
  ...good('5', '95', '0', '100', '50', '50.0', '49.999999', '5e1', '50.00000000000001'),
  ...bad('-0.0000001', '100.0000001', '1e999', '-1', '101', '"50"', '99999999999999999999'),
  ...NEITHER,
];

export const ODDS: readonly Value[] = [
  ...good('1', '1.0', '1.00000000001', '1e0', '1000000'),
  ...bad('0', '-1', '0.9999999999', '1000000.1', '1e999', '"2"', '99999999999999999999'),
  ...NEITHER,
];

/** An order with one of the good ones is placed at once, or rests for ever. */
export const LIMITS: readonly Value[] = [
  ...good('1.01', '1.1', '1000', '1e3', '1.010'),
  ...bad('1', '1.005', '10.01', '100.5', '1000.1', '1001', '-1.01', '1e999', '"2"', '99999999999999999999'),
  ...NEITHER,
];

export const RECEIPTS: readonly Value[] = [
  ...good('true', 'false'),
  ...bad('"true"', '0', 'null', '[]', '{}'),
];

export const TIMES: readonly Value[] = [
  ...good('"2100-01-01T00:00:00Z"', '"2100-01-01T00:00:00.000000001+14:00"', '"1970-01-01T00:00:00Z"'),
  ...bad('"2100-01-01"', '"2100-13-01T00:00:00Z"', '"soon"', '""', '4102444800000', '"2100-01-01T00:00:00"'),
  ...NEITHER,
];

/** Whichever round is current, these are other ones or none. */
export const ROUNDS: readonly Value[] = bad(
  ...['"BTC_ONE_DAY_0"', '"BTC_ONE_DAY_9999999999"', '"BTC_ONE_DAY_-1"', '"BTC_ONE_DAY_020614"'],
  ...['"ETH_ONE_DAY_20614"', '"__proto___1"', '""', '1', 'null', '[]'],
);

export const MARKETS: readonly Value[] = [
  ...good('"BTC_ONE_DAY"', '"\\u0042TC_ONE_DAY"'),
  ...bad('"btc_one_day"', '"BTC_ONE_DAY "', '"BTC_ONE_DAY\\u0000"', '"__proto__"', '"constructor"', '""'),
  ...bad('"\\ud800"', '"../../operator/v1/status"', '"BTC_ONE_DAY\' OR 1=1 --"', '"ＢＴＣ_ONE_DAY"', '1'),
  ...bad(`"${'A'.repeat(5_000)}"`, '"hasOwnProperty"', '"0"', '"-1"', '"BTC_ONE_YEAR"'),
  ...NEITHER,
];

export const SIDES: readonly Value[] = [
  ...good('"UP"', '"DOWN"', '"\\u0055P"'),
  ...bad('"up"', '"UP "', '"SIDEWAYS"', '""', '0', '1', '"U\\u0000P"', '"UP,DOWN"'),
  ...NEITHER,
];

export const SEEDS: readonly Value[] = [
  ...good(
    ...['""', '"a"', '"\\u0000"', '"\\u2028"', '"é"', '"😀"', '"\\"\\\\/"', `"${'s'.repeat(128)}"`],
    '"\\ud83d\\ude00"',
  ),
  ...bad(
    ...['"\\ud800"', '"\\udc00\\ud800"', `"${'s'.repeat(129)}"`, `"${'é'.repeat(65)}"`, '1'],
    `"${'😀'.repeat(33)}"`,
  ),
  ...NEITHER,
];

export const NOT_ORDERS: readonly string[] = [
  ...['', ' ', 'null', '[]', '"order"', '1e999', '{', '}', '{}', '{"marketId"}', '{"amount":1,}'],
  ...["{'amount':1}", '{"amount":1}{"amount":1}', '\ufeff{"amount":1}', '//\n{}'],
  ...[`${'['.repeat(2_000)}${']'.repeat(2_000)}`, '['.repeat(3_000), '{"a":'.repeat(1_000)],
  ...[`{${Array.from({ length: 500 }, (_, n) => `"f${n}":${n}`).join(',')}}`],
  ...[`[${'0,'.repeat(2_000)}0]`, `"${'x'.repeat(4_000)}"`],
  ...['{"__proto__":{"marketId":"BTC_ONE_DAY","prediction":"UP","amount":1}}'],
];

export const FOREIGN_FIELDS: readonly string[] = [
  ...['"__proto__":{}', '"constructor":{"prototype":{"amount":1}}', '"Amount":1', '"amount ":1'],
  ...['"":1', '"account":1', '"balance":1e9', '"limitOdds":"2"', '"hasOwnProperty":1', '"toJSON":1'],
  ...[`"deep":${'['.repeat(1_000)}${']'.repeat(1_000)}`],
  ...[`"deep":${'{"a":'.repeat(500)}1${'}'.repeat(500)}`],
  ...[Array.from({ length: 300 }, (_, n) => `"wide${n}":${n}`).join(',')],
];

export const DOLLARS: readonly string[] = [
  ...['-1', '-0.01', '0.001', '1.001', '0.30000000000000004', '3.3000000000000003', '5e-324'],
  ...['1e999', '-1e999', '1e308', '1e21', '9007199254740993', '99999999999999999999', '18446744073709551616'],
  ...['NaN', '0x10', '+1', '.5', '01', '"1"', '""', 'null', 'true', '[1]', '{"valueOf":1}'],
];

export const TEXTS: readonly string[] = [
  ...['""', `"${'r'.repeat(256)}"`, '1', 'null', '[]', '{"length":1}', '"\ud800'],
];

export const FLAGS: readonly string[] = [
  ...['"true"', '0', '1', 'null', '""', '[]', '[true]', '{}', 'True', '1e999'],
];

export const CLOCK_STEPS: readonly string[] = [
  ...['-1', '0.5', '2678400001', '4294967296', '1e999', '-1e999', '99999999999999999999', '5e-324'],
  ...['"1"', 'null', 'true', '[1]', 'NaN', '0x10'],
];

export const PATH_SEGMENTS: readonly string[] = [
  ...['BTC_ONE_DAY', 'BTC_ONE_DAY_1', 'BTC_ONE_MINUTE_99999999999999999999', '%42TC_ONE_DAY', '%'],
  ...['%zz', '%00', '%ff', '%2e%2e%2f', '..', '.', '__proto__', 'constructor', 'a'.repeat(1_000)],
  ...['%F0%9F%98%80', '-1', 'BTC_ONE_DAY_-1', 'BTC_ONE_DAY_1e3', 'BTC_ONE_DAY_01'],
];

export const QUERIES: readonly string[] = [
  ...['limit=1', 'limit=0', 'limit=-1', 'limit=201', 'limit=1e2', 'limit=99999999999999999999'],
  ...['limit=1&limit=2', 'limit=%31', 'limit=%', 'limit', 'limit=', '&&&', '=', 'status=all'],
  ...['status=active', 'status=ALL', 'status[]=all', '__proto__=1', 'limit=1;status=all'],
  ...['x'.repeat(1_000), '%ff=1', '?'],
];

/** null sends none. Not valid: empty, spaces inside, beyond ASCII, over 255 characters. */
export function idempotencyKey(rng: Rng, serial: number): { text: string | null; isBad: boolean } {
  return rng.weighted([
    [60, { text: null, isBad: false }],
    [20, { text: `fuzz-${serial}`, isBad: false }],
    [5, { text: `"quoted-${serial}"`, isBad: false }],
    [5, { text: `again-${serial % 50}`, isBad: false }],
    [2, { text: '', isBad: true }],
    [2, { text: 'a b', isBad: true }],
    [2, { text: 'k'.repeat(256), isBad: true }],
    [2, { text: '\xe9', isBad: true }],
    [2, { text: 'a\tb', isBad: true }],
  ]);
}
