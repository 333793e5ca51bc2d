/** `tote verify-bet` from single values: the bet and the round that the API guide shows verify as the guide says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tote } from '../../../support/processes/cli.js';

const GUIDE: Readonly<Record<string, string>> = {
  'bet-id': 'bet_1',
  market: 'BTC_ONE_MINUTE',
  prediction: 'UP',
  amount: '25',
  odds: '1.9756',
  'entry-percent': '50.62',
  payout: '47.9',
  'placed-at': '2026-06-10T12:00:11.983Z',
  'bet-hash': 'ce77ae667a24337c4549748d1e4a08a3ed38850e9fba7cfd73d95439e82cc61d',
  'client-seed': 'my seed',
  'round-id': 'BTC_ONE_MINUTE_29684880',
  seed: '96aaeacd12281adee3f2b1a78c3c30f84abf710af5f246372c2200e1bd80b7fd',
  commitment: 'f0c0f5822a92ecb85fd710110f3b6f315855054cb29addab691e212bda088a9b',
};

const verify = (values: Readonly<Record<string, string>>, ...options: string[]) =>
  tote(['verify-bet', ...Object.entries(values).map(([name, value]) => `--${name}=${value}`), ...options]);

test('the example of the guide verifies, in JSON too, without any data directory', async () => {
  const told = await verify(GUIDE);
  assert.equal(told.code, 0, told.stderr);
  assert.equal(told.stdout.split('\n').filter((line) => line.startsWith('ok ')).length, 4);
  assert.match(told.stdout, /\nOK\n$/);
  assert.deepEqual(JSON.parse((await verify(GUIDE, '--json')).stdout), {
    bet: 'bet_1',
    round: 'BTC_ONE_MINUTE_29684880',
    valid: true,
  });
});

test('with one value altered it does not', async () => {
  const altered: Readonly<Record<string, string>> = {
    'bet-id': 'bet_2',
    market: 'ETH_ONE_MINUTE',
    prediction: 'DOWN',
    odds: '1.9757',
    'placed-at': '2026-06-10T12:00:11.984Z',
    'client-seed': 'my seed ',
    seed: GUIDE['commitment'] ?? '',
  };
  for (const [name, value] of Object.entries(altered)) {
    const told = await verify({ ...GUIDE, [name]: value });
    assert.equal(told.code, 1, name);
    assert.match(told.stdout, /^FAILED /m);
  }
});

test('a missing client seed is suggested as the cause', async () => {
  const { 'client-seed': _, ...others } = GUIDE;
  const told = await verify(others);
  assert.equal(told.code, 1);
  assert.match(told.stderr, /name it with --client-seed/);
});

test('a value that is not a number is refused', async () => {
  const told = await verify({ ...GUIDE, amount: '25 USD', odds: '1e0' });
  assert.equal(told.code, 2);
  assert.match(told.stderr, /--amount, --odds/);
});
