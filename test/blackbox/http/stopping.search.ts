/** A server that is stopped ends in order, whatever its gateways do at that moment. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Sandbox } from '../../support/api/api-client-sandbox.js';
import { byEffort } from '../../support/effort.js';

const STOPS = byEffort({ test: 1, prove: 4, night: 100 });

function connectOnAndOn({ run, publicUrl }: Sandbox['server']): void {
  const { hostname, port } = new URL(publicUrl);
  const open = (): void => {
    if (!run.isRunning) return;
    const socket = connect(Number(port), hostname);
    socket.on('connect', () => setImmediate(() => socket.destroy()));
    socket.on('error', () => undefined);
    socket.on('close', () => setImmediate(open));
  };
  for (let line = 0; line < 200; line += 1) open();
}

for (const gateways of ['0', '3']) {
  test(`a server with ${gateways} gateways that is stopped while connections arrive ends in order`, async (t) => {
    for (let stop = 0; stop < STOPS; stop += 1) {
      const env = { TOTE_GATEWAYS: gateways, TOTE_LOG_LEVEL: 'info' };
      const stopping = await Sandbox.startFor(t, { env });
      connectOnAndOn(stopping.server);
      await stopping.trader();
      stopping.server.run.signal('SIGTERM');
      const ending = await stopping.server.run.ended;
      assert.equal(ending.code, 0, ending.stderr);
    }
  });
}
