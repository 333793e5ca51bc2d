/** The threads of the gateways: a programming error in one of them reaches the engine's thread, which ends the process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { DEFAULT_RATE_LIMITS } from '../../../config/rate-limits.js';
import { betHashesMemory } from '../../../crypto/bet-hashes.js';
import { defaultRules } from '../../../engine/model/rules.js';
import { boardMemory } from '../../../http/board/markets.js';
import { rightsMemory } from '../../../http/board/rights.js';
import { broadcastMemory } from '../../../http/broadcast/records.js';
import { Gateways } from '../../../http/gateway/gateways.js';
import { startWorker } from '../../../http/gateway/start.js';
import { LIMITS_CAPACITY } from '../../../http/limits/shared-limits.js';
import { figuresMemory } from '../../../http/metrics/memory.js';
import { tracesMemory } from '../../../http/metrics/order-traces.js';
import { RingService } from '../../../http/rings/service.js';
import { streamsMemory } from '../../../http/stream/limits.js';
import { CONNECTION_CELLS_BYTES } from '../../../http/uws/connection-limits.js';
import { TEST_SIGNING } from '../../support/engine/signing.js';

const service = new RingService({
  schedule: setImmediate,
  serve: () => assert.fail('no request comes'),
  beforeReplies: () => undefined,
  monotonicMs: () => 0,
});
const figures = figuresMemory(2);

test('a programming error in a gateway is told, and all gateways still close', async () => {
  let tell: (error: unknown) => void = () => undefined;
  const told = new Promise<unknown>((resolve) => {
    tell = resolve;
  });
  const never = (): never => assert.fail('no request comes');
  const gateways = new Gateways(
    2,
    startWorker('operator'),
    { pending: 0, place: never, ask: never },
    (error) => tell(error),
  );
  const port = {
    openConnections: new SharedArrayBuffer(CONNECTION_CELLS_BYTES),
    connectionsMax: 10,
    requestIdPrefix: 'test',
    logLevel: 'error',
    traces: tracesMemory(1),
  } as const;
  const setup = {
    ...port,
    rights: rightsMemory(),
    board: boardMemory(),
    broadcast: broadcastMemory(),
    streams: streamsMemory(),
    manualClock: null,
    tls: null,
    trustedProxies: [],
    // Less memory than the limits need.
    limits: {
      settings: DEFAULT_RATE_LIMITS,
      capacity: LIMITS_CAPACITY,
      seed: 1,
      memory: new SharedArrayBuffer(64),
    },
    masterSecret: new Uint8Array(32),
    betHashes: betHashesMemory(),
    signing: TEST_SIGNING,
  };
  await gateways.listen(setup, figures.gateways, service, '127.0.0.1', 0);
  const operators = {
    ...port,
    host: '127.0.0.1',
    port: 0,
    tokens: [],
    sessionKey: Buffer.alloc(32),
    tls: null,
    board: setup.board,
    figures,
    version: 'test',
    routes: [],
    dataDir: 'data',
  };
  await gateways.listenForOperators(operators);
  const forOperators = { answer: () => assert.fail('no operator asks'), onRefusals: () => undefined };
  gateways.serve(defaultRules('0'.repeat(64)), forOperators, () => new MessageChannel().port1);
  const error = await told;
  assert.ok(error instanceof Error);
  assert.match(error.message, /the buffer holds all of its parts/);
  await gateways.close();
});
