/**
 * The facts of a data directory (feed, clock and source of the rules) across restarts: a variable that is not set
 * changes nothing, and one that contradicts them is refused unless the change is allowed.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { toteJson } from '../../support/processes/cli.js';
import { newDataDir, removeDataDir, Server, startRefused } from '../../support/processes/server.js';

const folder = mkdtempSync(join(tmpdir(), 'tote-setup-'));
const dirs: string[] = [];
after(() => {
  for (const dir of [...dirs, folder]) removeDataDir(dir);
});
function dataDir(): string {
  const made = newDataDir();
  dirs.push(made);
  return made;
}

interface Setup {
  readonly feed: string;
  readonly clock: string;
  readonly rulesFrom: string;
}
const SANDBOX: Setup = { feed: 'push', clock: 'manual', rulesFrom: 'defaults' };
/** As a start by TOTE_DATA_DIR alone. */
const NOTHING_SAID = { TOTE_FEED: undefined, TOTE_CLOCK: undefined };

async function setupOf(server: Server): Promise<Setup> {
  return (await server.operator.get<{ setup: Setup }>('/status')).data.setup;
}

/** Starts, looks and stops. */
async function startedWith(dir: string, env: Readonly<Record<string, string | undefined>>): Promise<Setup> {
  const server = await Server.start({ dataDir: dir, env });
  const setup = await setupOf(server);
  assert.equal((await server.stop()).code, 0);
  return setup;
}

test('a restart without the variables settles a bet by the pushed prices that it was placed on', async () => {
  const dir = dataDir();
  const first = await Server.start({ dataDir: dir });
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
  assert.deepEqual(
    positions.data.map(({ result }) => result),
    ['WIN'],
  );
  await second.stop();
});

test('another feed or clock is refused, naming both, unless the change is allowed', async () => {
  const dir = dataDir();
  assert.deepEqual(await startedWith(dir, {}), SANDBOX);
  const env = { TOTE_FEED: 'simulated', TOTE_CLOCK: 'system' };
  for (const word of [undefined, 'clock']) {
    const { code, logText } = await startRefused({ dataDir: dir, env: { ...env, TOTE_CHANGE_SETUP: word } });
    assert.equal(code, 1);
    assert.match(
      logText,
      /TOTE_FEED: this data directory runs with the feed "push", and the feed "simulated" was asked for; .*TOTE_CHANGE_SETUP=feed/,
    );
    assert.equal(/TOTE_CLOCK: .* runs with the clock "manual"/.test(logText), word === undefined);
  }
  assert.deepEqual((await toteJson<{ setup: Setup }>(['status', dir])).setup, SANDBOX);

  const changed = await Server.start({ dataDir: dir, env: { ...env, TOTE_CHANGE_SETUP: 'feed, clock' } });
  const live = { feed: 'simulated', clock: 'system', rulesFrom: 'defaults' };
  assert.deepEqual(await setupOf(changed), live);
  const { stderr } = await changed.stop();
  assert.match(stderr, /the feed \\"push\\" before, the feed \\"simulated\\" from now on/);
  assert.deepEqual((await toteJson<{ setup: Setup }>(['status', dir])).setup, live);
  assert.doesNotMatch(stderr, /foretell/);
  const quiet = await Server.start({ dataDir: dir, env: { ...NOTHING_SAID, TOTE_FEED_SEED: '7' } });
  assert.deepEqual(await setupOf(quiet), live);
  const ended = await quiet.stop();
  assert.doesNotMatch(ended.stderr, /set up/);
  assert.match(
    ended.stderr,
    /TOTE_FEED_SEED is set: anybody who sees some of the simulated prices can foretell/,
  );
});

test('rules from a file stay in force without the variable, and change only if allowed', async () => {
  const dir = dataDir();
  const file = join(folder, 'rules.json');
  writeFileSync(file, JSON.stringify({ limits: { '*': { minStakeCents: 700 } } }));
  const minBet = async (server: Server): Promise<number> => {
    const { api } = await server.createBettor();
    return (await api.get<{ minBet: number }>('/markets/BTC_ONE_DAY')).data.minBet;
  };
  assert.equal((await startedWith(dir, {})).rulesFrom, 'defaults');
  const unasked = await startRefused({ dataDir: dir, env: { TOTE_RULES_FILE: file } });
  assert.match(unasked.logText, /runs with the default rules, and rules from a file was asked for/);

  const asked = { TOTE_RULES_FILE: file, TOTE_CHANGE_SETUP: 'rules' };
  assert.equal((await startedWith(dir, asked)).rulesFrom, 'file');
  rmSync(file);
  const without = await Server.start({ dataDir: dir });
  assert.equal((await setupOf(without)).rulesFrom, 'file');
  assert.equal(await minBet(without), 7);
  await without.stop();

  const none = { TOTE_RULES_FILE: 'none' };
  const refused = await startRefused({ dataDir: dir, env: none });
  assert.match(refused.logText, /runs with rules from a file, and the default rules was asked for/);
  const back = await Server.start({ dataDir: dir, env: { ...none, TOTE_CHANGE_SETUP: 'rules' } });
  assert.equal(await minBet(back), 1);
  await back.stop();
});
