/** Every operation answers as the API document says, for each status that it has. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { ERROR_STATUS } from '../../../engine/model/errors.js';
import { documentedCodes } from '../../../http/openapi/common.js';
import { openApiDocument } from '../../../http/openapi/document.js';
import { codeOf, Harness, MINUTE_MS, type Reply, type SendOptions } from '../api/harness.js';

const MARKET = 'BTC_ONE_MINUTE';
const ORDER = { marketId: MARKET, prediction: 'UP', amount: 10 };
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface ResponseObject {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface OperationObject {
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly 'x-extension'?: boolean;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly responses: Readonly<Record<string, ResponseObject>> };
}

const document: Document = JSON.parse(JSON.stringify(openApiDocument()));
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: { 'date-time': DATE_TIME } });
ajv.addVocabulary(['components', 'example']);
ajv.addSchema({ $id: 'tote', components: JSON.parse(JSON.stringify(openApiDocument()['components'])) });

const workFolder = mkdtempSync(join(tmpdir(), 'tote-openapi-'));
after(() => rmSync(workFolder, { recursive: true }));

function operationOf(path: string, method: string): OperationObject {
  const operation = document.paths[path]?.[method.toLowerCase()];
  assert.ok(operation !== undefined, `${method} ${path} is documented`);
  return operation;
}

/** The response of a status, its reference followed. */
function responseOf(path: string, method: string, status: number): ResponseObject {
  const { responses } = operationOf(path, method);
  const response = responses[status];
  assert.ok(response !== undefined, `${method} ${path} documents ${status}`);
  const name = response.$ref?.split('/').at(-1);
  const resolved = name === undefined ? response : document.components.responses[name];
  assert.ok(resolved !== undefined, `${response.$ref} exists`);
  return resolved;
}

const validators = new Map<string, ValidateFunction>();
function validatorOf(
  path: string,
  method: string,
  status: number,
  response: ResponseObject,
): ValidateFunction {
  const name = `${method} ${path} ${status}`;
  const schema = response.content?.['application/json']?.schema;
  assert.ok(schema !== undefined, `${name} has a schema`);
  const rooted: object = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/', '"tote#/components/'),
  );
  const validator = validators.get(name) ?? ajv.compile(rooted);
  validators.set(name, validator);
  return validator;
}

/** What has been seen of the document, `GET /markets 200`. */
const seen = new Set<string>();

/** The reply has a documented status, the documented headers and a body that fits its schema. */
function conforms(path: string, method: string, reply: Reply): void {
  const response = responseOf(path, method, reply.status);
  const validate = validatorOf(path, method, reply.status, response);
  const isValid = validate(JSON.parse(reply.text));
  assert.ok(isValid, `${method} ${path} ${reply.status}: ${ajv.errorsText(validate.errors)}\n${reply.text}`);
  for (const header of Object.keys(response.headers ?? {})) {
    if (header === 'X-Idempotent-Replay') continue;
    assert.ok(reply.headers.has(header.toLowerCase()), `${method} ${path} ${reply.status} has ${header}`);
  }
  seen.add(`${method} ${path} ${reply.status}`);
}

/** Every operation of the document, with a request that succeeds. */
const OPERATIONS: readonly { path: string; method: string; actual: string; options?: SendOptions }[] = [
  { path: '/markets', method: 'GET', actual: '/markets' },
  { path: '/markets/{id}', method: 'GET', actual: `/markets/${MARKET}` },
  { path: '/prices', method: 'GET', actual: '/prices' },
  { path: '/positions', method: 'GET', actual: '/positions', options: { query: 'status=all&limit=200' } },
  { path: '/orders', method: 'GET', actual: '/orders' },
  { path: '/orders', method: 'POST', actual: '/orders', options: { body: ORDER } },
  {
    path: '/rounds/{id}',
    method: 'GET',
    actual: `/rounds/${MARKET}_${Date.UTC(2026, 5, 10, 12) / MINUTE_MS}`,
  },
  { path: '/openapi.json', method: 'GET', actual: '/openapi.json' },
];

const PUBLIC_PATH = '/openapi.json';

test('it is OpenAPI 3.1 of version 1.0.0 and has every operation of the server', () => {
  assert.match(document.openapi, /^3\.1\./);
  assert.equal(document.info.version, '1.0.0');
  const documented = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(documented.sort(), OPERATIONS.map(({ path, method }) => `${method} ${path}`).sort());
  const extensions = OPERATIONS.filter(
    ({ path, method }) => operationOf(path, method)['x-extension'] === true,
  );
  assert.deepEqual(
    extensions.map(({ path }) => path),
    ['/rounds/{id}', '/openapi.json'],
  );
  const served = new Harness().get('/v1/openapi.json', '');
  assert.deepEqual(JSON.parse(served.text), document);
});

test('it lints clean under the strict rules of a public linter', () => {
  const file = join(workFolder, 'openapi.json');
  writeFileSync(file, JSON.stringify(openApiDocument()));
  const packageFile = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
  const { bin } = createRequire(import.meta.url)(packageFile) as { bin: Record<string, string> };
  const command = join(dirname(packageFile), bin['redocly'] ?? '');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [command, 'lint', '--extends', 'recommended-strict', file],
    {
      cwd: dirname(fileURLToPath(import.meta.url)),
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      encoding: 'utf8',
    },
  );
  assert.equal(status, 0, `${stdout}\n${stderr}`);
});

