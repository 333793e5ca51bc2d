/** The threads of the gateways: a programming error in one of them reaches the engine's thread, which ends the process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { DEFAULT_RATE_LIMITS } from '../../../config/rate-limits.js';
import { defaultRules } from '../../../engine/model/rules.js';
import { Front } from '../../../http/gateway/front.js';
import { startWorker } from '../../../http/gateway/start.js';
import { LIMITS_CAPACITY } from '../../../http/limits/shared-limits.js';
import { CONNECTION_CELLS_BYTES } from '../../../http/uws/connection-limits.js';
import { Seen } from '../../feeds/support/seen.js';
import { TEST_SIGNING } from '../../support/engine/signing.js';

test('a programming error in a gateway is told, and all gateways still close', async () => {
  const told = new Seen<unknown>();
  const front = new Front(2, startWorker('operator'), (error) => told.add(error));
  const port = {
    openConnections: new SharedArrayBuffer(CONNECTION_CELLS_BYTES),
    connectionsMax: 10,
    requestIdPrefix: 'test',
    logLevel: 'error',
    tls: null,
  } as const;
  // Less memory than the limits need.
  const memory = new SharedArrayBuffer(64);
  const setup = {
    ...port,
    manualClock: null,
    trustedProxies: [],
    limits: { settings: DEFAULT_RATE_LIMITS, capacity: LIMITS_CAPACITY, seed: 1, memory },
    masterSecret: new Uint8Array(32),
    signing: TEST_SIGNING,
  };
  await front.listen(setup, '127.0.0.1', 0);
  const named = { version: 'test', routes: [], dataDir: 'data' };
  const access = { tokens: [], sessionKey: Buffer.alloc(32) };
  await front.listenForOperators({ ...port, ...named, ...access, host: '127.0.0.1', port: 0 });
  const forOperators = { answer: () => assert.fail('no operator asks'), onRefusals: () => undefined };
  front.serve(defaultRules('0'.repeat(64)), forOperators, () => new MessageChannel().port1);
  const error = await told.next();
  assert.ok(error instanceof Error);
  assert.match(error.message, /the buffer holds all of its parts/);
  await front.close();
});
