/**
 * The facts of a data directory (feed, clock and source of the rules) across restarts: a variable that is not set
 * changes nothing, and one that contradicts them is refused unless the change is allowed.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Setup } from '../../../engine/model/setup.js';
import { newDataDir, Server, startRefused } from '../../support/processes/server.js';

const SANDBOX: Setup = { feed: 'push', clock: 'manual', rulesFrom: 'defaults' };
/** As a start by TOTE_DATA_DIR alone. */
const NOTHING_SAID = { TOTE_FEED: undefined, TOTE_CLOCK: undefined };

async function setupOf(server: Server): Promise<Setup> {
  return (await server.operator.get<{ setup: Setup }>('/status')).data.setup;
}

test('a restart without the variables settles a bet by the pushed prices that it was placed on; another feed is refused, naming both, unless the change is allowed', async () => {
  const dir = newDataDir();
  // No bet may be open to which the real clock comes late.
  const first = await Server.start({ dataDir: dir, env: { TOTE_CLOCK_START: '2026-06-10T00:00:00Z' } });
  await first.toNextDay();
  await first.push({ BTC: 95_000 });
  const { secret, api } = await first.createBettor({ balance: 100 });
  const bet = { marketId: 'BTC_FIVE_MINUTES', prediction: 'UP', amount: 50 };
  assert.equal((await api.post('/orders', bet)).status, 201);
  await first.stop();

  const second = await Server.start({ dataDir: dir, env: NOTHING_SAID });
  assert.deepEqual(await setupOf(second), SANDBOX);
  await second.advance(300_000 - 2_000);
  await second.push({ BTC: 95_001 });
  await second.advance(4_000);
  const positions = await second.api(secret).get<{ result: string }[]>('/positions?status=all');
  const results = positions.data.map(({ result }) => result);
  assert.deepEqual(results, ['WIN']);
  await second.stop();

  const env = { TOTE_FEED: 'simulated', TOTE_CLOCK: 'system' };
  const refused = await startRefused({ dataDir: dir, env });
  assert.equal(refused.code, 1);
  assert.match(
    refused.logText,
    /runs with the feed "push", and the feed "simulated" was asked for; .*TOTE_CHANGE_SETUP=feed/,
  );
  const changed = await Server.start({ dataDir: dir, env: { ...env, TOTE_CHANGE_SETUP: 'feed, clock' } });
  assert.deepEqual(await setupOf(changed), { feed: 'simulated', clock: 'system', rulesFrom: 'defaults' });
  const { stderr } = await changed.stop();
  assert.match(stderr, /the feed \\"push\\" before, the feed \\"simulated\\" from now on/);
});
