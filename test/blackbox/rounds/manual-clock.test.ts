/** POST /operator/v1/clock and restarts: an answered time is never lost (design, section 8). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toteText } from '../../support/processes/cli.js';
import { newDataDir, removeDataDir, Server } from '../../support/processes/server.js';

/** So many milliseconds at once: with and without anything that is due on the way. */
const STEPS_MS = [7, 59_993, 1, 86_400_000 + 11, 3];

test('a restart continues at the answered time, however the server ended', async (t) => {
  const dataDir = newDataDir();
  t.after(() => removeDataDir(dataDir));
  let answeredMs = 0;
  for (const [index, stepMs] of STEPS_MS.entries()) {
    const server = await Server.start({ dataDir });
    if (answeredMs > 0) assert.equal(await server.nowMs(), answeredMs);
    const startMs = await server.nowMs();
    if (index === 1) await server.push({ BTC: 67_000 });
    answeredMs = await server.advance(stepMs);
    assert.equal(answeredMs, startMs + stepMs);
    const ending = await (index % 2 === 0 ? server.kill() : server.stop());
    assert.equal(ending.code, index % 2 === 0 ? null : 0, ending.stderr);
  }
  const told = await toteText(['replay', '--explain', '--kind', 'moveClock', dataDir]);
  assert.match(told, new RegExp(`move the clock to ${new Date(answeredMs).toISOString()}`));
  assert.match(await toteText(['verify', dataDir]), /Everything is good/);
});