test('every code it names has the status of the registry', () => {
  for (const [code, status] of documentedCodes()) assert.equal(ERROR_STATUS[code], status, code);
});

test('every operation answers as documented, for every status it can have', () => {
  const api = new Harness({ limits: { keyRead: 1_000, keyWrite: 1_000, account: 1_000, ip: 1_000 } });
  const { account, secret } = api.bettor();
  const disabled = api.addKey(account);
  api.submit({ kind: 'updateKey', key: disabled.key, enabled: false });
  for (const asset of [0, 1, 5]) api.open(asset);
  api.ticks[0] = 100.5;
  const send = (index: number, options: SendOptions = {}): Reply => {
    const operation = OPERATIONS[index];
    assert.ok(operation !== undefined);
    const { path, method, actual } = operation;
    const reply = api.send(method, `/v1${actual}`, { key: secret, ...operation.options, ...options });
    conforms(path, method, reply);
    return reply;
  };
  for (const [index, { path, method }] of OPERATIONS.entries()) {
    assert.equal(send(index).status, method === 'POST' ? 201 : 200);
    if (path === PUBLIC_PATH) continue;
    assert.equal(send(index, { key: '' }).status, 401);
    assert.equal(send(index, { key: disabled.secret }).status, 403);
  }
  for (const index of [3, 4]) assert.equal(send(index, { query: 'limit=0' }).status, 400);
  for (const [path, id] of [
    ['/markets/{id}', '%'],
    ['/markets/{id}', 'X'],
    ['/rounds/{id}', '%'],
    ['/rounds/{id}', 'X'],
  ]) {
    conforms(path ?? '', 'GET', api.get(`/v1${path?.replace('{id}', id ?? '')}`, secret));
  }
  for (const method of ['GET', 'POST']) otherFailures(api, method);
  refusedOrders(api, secret);
  settledAndVoided(api, secret);
  limited(api);
  for (const { path, method } of OPERATIONS) {
    for (const status of Object.keys(operationOf(path, method).responses)) {
      assert.ok(
        status === 'default' || seen.has(`${method} ${path} ${status}`),
        `${method} ${path} ${status} was seen`,
      );
    }
  }
});

/** What HTTP itself refuses is described once, as the default response. */
function otherFailures(api: Harness, method: string): void {
  const name = operationOf('/orders', method).responses['default']?.$ref?.split('/').at(-1) ?? '';
  const response = document.components.responses[name];
  assert.ok(response !== undefined);
  const timeout = { fault: { code: 'request_timeout', detail: '' } } as const;
  for (const reply of [api.send('PUT', '/v1/orders'), api.send(method, '/v1/orders', timeout)]) {
    assert.ok([405, 408].includes(reply.status));
    assert.ok(validatorOf('/orders', method, reply.status, response)(JSON.parse(reply.text)), reply.text);
    for (const header of Object.keys(response.headers ?? {}))
      assert.ok(reply.headers.has(header.toLowerCase()));
  }
}

function refusedOrders(api: Harness, secret: string): void {
  const order = (options: SendOptions, status: number): void => {
    const reply = api.send('POST', '/v1/orders', { key: secret, body: ORDER, ...options });
    assert.equal(reply.status, status, reply.text);
    conforms('/orders', 'POST', reply);
  };
  order({ body: {} }, 400);
  order({ body: { ...ORDER, marketId: 'X' } }, 404);
  order({ body: { ...ORDER, expectedPercent: 99 } }, 409);
  order({ contentType: 'text/plain' }, 415);
  order({ fault: { code: 'body_too_large', detail: '' } }, 413);
  api.submit({ kind: 'suspendMarket', market: 0, suspended: true });
  order({}, 503);
  api.submit({ kind: 'suspendMarket', market: 0, suspended: false });
  order({ idempotencyKey: 'k' }, 201);
  order({ idempotencyKey: 'k' }, 201);
}

/** Settled, voided, upcoming: the shapes that values take over the life of a round. */
function settledAndVoided(api: Harness, secret: string): void {
  const readAll = (): void => {
    for (const { path, method, actual, options } of OPERATIONS) {
      if (method === 'GET')
        conforms(path, method, api.send(method, `/v1${actual}`, { key: secret, ...options }));
    }
  };
  api.closeMinute(101);
  readAll();
  api.order(secret, ORDER);
  api.clock.pass(MINUTE_MS);
  api.advance();
  readAll();
  api.closeMinute(null);
  readAll();
}

function limited(api: Harness): void {
  const { secret } = api.bettor();
  const handler = api.newApi({ keyRead: 1, keyWrite: 1, account: 1_000, ip: 1_000 });
  for (const { path, method, actual, options } of OPERATIONS) {
    for (let i = 0; i < 2; i++) {
      const reply = api.send(method, `/v1${actual}`, { key: secret, ...options }, handler);
      conforms(path, method, reply);
      if (i === 1) assert.equal(codeOf(reply), 'rate_limited');
    }
  }
}
