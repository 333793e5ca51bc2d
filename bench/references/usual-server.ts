/** The conventional design: Fastify in front of SQLite tables, one transaction an order. */
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import { assert, must } from '../../engine/base/assert.js';
import type { FromUsual, UsualConfig } from './usual-config.js';
import { UsualDesk, type UsualOrder } from './usual-desk.js';

const BODY = {
  type: 'object',
  additionalProperties: false,
  required: ['marketId', 'prediction', 'amount'],
  properties: {
    marketId: { type: 'string' },
    prediction: { type: 'string', enum: ['UP', 'DOWN'] },
    amount: { type: 'number', exclusiveMinimum: 0 },
    expectedPercent: { type: 'number', minimum: 0, maximum: 100 },
    clientSeed: { type: 'string', maxLength: 128 },
  },
};

const config: UsualConfig = JSON.parse(
  readFileSync(must(process.argv[2], 'the file that says what to serve'), 'utf8'),
);
const desk = new UsualDesk(config);
const headers = Object.fromEntries(config.headers);
// As strict as the server under measurement: nothing is dropped from a body or turned into another type.
const app = fastify({ ajv: { customOptions: { removeAdditional: false, coerceTypes: false } } });

app.post<{ Body: UsualOrder }>('/v1/orders', { schema: { body: BODY } }, (request, reply) => {
  const key = request.headers['idempotency-key'];
  const { status, body, isReplay } = desk.place(
    String(request.headers['x-api-key'] ?? ''),
    typeof key === 'string' ? key : null,
    request.body,
  );
  reply.code(status).headers(headers);
  if (isReplay) reply.header('X-Idempotent-Replay', 'true');
  reply.type('application/json').send(body);
});

await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
assert(typeof address === 'object' && address !== null, 'the usual server has an address');
process.send?.({ type: 'listening', port: address.port } satisfies FromUsual);
