/** The two ports between their opening and the moment from which they are served. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpHandler } from '../../../engine/model/ports.js';
import { systemClock } from '../../../http/process/clock.js';
import { readConfig } from '../../../http/process/config.js';
import { openPorts } from '../../../http/process/ports.js';
import { RawClient } from '../../support/raw-client.js';

const config = readConfig({ TOTE_PORT: '0', TOTE_OPERATOR_PORT: '0' });
const refuseFatal = (error: unknown): never => {
  throw error;
};

test('a request that arrives before the server is ready is held with its body', async () => {
  const ports = await openPorts(config, systemClock, refuseFatal);
  const client = await RawClient.open(Number(new URL(ports.publicUrl).port));
  client.send('POST /v1/orders HTTP/1.1', 'Host: tote', 'X-API-Key: k', 'Content-Length: 4', '', '[42]');
  const echo: HttpHandler = ({ path, apiKey, body }, responder) => {
    responder.send(200, [], `${path} ${apiKey} ${Buffer.from(body)}`);
  };
  const other = await RawClient.open(Number(new URL(ports.operatorUrl).port));
  // The request has long arrived when the connection opened after it is there and the loop has turned a few times.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  ports.serve(echo, echo);
  assert.match(await client.sees(/orders k /), /\/v1\/orders k \[42\]$/);
  other.send('GET /healthz HTTP/1.1', 'Host: tote', '', '');
  assert.match(await other.sees(/healthz/), /\/healthz {2}$/);
  await client.close();
  await other.close();
  await ports.close();
});
