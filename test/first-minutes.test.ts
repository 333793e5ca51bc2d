/** A newcomer's first minutes: command lines that place a bet and show its result. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Server } from './support/processes/server.js';

const sh = async (line: string): Promise<string> => (await promisify(execFile)('sh', ['-c', line])).stdout;

test('the printed lines bet on the round that ends first with a minute of betting left, and show the result', async (t) => {
  const cases = [
    { atMs: 0, market: 'BTC_FIVE_MINUTES', endsMs: 300_000 },
    { atMs: 205_000, market: 'BTC_FIVE_MINUTES', endsMs: 300_000 },
    { atMs: 205_001, market: 'BTC_FIFTEEN_MINUTES', endsMs: 900_000 },
  ];
  for (const { atMs, market, endsMs } of cases) {
    const server = await Server.startFor(t, { env: { TOTE_DEMO: '1' } });
    const startMs = (await server.toNextDay()) - 1_000;
    if (atMs > 0) await server.advance(atMs - 1_000);
    await server.push({ BTC: 100 });
    const [text, line = '', end = '', look = ''] =
      /^(curl .*)\n\nThe round ends at (\S+)\. .*:\n {2}(curl .*)\n/m.exec(await server.demo()) ?? [];
    assert.equal(end, new Date(startMs + endsMs).toISOString(), text);
    assert.match(await sh(line), new RegExp(`"marketId":"${market}".*"status":"ACTIVE"`), line);
    assert.match(await sh(look), /"status":"ACTIVE","result":null/);
    await server.advance(startMs + endsMs - 1 - (await server.nowMs()));
    await server.push({ BTC: 101 });
    await server.advance(3_000);
    assert.match(await sh(look), /"status":"SETTLED","result":"WIN"/);
  }
});
