/** Every mistake in the environment is reported by the name of its variable. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withOverrides } from '../../config/compose.js';
import { ConfigError, readConfig } from '../../config/config.js';
import { defaultGateways } from '../../config/config-values.js';
import { mistakesOfProduction, risksOf } from '../../config/production.js';
import { overruled } from '../../config/setup.js';
import { YEARLY_VOLATILITY } from '../../engine/host/ticks/volatility.js';
import { defaultRules } from '../../engine/model/rules.js';
import { newFile, newFolder } from '../support/new-folder.js';

const folder = newFolder();

function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.mistakes;
  }
  return [];
}

test('half of the cores have gateways, and of two none', () => {
  assert.deepEqual([1, 2, 3, 4, 8, 64, 1_000].map(defaultGateways), [0, 0, 1, 2, 4, 32, 64]);
});

test('values are read, and variables of other programs ignored', () => {
  const config = readConfig({
    PATH: '/bin',
    TOTE_HOST: '::1',
    TOTE_PORT: '0',
    TOTE_OPERATOR_PORT: '65535',
    TOTE_OPERATOR_TOKEN: 'a-token-of-my-own',
    TOTE_CLOCK: 'manual',
    TOTE_CLOCK_START: '2026-06-10T12:00:00.250Z',
    TOTE_FEED: 'push',
    TOTE_DEMO: '0',
    TOTE_RATE_LIMITS: 'ip=5, key_read=9',
    TOTE_TRUSTED_PROXIES: '10.0.0.1, ::1, 10.1.0.0/16',
    TOTE_SNAPSHOT_COMMANDS: '250,000',
    TOTE_SEGMENT_MIB: '64',
    TOTE_RETENTION: '30d',
    TOTE_VOLATILITY: 'BTC=0.61, EURUSD=0.2',
  });
  const { host, port, operatorToken, clock, clockStartMs, demo } = config;
  assert.deepEqual([host, port, operatorToken, demo], ['::1', 0, 'a-token-of-my-own', false]);
  assert.equal(config.operatorPort, 65_535);
  assert.deepEqual([clock, clockStartMs], ['manual', Date.parse('2026-06-10T12:00:00.250Z')]);
  assert.deepEqual(config.rateLimits, { keyRead: 9, keyWrite: 30, keyCancel: 120, account: 240, ip: 5 });
  assert.deepEqual(config.trustedProxies, ['10.0.0.1', '::1', '10.1.0.0/16']);
  assert.equal(readConfig({ TOTE_RATE_LIMITS: 'off' }).rateLimits, null);
  const cancels = (text: string) => readConfig({ TOTE_RATE_LIMITS: text }).rateLimits?.keyCancel;
  assert.deepEqual([cancels('key_write=50'), cancels('key_write=50,key_cancel=60')], [200, 60]);
  assert.deepEqual([config.snapshotCommands, config.segmentBytesMax], [250_000, 67_108_864]);
  assert.deepEqual(config.volatility, { ...YEARLY_VOLATILITY, BTC: 0.61, EURUSD: 0.2 });
  const live = readConfig({
    TOTE_FEED: ' coinbase, hermes ',
    TOTE_COINBASE_URL: 'ws://[::1]:4001',
    TOTE_HERMES_URL: 'http://127.0.0.1:4000/hermes/',
    TOTE_HERMES_API_KEY: 'some-key',
  });
  const { feed, hermesUrl, hermesApiKey } = live;
  assert.deepEqual([feed, hermesUrl.pathname, hermesApiKey], ['coinbase,hermes', '/hermes/', 'some-key']);
  assert.equal(live.coinbaseUrl.host, '[::1]:4001');
  const kept = ['12h', 'all'].map((text) => readConfig({ TOTE_RETENTION: text }).retentionMs);
  assert.deepEqual([config.retentionMs, ...kept], [2_592_000_000, 43_200_000, null]);
});

test('the replicated log needs its servers, and nothing of it is set in vain', () => {
  const options = { TOTE_ROLE: 'auto', TOTE_LEASE_SECONDS: '60', TOTE_REPLICATION_CA: 'ca.pem' };
  const config = readConfig({ TOTE_REPLICATION: 'tls://a, b:4300,[::1]:1', ...options });
  const three = { servers: ['a:4222', 'b:4300', '[::1]:1'], isTls: true };
  assert.deepEqual([config.replication, config.role, config.leaseMs], [three, 'auto', 60_000]);
  assert.throws(() => readConfig({ TOTE_ROLE: 'auto' }), /TOTE_ROLE: is of use only with TOTE_REPLICATION/);
  const named = readConfig({ TOTE_REPLICATION: 'nats://a.b-c.1x., nats://b:4300,10.0.0.1' });
  const ofNamed = { servers: ['a.b-c.1x.:4222', 'b:4300', '10.0.0.1:4222'], isTls: false };
  assert.deepEqual(named.replication, ofNamed);
  assert.equal(readConfig({ TOTE_REPLICATION: 'off' }).replication, null);
  const [plain] = mistakesOf({ TOTE_REPLICATION: 'nats://a', TOTE_REPLICATION_CA: 'ca.pem' });
  assert.equal(plain, 'TOTE_REPLICATION_CA: is of use only with tls:// in TOTE_REPLICATION');
});

const NO_HOSTS = ['a host', 'a..b', '.', '-a', 'a-', 'a.-b', '10.0.0.300', '[:::::]', `${'a'.repeat(64)}.b`];
const BAD_VALUES: readonly (readonly [name: string, value: string, expected: RegExp])[] = [
  ['TOTE_PORT', '65536', /port number/],
  ['TOTE_VOLATILITY', 'DOGE=1', /assets of BTC, ETH/],
  ['TOTE_VOLATILITY', 'BTC=1,BTC=2', /at most once/],
  ['TOTE_VOLATILITY', 'BTC=10.1', /from 0\.01 to 10/],
  ['TOTE_VOLATILITY', 'BTC=0', /from 0\.01 to 10/],
  ['TOTE_PORT', '-1', /port number/],
  ['TOTE_OPERATOR_HOST', '', /IP address or a host name/],
  ['TOTE_OPERATOR_PORT', '80a', /port number/],
  ['TOTE_OPERATOR_TOKEN', 'with spaces in it', /visible ASCII/],
  ['TOTE_OPERATOR_TOKEN', 'fifteen-letters', /16 to 255 visible ASCII/],
  ['TOTE_DATA_DIR', '', /a path/],
  ['TOTE_FEED', 'live', /simulated, push, hermes, coinbase, or several of the last 2/],
  ['TOTE_FEED', 'hermes,push', /in order of preference/],
  ['TOTE_FEED', 'hermes,hermes', /in order of preference/],
  ['TOTE_COINBASE_URL', 'wss://exchange.example/?key=hidden', /without user/],
  ['TOTE_COINBASE_URL', 'wss://:hidden@exchange.example/', /without user/],
  ['TOTE_COINBASE_URL', 'https://exchange.example', /wss:\/\/, or with ws:\/\/ on this machine/],
  ['TOTE_HOLIDAYS_FILE', '/does/not/exist.json', /JSON files of closures.*cannot be read/],
  ['TOTE_HERMES_URL', 'hermes.example', /an address with https:\/\//],
  ['TOTE_HERMES_URL', 'http://hermes.example/', /http:\/\/ on this machine/],
  ['TOTE_HERMES_URL', 'https://user@hermes.example/', /without user/],
  ['TOTE_HERMES_URL', 'https://hermes.example/?key=1', /without user/],
  ['TOTE_HERMES_API_KEY', 'with spaces in it', /visible ASCII/],
  ['TOTE_CLOCK', 'fast', /system, manual/],
  ['TOTE_CLOCK_START', '2026-02-30T00:00:00Z', /a time since 1970 in UTC/],
  ['TOTE_CLOCK_START', '2026-06-10', /a time since 1970 in UTC/],
  ['TOTE_DEMO', 'yes', /0, 1/],
  ['TOTE_RATE_LIMITS', 'key_reads=5', /key_read=/],
  ['TOTE_RATE_LIMITS', 'ip=5,ip=6', /at most once/],
  ['TOTE_RATE_LIMITS', 'ip=0', /key_read=/],
  ['TOTE_TRUSTED_PROXIES', '10.0.0.1,proxy.example', /IP addresses/],
  ['TOTE_TRUSTED_PROXIES', '10.0.0.0/33', /IP addresses/],
  ['TOTE_DURABILITY', 'none', /fsync, os/],
  ['TOTE_REPLICATION', 'nats.example.com', /"off", or nats:/],
  ['TOTE_REPLICATION', 'nats://a,,b', /"off", or nats:/],
  ['TOTE_REPLICATION', 'nats://tote:hidden@a', /"off", or nats:/],
  ['TOTE_REPLICATION', 'nats://a,tls://b', /"off", or nats:/],
  ['TOTE_REPLICATION', 'nats://a:65536', /"off", or nats:/],
  ['TOTE_REPLICATION', 'nats://a/x', /"off", or nats:/],
  ...NO_HOSTS.map((host) => ['TOTE_REPLICATION', `nats://${host}`, /"off", or nats:/] as const),
  ...NO_HOSTS.map((host) => ['TOTE_HOST', host, /IP address or a host name/] as const),
  ...['a,a:4222', 'a,A', 'a,a.', 'a.:04222,a', '[::1],[0:0:0:0:0:0:0:1]'].map(
    (twice) => ['TOTE_REPLICATION', `nats://${twice}`, /each once/] as const,
  ),
  ['TOTE_ROLE', 'master', /leader, standby, auto/],
  ['TOTE_NODE', 'a b', /letters, digits/],
  ['TOTE_LEASE_SECONDS', '0', /a whole number from 1 to 60/],
  ['TOTE_REPLICATION_STREAM', 'a.b', /letters, digits/],
  ['TOTE_SNAPSHOT_COMMANDS', '0', /whole number from 1 to/],
  ['TOTE_SNAPSHOT_COMMANDS', '10,00', /whole number from 1 to/],
  ['TOTE_SEGMENT_MIB', '65537', /whole number from 1 to 65536/],
  ['TOTE_RETENTION', '30', /"all", or how long, in hours or days/],
  ['TOTE_RETENTION', '0d', /"all", or how long, in hours or days/],
  ['TOTE_CHANGE_SETUP', 'feeds', /some of feed, clock, rules/],
  ['TOTE_CHANGE_SETUP', 'feed,feed', /some of feed, clock, rules/],
  ['TOTE_LOG_LEVEL', 'verbose', /fatal, error, warn/],
  ['TOTE_RULES_FILE', '/does/not/exist.json', /cannot be read/],
];

for (const [name, value, expected] of BAD_VALUES) {
  test(`${name}=${JSON.stringify(value)} is refused`, () => {
    const mistakes = mistakesOf({ [name]: value });
    assert.equal(mistakes.length, 1);
    assert.match(mistakes[0] ?? '', expected);
    assert.ok(mistakes[0]?.startsWith(`${name}: `));
    assert.doesNotMatch(mistakes[0] ?? '', /hidden/);
  });
}

test('a secret comes from its variable, a file or a credential, from one of them alone, and not from what others read', () => {
  const [key, open] = [join(folder, 'TOTE_HERMES_API_KEY'), join(folder, 'open')];
  writeFileSync(key, 'key-of-the-file\n', { mode: 0o600 });
  writeFileSync(open, 'key-of-the-file\n', { mode: 0o644 });
  const inFile = { TOTE_HERMES_API_KEY_FILE: key };
  for (const env of [inFile, { CREDENTIALS_DIRECTORY: folder }])
    assert.equal(readConfig(env).hermesApiKey, 'key-of-the-file');
  assert.equal(readConfig({ CREDENTIALS_DIRECTORY: join(folder, 'none') }).hermesApiKey, null);
  const refused: readonly (readonly [env: Record<string, string>, expected: RegExp])[] = [
    [{ TOTE_HERMES_API_KEY_FILE: open }, /TOTE_HERMES_API_KEY: .*other users cannot read: chmod o= .*open$/],
    [{ TOTE_HERMES_API_KEY_FILE: `${key}x` }, /^TOTE_HERMES_API_KEY: .*can be read: ENOENT/],
    [{ ...inFile, TOTE_HERMES_API_KEY: 'in-clear' }, /expected one of TOTE_HERMES_API_KEY, /],
    [{ ...inFile, CREDENTIALS_DIRECTORY: folder }, /and the credential TOTE_HERMES_API_KEY/],
    [{ TOTE_OPERATOR_TOKEN_FILE: key }, /^TOTE_OPERATOR_TOKEN: its value in .*HERMES_API_KEY is not valid; /],
    [{ TOTE_PORT_FILE: key }, /^TOTE_PORT_FILE: no such variable/],
  ];
  for (const [env, expected] of refused) assert.match(mistakesOf(env).join(), expected);
});

test('a token or key that is refused is not shown', () => {
  assert.doesNotMatch(mistakesOf({ TOTE_HERMES_API_KEY: 'pass word 1' }).join(), /pass word/);
  assert.doesNotMatch(mistakesOf({ TOTE_HERMES_URL: 'ftp://a.example/my-token' }).join(), /my-token/);
  assert.doesNotMatch(mistakesOf({ TOTE_OPERATOR_TOKEN: 'pass word 1' }).join(), /pass word/);
});

test('all mistakes are reported at once, and a misspelt name gets a suggestion', () => {
  const misspelt = { TOTE_PROT: '80', TOTE_SOMETHING_ELSE: '1' };
  const mistakes = mistakesOf({ ...misspelt, TOTE_DEMO: 'no', TOTE_CLOCK: 'x' });
  assert.equal(mistakes.length, 4);
  assert.ok(mistakes.includes('TOTE_PROT: no such variable; did you mean TOTE_PORT?'));
  assert.ok(mistakes.includes('TOTE_SOMETHING_ELSE: no such variable; docs/ops/configuration.md has all'));
});

test('one port for both servers is refused', () => {
  assert.match(mistakesOf({ TOTE_PORT: '9000', TOTE_OPERATOR_PORT: '9000' }).join(), /TOTE_OPERATOR_PORT/);
});

test('a rules file changes what it names and nothing else', () => {
  const path = newFile({
    markets: ['BTC_ONE_MINUTE', 'ETH_ONE_DAY'],
    limits: {
      '*': { house: { seedCents: 7 } },
      ONE_MINUTE: { lockLeadMs: 6_000 },
      BTC: { maxStakeCents: 500 },
      ETH: { house: { policy: 'fair' } },
      ETH_ONE_DAY: { house: { seedCents: 8, shadeE6: 0 } },
    },
    tiers: { SILVER: { maxStakeCents: 2_000_00 } },
    feeBps: 250,
    lossLimits: { assetCents: 7 },
    news: { CPI: { at: '2026-12-10T13:30Z', minutes: 10, assets: ['BTC'], factor: 4 } },
  });
  const rules = withOverrides('print', readConfig({ TOTE_RULES_FILE: path }).rules?.overrides ?? {});
  const both = { minStakeCents: 100, quoteAgeMs: 2_000, maxPriceAgeMs: 10_000 };
  const house = { policy: 'fair', seedCents: 7, shadeE6: 600_000, clampE6: 20_000 };
  const ofEth = { ...house, seedCents: 8, shadeE6: 0 };
  assert.deepEqual(rules.markets, [
    { ...both, marketId: 'BTC_ONE_MINUTE', lockLeadMs: 6_000, maxStakeCents: 500, house },
    { ...both, marketId: 'ETH_ONE_DAY', lockLeadMs: 300_000, maxStakeCents: 1_000_000, house: ofEth },
  ]);
  assert.deepEqual(rules.tiers[1], { tier: 'SILVER', maxStakeCents: 200_000, activeKeysMax: 2 });
  const { tiers, feeBps, cutoffMs, masterSecretFingerprint } = rules;
  assert.deepEqual([tiers.length, feeBps, cutoffMs, masterSecretFingerprint], [5, 250, 20_000, 'print']);
  assert.deepEqual(rules.lossLimits, { ...defaultRules('').lossLimits, assetCents: 7 });
  const cpi = { at: '2026-12-10T13:30Z', atMs: Date.UTC(2026, 11, 10, 13, 30), minutes: 10 };
  assert.deepEqual(rules.news, { CPI: { ...cpi, assets: ['BTC'], factor: 4 } });
});

test('a later layer changes the part of a profile that it names, and takes the place of news of one name', () => {
  const [hours, weekdays] = [Array(24).fill(2), Array(7).fill(3)];
  const rules = withOverrides('', { profiles: { BTC: { hours } } }, { profiles: { BTC: { weekdays } } });
  assert.deepEqual(rules.profiles, { BTC: { hours, weekdays } });
  const cpi = { at: '2026-12-10T13:30Z', minutes: 10 };
  const file = { feeBps: 1, news: { CPI: { ...cpi, factor: 4 }, GDP: cpi } };
  const operator = { news: { CPI: cpi } };
  assert.equal(withOverrides('', file, operator).news['CPI']?.factor, undefined);
  assert.deepEqual(overruled({ file, operator }), ['news.CPI.at', 'news.CPI.factor', 'news.CPI.minutes']);
});

const BAD_RULES: readonly (readonly [content: unknown, expected: RegExp])[] = [
  ['{', /cannot be read/],
  [{ feeBsp: 1 }, /feeBsp is not a known field/],
  [{ feeBps: 10_000 }, /feeBps must be .*at most 9999/],
  [{ lossLimits: { allCents: 0 } }, /lossLimits\.allCents must be .*at least 1/],
  [{ news: { CPI: { at: '2026-12-10 13:30', minutes: 10 } } }, /news\.CPI\.at must be text of the form/],
  [
    { news: { CPI: { at: '2026-02-30T13:30Z', minutes: 10 } } },
    /news\.CPI\.at: 2026-02-30T13:30Z does not exist/,
  ],
  [{ news: { CPI: { at: '2026-12-10T13:30Z', minutes: 10, assets: ['BTX'] } } }, /assets\[0\] must be/],
  [{ news: { CPI: { at: '2026-12-10T13:30Z', minutes: 10, factor: 0 } } }, /factor must be .*above 0/],
  [{ profiles: { BTC: { hours: [1] } } }, /profiles\.BTC\.hours must be .*at least 24/],
  [{ profiles: { BTX: {} } }, /profiles: "BTX" does not exist/],
  [{ feeBps: 0.5 }, /feeBps must be a whole number from 0$/],
  [{ feeBps: 5e9 }, /feeBps must be a number, at most 9999$/],
  [{ limits: { BTC: { house: { seedCents: 0 } } } }, /limits\.BTC\.house\.seedCents must be .*at least 1/],
  [
    { limits: { BTC: { maxStakeCents: 9e12 + 1 } } },
    /limits\.BTC\.maxStakeCents must be .*at most 9000000000000/,
  ],
  [{ historyBetsMax: 199 }, /historyBetsMax must be .*at least 200/],
  [{ limits: { BTX: {} } }, /limits: "BTX" does not exist/],
  [{ news: { '\ud800': { at: '2026-06-10T12:30Z', minutes: 1 } } }, /news: ".*" has half a surrogate pair/],
  [{ markets: ['DOGE_ONE_MINUTE'] }, /markets: "DOGE_ONE_MINUTE" does not exist$/],
  [{ limits: { DOGE_ONE_MINUTE: {} } }, /limits: "DOGE_ONE_MINUTE" does not exist$/],
  [{ limits: { ONE_MINUTE: { lockLeadMs: 30_000 } } }, /; BTC_ONE_MINUTE and 13 more: [^;]*no time to bet$/],
  [{ limits: { '*': { minStakeCents: 2_000_000 } } }, /above maxStakeCents/],
  [{ limits: { BTC: { house: { policy: 'fare' } } } }, /limits\.BTC\.house\.policy must be/],
  [
    { limits: { BTC: { house: { policy: 'fair' } } }, feeBps: 199 },
    /; BTC_ONE_MINUTE and 69 more: house\.clampE6 20000 is above the fee[^;]*$/,
  ],
  [{ masterSecretFingerprint: 'x' }, /masterSecretFingerprint is not a known field/],
];

for (const [content, expected] of BAD_RULES) {
  test(`the rules file ${JSON.stringify(content)} is refused`, () => {
    assert.match(mistakesOf({ TOTE_RULES_FILE: newFile(content) }).join(), expected);
  });
}

test('variables of bots in the same shell are none of the server’s', () => {
  const env = { TOTE_API_KEY: 'tote_x', TOTE_API_URL: 'http://127.0.0.1:8080/v1', TOTE_OPERATOR_URL: 'x' };
  assert.deepEqual(readConfig(env), readConfig({}));
});

test('in production the operator port leaves this machine with TLS alone', () => {
  const production = { NODE_ENV: 'production' };
  for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    assert.deepEqual(mistakesOf({ ...production, TOTE_OPERATOR_HOST: host }), []);
  for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.example.com']) {
    const sentence = /^TOTE_OPERATOR_HOST: .*TLS/;
    assert.match(mistakesOf({ ...production, TOTE_OPERATOR_HOST: host }).join(), sentence);
    assert.deepEqual(mistakesOf({ TOTE_OPERATOR_HOST: host }), []);
    const files = { operatorTlsCertFile: 'cert.pem', operatorTlsKeyFile: 'key.pem' };
    const config = { ...readConfig({ TOTE_OPERATOR_HOST: host }), ...files, isProduction: true };
    assert.deepEqual(mistakesOfProduction(config), []);
  }
});

test('each setting of production that gives something up is told', () => {
  const risks = (env: Record<string, string>): string[] =>
    risksOf(readConfig({ NODE_ENV: 'production', ...env })).map((risk) => risk.split(/[=:]/)[0] ?? '');
  const weak = { TOTE_RATE_LIMITS: 'off', TOTE_LATE_FRAMES: 'ONE_DAY', TOTE_DURABILITY: 'os' };
  const pretended = { TOTE_FEED: 'simulated', TOTE_CLOCK: 'manual', TOTE_HOST: '0.0.0.0' };
  assert.deepEqual(risks({ ...weak, ...pretended }).sort(), Object.keys({ ...weak, ...pretended }).sort());
  assert.deepEqual(risks({ TOTE_FEED: 'hermes' }), []);
  assert.deepEqual(risks({ TOTE_HOST: '10.0.0.1', TOTE_TRUSTED_PROXIES: '10.0.0.2' }), []);
  assert.deepEqual(risks({ ...weak, NODE_ENV: 'test' }), []);
  const open = readConfig({ NODE_ENV: 'production', TOTE_FEED: 'hermes', TOTE_HOST: '0.0.0.0' });
  assert.deepEqual(risksOf({ ...open, tlsCertFile: 'cert.pem', tlsKeyFile: 'key.pem' }), []);
});

test('a port with TLS has a certificate and its key, and only such a port can ask for client certificates', () => {
  assert.deepEqual(mistakesOf({ TOTE_TLS_CERT_FILE: '/etc/tote/cert.pem' }), [
    'TOTE_TLS_KEY_FILE: is not set; expected a file, since TOTE_TLS_CERT_FILE is set',
  ]);
  assert.deepEqual(mistakesOf({ TOTE_OPERATOR_TLS_KEY_FILE: '/etc/tote/key.pem' }), [
    'TOTE_OPERATOR_TLS_CERT_FILE: is not set; expected a file, since TOTE_OPERATOR_TLS_KEY_FILE is set',
  ]);
  assert.deepEqual(mistakesOf({ TOTE_OPERATOR_TLS_CLIENT_CA_FILE: '/etc/tote/ca.pem' }), [
    'TOTE_OPERATOR_TLS_CLIENT_CA_FILE: expected TOTE_OPERATOR_TLS_CERT_FILE to be set, too',
  ]);
  const [missing] = mistakesOf({ TOTE_TLS_CERT_FILE: join(folder, 'none'), TOTE_TLS_KEY_FILE: 'none' });
  assert.match(missing ?? '', /^TOTE_TLS_CERT_FILE: .*none cannot be read: ENOENT/);
  const [some, none, port] = [newFile(''), join(folder, 'none'), 'TOTE_OPERATOR_TLS_'];
  for (const name of ['CERT', 'KEY', 'CLIENT_CA'].map((file) => `${port}${file}_FILE`)) {
    const files = { [`${port}CERT_FILE`]: some, [`${port}KEY_FILE`]: some, [name]: none };
    const [mistake, ...others] = mistakesOf(files);
    assert.match(mistake ?? '', new RegExp(`^${name}: .*none cannot be read: ENOENT`));
    assert.deepEqual(others, []);
  }
});
