/** A port that is taken before the server is ready. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpHandler } from '../../../engine/model/ports.js';
import { HeldRequests } from '../../../http/uws/held-requests.js';
import { UwsTransport } from '../../../http/uws/transport.js';
import { systemClock } from '../../../process/clock.js';
import { RawClient } from '../../support/http/raw-client.js';

const refuseFatal = (error: unknown): never => {
  throw error;
};

test('a request that comes before the server is ready is held, body and all', async () => {
  const held = new HeldRequests();
  const transport = new UwsTransport({ clock: systemClock, trustedProxies: [], onFault: refuseFatal });
  let arrived = 0;
  const port = await transport.listen('127.0.0.1', 0, (request, responder) => {
    arrived += 1;
    held.handler(request, responder);
  });
  const client = await RawClient.open(port);
  client.send('POST /v1/orders HTTP/1.1', 'Host: tote', 'X-API-Key: k', 'Content-Length: 4', '', '[42]');
  while (arrived === 0) await new Promise(setImmediate);
  const echo: HttpHandler = ({ path, apiKey, body }, responder) => {
    responder.send(200, [], `${path} ${apiKey} ${Buffer.from(body)}`);
  };
  held.serve(echo);
  assert.match(await client.sees(/orders k /), /\/v1\/orders k \[42\]$/);
  await client.close();
  await transport.close();
});
