/** The body of POST /orders: accepted forms, and the name of each mistake. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { markOrder } from '../../../client/rest/persist.js';
import { MARKET_IDS } from '../../../engine/model/domain.js';
import { parseAny, parseOrder, parseUsual } from '../../../http/api/order-request.js';
import { isJsonType } from '../../../http/kit/body.js';
import { Refused } from '../../../http/kit/refused.js';
import { forMany } from '../../support/for-all.js';
import { orRefused } from '../../support/http/refused.js';

const GOOD = { marketId: 'BTC_ONE_MINUTE', prediction: 'UP', amount: 12.34 };

const parse = (body: string | Uint8Array) =>
  orRefused(() => parseOrder(typeof body === 'string' ? new TextEncoder().encode(body) : body));
const parseValue = (value: unknown) => parse(JSON.stringify(value));

function refusal(result: unknown): string {
  assert.ok(result instanceof Refused, `${JSON.stringify(result)} should be a refusal`);
  assert.equal(result.code, 'invalid_request');
  return result.detail;
}

function taken(result: ReturnType<typeof parse>): Exclude<typeof result, Refused> {
  assert.ok(!(result instanceof Refused), JSON.stringify(result));
  return result;
}

test('a valid order is converted to the units of the engine', () => {
  assert.deepEqual(parseValue(GOOD), {
    market: 0,
    marketId: 'BTC_ONE_MINUTE',
    side: 0,
    stakeCents: 1_234,
    expectedPercentE6: -1,
    limitOddsE4: 0,
    clientSeed: null,
    clientOrderId: null,
    guards: null,
    wantsReceipt: false,
  });
  const full = {
    ...GOOD,
    marketId: 'TON_ONE_DAY',
    prediction: 'DOWN',
    expectedPercent: 49.5,
    clientSeed: 'ü',
    clientOrderId: '~"\\!',
    roundId: 'TON_ONE_DAY_20614',
    validUntil: '2026-06-10T14:00:00.5+02:00',
    minOdds: 1.9756,
    receipt: true,
  };
  assert.deepEqual(parseValue(full), {
    market: MARKET_IDS.length - 1,
    marketId: 'TON_ONE_DAY',
    side: 1,
    stakeCents: 1_234,
    expectedPercentE6: 49_500_000,
    limitOddsE4: 0,
    clientSeed: 'ü',
    clientOrderId: '~"\\!',
    guards: { roundNumber: 20_614, validUntilMs: Date.UTC(2026, 5, 10, 12, 0, 0, 500), minOddsE4: 19_756 },
    wantsReceipt: true,
  });
});

test('each guard alone is a guard, and minOdds counts to four decimals', () => {
  const guardsOf = (guards: object) => taken(parseValue({ ...GOOD, ...guards })).guards;
  const none = { roundNumber: -1, validUntilMs: Number.POSITIVE_INFINITY, minOddsE4: 0 };
  assert.deepEqual(guardsOf({ roundId: 'BTC_ONE_MINUTE_7' }), { ...none, roundNumber: 7 });
  assert.deepEqual(guardsOf({ validUntil: '1970-01-01T00:00:01Z' }), { ...none, validUntilMs: 1_000 });
  for (const [minOdds, minOddsE4] of [
    [1, 10_000],
    [1.1, 11_000],
    [1.9756, 19_756],
    [4.35, 43_500],
    [1_000_000, 1e10],
  ]) {
    assert.deepEqual(guardsOf({ minOdds }), { ...none, minOddsE4 }, `${minOdds}`);
  }
});

test('a market that does not exist is not an error of the body', () => {
  assert.equal(taken(parseValue({ ...GOOD, marketId: 'DOGE_ONE_MINUTE' })).market, -1);
});

test('expectedPercent: both limits are accepted, with a precision of 1e-6', () => {
  for (const [expectedPercent, percentE6] of [
    [0, 0],
    [100, 100_000_000],
    [33.3333333, 33_333_333],
  ] as const)
    assert.equal(taken(parseValue({ ...GOOD, expectedPercent })).expectedPercentE6, percentE6);
});

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  marketId: [5],
  prediction: ['up'],
  amount: ['10', null, -1, 0, true, [1], {}],
  expectedPercent: [-0.01, 100.01, '50', null, true],
  clientSeed: [1, null],
  clientOrderId: ['', 'a'.repeat(65), 'a b', 'é', 'a\n', null, 7],
  roundId: ['', 'BTC_ONE_MINUTE', 'BTC_ONE_MINUTE_', 'BTC_ONE_MINUTE_07', 7, null],
  validUntil: [
    ...['', 'soon', '2026-06-10', '2026-13-40T00:00:00Z', '2026-06-10T23:59:60Z', '2026-02-30T00:00:00Z'],
    ...[1_781_092_860_000, null],
  ],
  minOdds: [0, 0.9999, 1.97561, 1.00001, -2, 1_000_001, '2', null],
};

test('each mistake names its field', () => {
  for (const [field, values] of Object.entries(WRONG))
    for (const value of values)
      assert.match(
        refusal(parseValue({ ...GOOD, [field]: value })),
        new RegExp(`^${field} must(?!.*(an object|<))`),
        `${value}`,
      );
  assert.match(refusal(parseValue({})), /marketId is missing.*prediction is missing.*amount is missing/);
  assert.match(refusal(parseValue({ ...GOOD, prediction: 'up' })), /"UP"/);
  assert.match(
    refusal(parseValue({ ...GOOD, validUntil: '2126-06-10T12:00:00' })),
    /with its zone, such as .*Z/,
  );
  assert.match(refusal(parse(JSON.stringify(GOOD).replace('12.34', '1e999'))), /^amount must/);
  for (const amount of [0.001, 1.005, 10.123, 1e300, 1e14, 5e-324]) {
    const why = refusal(parseValue({ ...GOOD, amount }));
    assert.match(why, /^amount must have at most two decimals/, `${amount}`);
  }
  for (const value of [[], [GOOD], 'text', 5, null, true])
    assert.match(refusal(parseValue(value)), /^the body/, JSON.stringify(value));
  for (const clientOrderId of ['a', '!'.repeat(64)])
    assert.equal(taken(parseValue({ ...GOOD, clientOrderId })).clientOrderId, clientOrderId);
});

test('clientSeed: 128 bytes of UTF-8, and Unicode only', () => {
  for (const clientSeed of ['', 'x'.repeat(128), 'ü'.repeat(64), '🎲'.repeat(32)])
    assert.equal(taken(parseValue({ ...GOOD, clientSeed })).clientSeed, clientSeed);
  assert.equal(refusal(parseValue({ ...GOOD, clientSeed: null })), 'clientSeed must be text');
  for (const clientSeed of ['x'.repeat(129), 'ü'.repeat(65), '🎲'.repeat(33)]) {
    const why = refusal(parseValue({ ...GOOD, clientSeed }));
    assert.equal(why, 'clientSeed must be at most 128 bytes of UTF-8');
  }
  const escaped = (text: string) =>
    parse(`{"marketId":"B","prediction":"UP","amount":1,"clientSeed":"${text}"}`);
  assert.match(refusal(escaped('\\ud800')), /valid Unicode/);
  assert.match(refusal(escaped('\\udc00\\ud800')), /valid Unicode/);
  for (const text of ['\\ud83c\\udfb2', '\\ufffd', '\ufffd']) taken(escaped(text));
});

test('an unknown field is refused and named', () => {
  assert.match(refusal(parseValue({ ...GOOD, expectedPercnt: 50 })), /expectedPercnt is not a known field/);
  assert.match(refusal(parse('{"__proto__":{"marketId":"B","prediction":"UP","amount":1}}')), /missing/);
  const polluted = `{"__proto__":{"clientSeed":"x"},${JSON.stringify(GOOD).slice(1)}`;
  assert.match(refusal(parse(polluted)), /__proto__/);
  assert.equal(({} as { clientSeed?: string }).clientSeed, undefined);
  assert.ok(refusal(parseValue({ ...GOOD, ['x'.repeat(5_000)]: 1 })).length < 400);
});

test('a repeated field is refused and named', () => {
  const [before, validUntil] = [JSON.stringify(GOOD).slice(0, -1), '"validUntil":"2126-06-10T12:00:00Z"'];
  for (const more of [
    '"amount":2',
    `${validUntil},"amount" :2`,
    '"clientOrderId":"\\":\\\\","\\u0061mount":2',
  ])
    assert.equal(refusal(parse(`${before},${more}}`)), 'amount must be there only once', more);
  assert.equal(refusal(parse('[{"a":{"b":1},"b":[{"a":1}]},{"b":1,"b":1}]')), 'b must be there only once');
  assert.equal(taken(parse(`${before},${validUntil},"clientOrderId":"\\":{\\\\"}`)).clientOrderId, '":{\\');
});

test('anything but JSON in UTF-8 is refused', () => {
  for (const text of ['', '{', '{"a":1,}', "{'a':1}", 'NaN', '\ufeff{}', '{"a":01}', '[', '"'])
    assert.match(refusal(parse(text)), /^the body is not valid JSON/, text);
  assert.match(refusal(parse(Buffer.from('{"marketId":"\xff"}', 'latin1'))), /not valid UTF-8/);
  const sentence = /not valid JSON: it begins with a byte order mark \(BOM\)/;
  assert.match(refusal(parse(`\ufeff${JSON.stringify(GOOD)}`)), sentence);
  const nested = '['.repeat(8_000);
  assert.match(refusal(parse(nested)), /not valid JSON/);
  assert.match(refusal(parse(nested + ']'.repeat(8_000))), /^the body must be/);
});

test('no bytes make it throw anything but a refusal', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200, size: 'max' }), (bytes) => void parse(bytes)));
  fc.assert(fc.property(fc.json(), (text) => void parse(text)));
  const some = fc.oneof(
    fc.string(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('UP', 'DOWN'),
  );
  const shape = fc.record(
    { marketId: some, prediction: some, amount: some, expectedPercent: some, clientSeed: some, other: some },
    { requiredKeys: [] },
  );
  fc.assert(fc.property(shape, (value) => void parseValue(value)));
});

test('the content type is JSON, with or without charset=utf-8', () => {
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ; charset="utf-8"',
  ]) {
    assert.ok(isJsonType(type), type);
  }
  for (const type of [
    ...['', 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'],
    ...['application/json, text/plain', 'application/json; charset=latin1', 'application/problem+json'],
  ]) {
    assert.ok(!isJsonType(type), type);
  }
});

const nearlyUsual = fc
  .record({
    marketId: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...MARKET_IDS) },
      fc.constantFrom('', 'X', 'BTC_1', 'btc'),
    ),
    prediction: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('UP', 'DOWN') },
      fc.constantFrom('up', '', 'DRAW'),
    ),
    amount: fc.oneof(
      fc.nat(2_000_000_000).map(String),
      fc.nat(99_999).map((cents) => (cents / 100).toFixed(2)),
      fc.nat(9_999).map((tenths) => `${tenths / 10}`),
      fc.constantFrom(
        ...['0', '0.0', '0.00', '00', '01', '-1', '1.', '.5', '1.234', '1e2', '1E2', '999999999.99', '"1"'],
        '',
      ),
    ),
    gap: fc.oneof({ weight: 8, arbitrary: fc.constant('') }, fc.constantFrom(' ', '\n', '\u00a0')),
    rest: fc.oneof(
      { weight: 8, arbitrary: fc.constant('') },
      fc.constantFrom(',', ',"x":1', ',"amount":2', ',"clientOrderId":"s"'),
    ),
    seed: fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      fc
        .string({ unit: 'binary-ascii', maxLength: 130 })
        .map((text) => `,"clientSeed":${JSON.stringify(text)}`),
      fc
        .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 126, maxLength: 130 })
        .map((codes) => `, "clientSeed": "${String.fromCharCode(...codes).replace(/["\\]/g, '-')}"`),
      fc.constantFrom(
        ...[',"clientSeed":""', ',"clientseed":"s"', ', "clientSeed" :"s"', '"clientSeed":"s"'],
        ...[',"clientSeed":"s', ',"clientSeed":"a\\"b"', ',"clientSeed":"a"b"', ',"clientSeed":"ü"'],
        ...[',"clientSeed":"a","clientSeed":"b"', ',"clientSeed":"\\",\\"clientSeed\\":\\""'],
      ),
    ),
    /** As Python puts it. */
    space: fc.constantFrom('', ' '),
  })
  .map(
    ({ marketId, prediction, amount, gap, rest, seed, space }) =>
      `{"marketId":${space}"${marketId}",${gap}${space}"prediction":${space}"${prediction}",${space}"amount":${space}${amount}${rest}${seed}}${gap}`,
  );

test('the fast path accepts the usual form, and agrees with the full parser on every body', () => {
  let taken = 0;
  let seeded = 0;
  forMany({ numRuns: 5_000 }, nearlyUsual, (text) => {
    const usual = parseUsual(Buffer.from(text));
    const any = orRefused(() => parseAny(Buffer.from(text)));
    if (usual === null) return;
    taken++;
    if (usual.clientSeed !== null) seeded++;
    assert.deepEqual(usual, any, text);
  });
  assert.ok(taken > 1_000 && seeded > 200, `${taken} of 5,000 in the usual form, ${seeded} with a seed`);
  for (const amount of [1, 0.5, 12.34, 999_999_999.99])
    assert.notEqual(parseUsual(Buffer.from(JSON.stringify({ ...GOOD, amount }))), null, `${amount}`);
  const asPython = Buffer.from('{"marketId": "BTC_ONE_MINUTE", "prediction": "DOWN", "amount": 10.5}');
  assert.equal(parseUsual(asPython)?.stakeCents, 1_050);
  const { order } = markOrder({ ...GOOD, prediction: 'UP' }, {});
  assert.equal(parseUsual(Buffer.from(JSON.stringify(order)))?.clientSeed, order.clientSeed, 'the client’s');
});
