/**
 * The threads of the gateways: a programming error in one of them reaches the engine's thread, which ends the process.
 * And the bounds of what a gateway asks the archive and tells the log.
 */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { DEFAULT_RATE_LIMITS } from '../../../config/rate-limits.js';
import { defaultRules } from '../../../engine/model/rules.js';
import { ArchiveClient } from '../../../http/gateway/archive-client.js';
import { Faults } from '../../../http/gateway/faults.js';
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
  front.gateways.serve(defaultRules('0'.repeat(64)), forOperators, () => new MessageChannel().port1);
  const error = await told.next();
  assert.ok(error instanceof Error);
  assert.match(error.message, /the buffer holds all of its parts/);
  await front.gateways.close();
});

test('64 questions wait for the archive, further ones are refused until one is answered', () => {
  const asked: number[] = [];
  const told: unknown[] = [];
  const postMessage = ({ id }: { id: number }): number => asked.push(id);
  const port = Object.assign(new EventEmitter(), { postMessage });
  const { reads } = new ArchiveClient(port as unknown as MessagePort);
  const ask = (): void =>
    reads.betPath({ market: 0, roundNumber: 1, bet: 1, seed: '', reachedSeq: 1 }, (answer) =>
      told.push(answer),
    );
  for (let question = 0; question < 65; question++) ask();
  const detail = 'too many requests wait for the archive; try again';
  assert.deepEqual([asked.length, told.splice(0)], [64, [{ refused: 'overloaded', detail }]]);
  for (let twice = 0; twice < 2; twice++) port.emit('message', { id: 7, answer: null });
  ask();
  assert.deepEqual([told, asked.length, new Set(asked).size], [[null], 65, 65]);
});

test('errors of clients are all counted, and sixty of a minute are logged', () => {
  let [nowMs, logged, counted] = [0, 0, 0];
  const faults = new Faults({
    log: { write: () => void logged++ },
    thread: 'gateway0',
    monotonicMs: () => nowMs,
    count: () => void counted++,
    onFatal: () => assert.fail('no ring is broken'),
  });
  const seen = [0, 59_999, 60_000].map((atMs) => {
    nowMs = atMs;
    for (let fault = 0; fault < 61; fault++) faults.fail(new Error('wrong'));
    return [logged, counted];
  });
  assert.deepEqual(seen, [
    [60, 61],
    [60, 122],
    [120, 183],
  ]);
});
