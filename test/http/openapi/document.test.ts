/** The OpenAPI document lints clean, knows the codes of the registry, and describes the server's real answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SCOPES, TIERS } from '../../../engine/model/domain.js';
import { ERROR_CODES, ERROR_STATUS } from '../../../engine/model/errors.js';
import { defaultRules } from '../../../engine/model/rules.js';
import { apiDocument, ENDPOINTS } from '../../../http/api/endpoints.js';
import { IDEMPOTENCY_KEY_PATTERN, parseIdempotencyKey } from '../../../http/kit/idempotency.js';
import {
  DOCUMENT_FAILURES,
  FAILURE_KINDS,
  type FailureKind,
  type FailureName,
  statusOf,
} from '../../../http/openapi/failures.js';
import { failuresOf } from '../../../http/openapi/operation.js';
import { ApiDocument } from '../../support/api/api-document.js';
import { lintsClean } from '../../support/api/lint-openapi.js';
import { forAll } from '../../support/for-all.js';
import { orRefused } from '../../support/http/refused.js';
import { Harness } from '../api/harness.js';

const rules = defaultRules('f'.repeat(64));
const api = new ApiDocument();
const { document } = api;
const { schemas } = document.components;

test('it is OpenAPI 3.1 of version 1.0.0, has every operation, and marks the extensions', () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.info.version, '1.0.0');
  const documented = api.operations();
  const expected = [...ENDPOINTS.map(({ method, path }) => `${method} ${path}`), 'GET /openapi.json'].sort();
  assert.deepEqual(documented.map(([name]) => name).sort(), expected);
  const first = documented.filter(([, { 'x-extension': isExtension = false }]) => !isExtension);
  const shown = first.map(([name]) => name).join();
  assert.equal(shown, 'GET /markets,GET /markets/{id},GET /prices,GET /positions,GET /orders,POST /orders');
  for (const name of ['Round', 'RoundDetail']) {
    const properties = Object.entries(schemas[name]?.properties ?? {});
    const beyond = properties.filter(([, schema]) => schema['x-extension'] === true);
    assert.equal(beyond.map(([field]) => field).join(), 'bettingClosesAt,timeToBettingClose');
  }
  for (const { properties = {} } of Object.values(schemas))
    for (const [field, schema] of Object.entries(properties))
      assert.ok(!`${schema['description']}`.includes('(extension)') || schema['x-extension'], field);
  for (const status of ['400', '431', '505']) assert.ok(document.info.description.includes(status));
  assert.deepEqual(JSON.parse(new Harness().get('/v1/openapi.json', '').text), document);
});

test('it lints clean under the strict rules of a public linter', () =>
  // Schemas that nothing answers are there for clients. An order's id is never `by-idempotency-key`.
  lintsClean(document, ['no-unused-components', 'no-ambiguous-paths']));

test('every enumeration is a named schema, and every schema but one is used', () => {
  const text = JSON.stringify(document);
  const unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
  assert.deepEqual(unused, ['ErrorCode']);
  for (const [name, { enum: _, ...rest }] of Object.entries(schemas))
    assert.ok(!JSON.stringify(rest).includes('"enum"'), `${name} has no choice without a name in it`);
  assert.deepEqual([schemas['Tier']?.enum, schemas['Scope']?.enum], [TIERS, SCOPES]);
  const { crypto, timeFrame, result } = schemas['Position']?.properties ?? {};
  const names = [crypto, timeFrame, result].map((schema) => schema?.['oneOf']);
  const orNull = (name: string) => [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }];
  assert.deepEqual(names, ['Crypto', 'TimeFrame', 'BetResult'].map(orNull));
});

test('each status of an operation has the codes of one registry, and validates no other', () => {
  for (const [name, operation] of api.operations()) {
    const endpoint = ENDPOINTS.find(({ method, path }) => `${method} ${path}` === name);
    const kinds: readonly FailureName[] = endpoint === undefined ? DOCUMENT_FAILURES : failuresOf(endpoint);
    const statuses = kinds.map((kind) => `${statusOf(kind)}`);
    assert.equal(new Set(statuses).size, statuses.length, `${name} has one kind of failure for each status`);
    const documented = Object.keys(operation.responses).filter((status) => Number(status) >= 400);
    assert.deepEqual(documented.toSorted(), statuses.toSorted(), name);
    for (const kind of kinds) {
      const { codes }: FailureKind = FAILURE_KINDS[kind];
      for (const code of codes) assert.equal(ERROR_STATUS[code], statusOf(kind), code);
      const schema = api.response(operation, statusOf(kind))?.content?.['application/json']?.schema ?? {};
      const validate = api.compile(schema);
      for (const code of ERROR_CODES) {
        const isOwn = codes.some((own) => own === code);
        for (const error of [code, `${code}: a sentence`])
          assert.equal(validate({ success: false, error }), isOwn, `${name} ${statusOf(kind)} ${error}`);
        for (const error of [`${code}:`, `${code}: `, `${code}x`, ` ${code}`])
          assert.ok(!validate({ success: false, error }), error);
      }
    }
  }
});

test('every response has examples, which conform to it', () => {
  for (const [name, operation] of api.operations()) {
    for (const status of Object.keys(operation.responses)) {
      const { content } = api.response(operation, status) ?? {};
      // The document is its own example: one by reference stops generators.
      if (content === undefined || (operation.operationId === 'getOpenApi' && status === '200')) continue;
      const { schema = {}, examples = {} } = content['application/json'] ?? {};
      assert.ok(Object.keys(examples).length > 0, `${name} ${status}`);
      const validate = api.compile(schema);
      for (const { value } of Object.values(examples))
        assert.ok(value === undefined || validate(value), `${name} ${status} ${JSON.stringify(value)}`);
    }
  }
});

test('it shows the rules in force', () => {
  const unusual = { ...rules, feeBps: 250, cutoffMs: 45_000, slippageE2: 750, idempotencyTtlMs: 60_000 };
  const served = new Harness({ rules: unusual }).get('/v1/openapi.json', '').text;
  // But for the examples, which are answers of a server with the defaults.
  const words = JSON.stringify(
    JSON.parse(served, (name, value: unknown) => (name === 'examples' ? undefined : value)),
  );
  assert.match(words, /amount \* oddsAtBet \* 0\.975/);
  assert.match(words, /the fee is 2\.5%/);
  assert.match(words, /45 seconds before/);
  assert.match(words, /more than 7\.5 points away/);
  assert.match(words, /remembered for 1 minute\b/);
  assert.doesNotMatch(words, /0\.97\b|\b3%|20 seconds|15 points|10 minutes/);
  for (const text of [served, JSON.stringify(document)]) {
    const placeholders = text.match(/\{[a-z]\w*\}/gi)?.filter((word) => word !== '{id}' && word !== '{key}');
    assert.deepEqual(placeholders, []);
  }
});

test('it suggests a market that takes bets for long', () => {
  const marketOf = (markets: readonly string[]): unknown => {
    const some = { ...rules, markets: rules.markets.filter(({ marketId }) => markets.includes(marketId)) };
    const { paths } = JSON.parse(JSON.stringify(apiDocument(some))) as {
      paths: Record<string, { get: { parameters: { example: string }[] } }>;
    };
    return paths['/markets/{id}']?.get.parameters[0]?.example;
  };
  assert.equal(marketOf(rules.markets.map(({ marketId }) => marketId)), 'BTC_ONE_DAY');
  assert.equal(marketOf(['GOLD_ONE_DAY', 'ETH_ONE_MINUTE', 'SOL_FIVE_MINUTES']), 'SOL_FIVE_MINUTES');
  assert.equal(marketOf(['GOLD_ONE_DAY', 'EURUSD_ONE_MINUTE']), 'GOLD_ONE_DAY');
});

test('the suggested order is accepted, and has no Idempotency-Key', () => {
  const { paths } = JSON.parse(JSON.stringify(document)) as {
    paths: Record<string, Record<string, { parameters: object[]; requestBody: { content: object } }>>;
  };
  const post = paths['/orders']?.['post'];
  const content = post?.requestBody.content as Record<
    string,
    { examples: Record<string, { value: unknown }> }
  >;
  const harness = new Harness();
  harness.open();
  const { secret } = harness.bettor({ tier: 'SILVER' });
  const { plain, guarded } = content['application/json']?.examples ?? {};
  for (const example of [plain, guarded]) assert.equal(harness.order(secret, example?.value).status, 201);
  const [key = {}] = post?.parameters ?? [];
  assert.ok(!('example' in key || 'examples' in key));
});

test('its pattern of an Idempotency-Key accepts what the server accepts', () => {
  const pattern = new RegExp(IDEMPOTENCY_KEY_PATTERN);
  const character = fc.constantFrom('"', 'a', '~', '!', '#', ' ', '\u00e9', '\u007f');
  const lengths = fc.constantFrom(0, 1, 2, 3, 254, 255, 256, 257, 258);
  const filled = fc
    .tuple(lengths, fc.boolean())
    .map(([length, isQuoted]) => (isQuoted ? `"${'k'.repeat(length)}"` : 'k'.repeat(length)));
  forAll(fc.oneof(fc.string({ unit: character, maxLength: 5 }), filled), (key) => {
    const read = orRefused(() => parseIdempotencyKey(key));
    assert.equal(pattern.test(key), typeof read === 'string', JSON.stringify(key));
  });
});
