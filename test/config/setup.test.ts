/** The setup of a start, from its variables and the facts of its directory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from '../../config/config.js';
import { resolveSetup } from '../../config/setup.js';
import type { Setup } from '../../engine/model/setup.js';

const PUSHED: Setup = { feed: 'push', clock: 'manual', rulesFrom: 'defaults' };

test('a new directory takes the given variables, and defaults for the rest', () => {
  const { setup, config, changes } = resolveSetup(readConfig({ TOTE_FEED: 'push' }), null);
  assert.deepEqual(setup, { feed: 'push', clock: 'system', rulesFrom: 'defaults' });
  assert.deepEqual([config.feed, config.clock, changes], ['push', 'system', []]);
  const sandbox = resolveSetup(readConfig({ TOTE_CLOCK: 'manual' }), null).setup;
  assert.deepEqual(sandbox, { feed: 'simulated', clock: 'manual', rulesFrom: 'defaults' });
});

test('in production prices are simulated only if a variable says so', () => {
  const production = { NODE_ENV: 'production' };
  const simulated: Setup = { ...PUSHED, feed: 'simulated' };
  for (const known of [null, simulated])
    assert.match(assertRefused(production, known).message, /TOTE_FEED: is not set, .*hermes, coinbase/);
  const said = readConfig({ ...production, TOTE_FEED: 'simulated' });
  assert.equal(resolveSetup(said, null).setup.feed, 'simulated');
  assert.equal(resolveSetup(readConfig(production), PUSHED).setup.feed, 'push');
});

test('permission to change a fact that stays the same has no effect', () => {
  const { setup, changes } = resolveSetup(readConfig({ TOTE_CHANGE_SETUP: 'feed,clock,rules' }), PUSHED);
  assert.deepEqual([setup, changes], [PUSHED, []]);
});

test('a feed that this version does not have is refused, and can be replaced with permission', () => {
  const later: Setup = { ...PUSHED, feed: 'oracle' };
  const { message } = assertRefused({}, later);
  assert.match(message, /runs with the feed "oracle", which this version does not have/);
  const { changes } = resolveSetup(readConfig({ TOTE_FEED: 'push', TOTE_CHANGE_SETUP: 'feed' }), later);
  assert.deepEqual(changes, ['the feed "oracle" before, the feed "push" from now on']);
});

test('all facts that differ are reported at once', () => {
  const given = { TOTE_FEED: 'simulated', TOTE_CLOCK: 'system', TOTE_RULES_FILE: 'none' };
  const { mistakes } = assertRefused(given, { ...PUSHED, rulesFrom: 'file' });
  const named = mistakes.map((mistake) => mistake.split(':')[0]);
  assert.deepEqual(named, ['TOTE_FEED', 'TOTE_CLOCK', 'TOTE_RULES_FILE']);
});

function assertRefused(env: Readonly<Record<string, string>>, known: Setup | null): ConfigError {
  try {
    resolveSetup(readConfig(env), known);
  } catch (thrown) {
    assert.ok(thrown instanceof ConfigError);
    return thrown;
  }
  assert.fail('it was taken');
}

test('live prices need the clock of the system, and the service at the default address needs a key', () => {
  const feed = { TOTE_FEED: 'hermes' };
  const mistakesOf = (env: Record<string, string>) => assertRefused({ ...feed, ...env }, null).message;
  const sentence = /1 mistake.*\n.*TOTE_HERMES_API_KEY: is not set; expected the key of the service at pyth/;
  assert.match(mistakesOf({}), sentence);
  // A service of one's own may need none.
  for (const env of [{ TOTE_HERMES_API_KEY: 'some-key' }, { TOTE_HERMES_URL: 'http://localhost:4000' }])
    assert.equal(resolveSetup(readConfig({ ...feed, ...env }), null).config.feed, 'hermes');
  const manual = mistakesOf({ TOTE_HERMES_API_KEY: 'some-key', TOTE_CLOCK: 'manual' });
  assert.match(manual, /TOTE_CLOCK: live prices \(the feed "hermes"\) need the clock "system"/);
});
