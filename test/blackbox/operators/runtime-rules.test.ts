/**
 * Rules that operators change at run time, through a real server: a preview is true, for the rounds that open from
 * then on, and no later start undoes a change unasked.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { RulesDifference } from '../../../config/preview.js';
import type { RulesResource } from '../../../http/operator/rules.js';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { askUntil } from '../../support/ask-until.js';
import { newFolder } from '../../support/new-folder.js';
import { linesOf } from '../../support/processes/log-lines.js';
import { startRefused } from '../../support/processes/server.js';

interface Replaced extends RulesDifference {
  readonly applied: boolean;
  readonly sequence: number;
}

const BTC = 'BTC_ONE_MINUTE';
const file = join(newFolder(), 'rules.json');
const FILE = {
  markets: [BTC, 'ETH_ONE_MINUTE'],
  feeBps: 400,
  limits: { '*': { house: { policy: 'fixed' } }, BTC: { minStakeCents: 500 } },
};
const writeRules = (rules: object): void => writeFileSync(file, JSON.stringify(rules));

let sandbox: Sandbox;
let trader: Trader;
before(async () => {
  writeRules(FILE);
  sandbox = await Sandbox.start({ env: { TOTE_RULES_FILE: file, TOTE_LOG_LEVEL: 'info' } });
  trader = await sandbox.trader({ balance: 10_000, tier: 'SILVER' });
});
after(() => sandbox.remove());

const shown = async (): Promise<RulesResource> => (await sandbox.operator.get<RulesResource>('/rules')).data;
const put = (body: object, ifMatch?: string) =>
  sandbox.operator.send<Replaced>(
    'PUT',
    '/rules',
    JSON.stringify(body),
    ifMatch === undefined ? {} : { 'If-Match': ifMatch },
  );
async function dryRun(overrides: object): Promise<Replaced> {
  const answered = await put({ overrides, dryRun: true });
  assert.equal(answered.status, 200, answered.text);
  assert.equal(answered.headers.get('etag'), `"${answered.data.sequence}"`);
  return answered.data;
}
async function refused(body: object, error: string, ifMatch?: string): Promise<void> {
  const answered = await put(body, ifMatch);
  assert.ok(answered.error.startsWith(error), answered.text);
}
async function replace(overrides: object, { sequence }: { readonly sequence: number }): Promise<Replaced> {
  const answered = await put({ overrides }, `"${sequence}"`);
  assert.equal(answered.status, 200, answered.text);
  return answered.data;
}
const change = async (overrides: object): Promise<Replaced> => replace(overrides, await dryRun(overrides));
const bets = async (amount: number): Promise<number> =>
  (await trader.api.order({ marketId: BTC, prediction: 'UP', amount })).status;

test('what is in force is shown in the form of the file, with what the file and operators say', async () => {
  const { rules, file: said, overrides } = await shown();
  assert.equal(rules.feeBps, 400);
  assert.deepEqual(rules.markets, FILE.markets);
  assert.equal(rules.limits[BTC]?.minStakeCents, 500);
  assert.equal(rules.limits['ETH_ONE_MINUTE']?.minStakeCents, 100);
  assert.deepEqual(rules.tiers['GOLD'], { maxStakeCents: 500_000, activeKeysMax: 3 });
  assert.deepEqual([said, overrides], [FILE, {}]);
});

const LIMITS = { '*': { minStakeCents: 200 }, BTC: { house: { seedCents: 5_000 } } };
const OVERRIDES = { feeBps: 350, limits: LIMITS };

test('a dry run says what changes in each market, and changes nothing; it is then done from the next round on', async () => {
  await sandbox.openRounds({ BTC: 100, ETH: 10 });
  const before = await shown();
  const preview = await dryRun(OVERRIDES);
  assert.deepEqual(preview, {
    applied: false,
    sequence: before.sequence,
    changes: [{ name: 'feeBps', before: 400, after: 350 }],
    markets: [
      {
        marketId: BTC,
        becomes: 'changed',
        changes: [
          { name: 'house.seedCents', before: 100_000, after: 5_000 },
          { name: 'minStakeCents', before: 500, after: 200 },
        ],
      },
      {
        marketId: 'ETH_ONE_MINUTE',
        becomes: 'changed',
        changes: [{ name: 'minStakeCents', before: 100, after: 200 }],
      },
    ],
  });
  assert.deepEqual(await shown(), before);
  const done = await replace(OVERRIDES, preview);
  assert.deepEqual({ ...done, sequence: 0 }, { ...preview, applied: true, sequence: 0 });
  const logged = await sandbox.server.run.findInErrors((stderr) => linesOf(stderr, 'rules_in_force')[1]);
  const ofMarkets = preview.markets.flatMap((one) =>
    one.changes.map((change) => ({ ...change, markets: [one.marketId] })),
  );
  assert.deepEqual(logged['changes'], [...preview.changes, ...ofMarkets]);
  assert.equal(await bets(3), 400, 'the open round keeps its rules');
  // Gateways are told beside the answer.
  const account = () => trader.api.get<{ bets: { fee: number } }>('/account');
  await askUntil(account, ({ data }) => data.bets.fee === 0.035);
  await sandbox.closeMinute({ BTC: 100, ETH: 10 });
  await sandbox.openRounds({ BTC: 100, ETH: 10 });
  assert.equal(await bets(3), 201);
  const now = await shown();
  assert.deepEqual([now.rules.feeBps, now.overrides], [350, OVERRIDES]);
  assert.equal(now.rules.limits[BTC]?.minStakeCents, 200, 'what operators change wins over the file');
  assert.equal(now.sequence, done.sequence);
  await sandbox.checkConservation();
});

test('nothing is done without If-Match, or where other rules have overtaken it', async () => {
  const body = { overrides: { ...OVERRIDES, feeBps: 310 } };
  const { sequence } = await shown();
  for (const ifMatch of [undefined, '*', `${sequence}`, `W/"${sequence}"`])
    await refused(body, 'invalid_request: If-Match is expected', ifMatch);
  await refused(body, 'preview_outdated', `"${sequence - 1}"`);
  await change({ ...OVERRIDES, cutoffMs: 21_000 });
  await refused(body, 'preview_outdated', `"${sequence}"`);
  await refused({ ...body, dryRun: true }, 'preview_outdated', `"${sequence}"`);
  await change(OVERRIDES);
});

test('a mistake is named, and changes nothing', async () => {
  const before = await shown();
  for (const [overrides, error] of [
    [{ feBps: 1 }, 'feBps is not a known field'],
    [{ limits: { BTC: { minStakeCents: 2_000_000 } } }, `${BTC}: minStakeCents 2000000 is above`],
    [{ cutoffMs: null }, 'cutoffMs must be'],
    [OVERRIDES, 'nothing would change'],
    [JSON.parse('{"__proto__": {"feeBps": 1}}'), ''],
  ] as const)
    await refused({ overrides, dryRun: true }, `invalid_request: ${error}`);
  const deep = `${'{"a":'.repeat(2_500)}1${'}'.repeat(2_500)}`;
  const nested = await sandbox.operator.send('PUT', '/rules', `{"overrides": ${deep}, "dryRun": true}`);
  assert.equal(nested.status, 400, nested.text);
  assert.deepEqual(await shown(), before);
});

test('later starts keep what operators have changed, with the file, without it, and with another', async () => {
  const { sequence: _seen, ...before } = await shown();
  const later = async (): Promise<object> => {
    const { sequence: _later, ...rest } = await shown();
    return rest;
  };
  sandbox = await sandbox.restart('kill', { TOTE_RULES_FILE: file });
  assert.deepEqual(await later(), before);
  sandbox = await sandbox.restart('stop');
  assert.deepEqual(await later(), before);
  writeRules({ ...FILE, feeBps: 500, cutoffMs: 25_000 });
  sandbox = await sandbox.restart('stop', { TOTE_RULES_FILE: file, TOTE_LOG_LEVEL: 'info' });
  const now = await shown();
  assert.deepEqual(now.rules.feeBps, before.rules.feeBps);
  assert.deepEqual(now.overrides, before.overrides);
  const line = await sandbox.server.run.findInErrors((stderr) => linesOf(stderr, 'rules_overridden')[0]);
  assert.deepEqual(line['overruled'], ['feeBps']);
  const { feeBps: _fee, ...others } = OVERRIDES;
  await change(others);
  assert.equal((await shown()).rules.feeBps, 500, "a value that is given back is the file's as it is now");
});

test('a file that makes no sense with what operators have changed is refused, and nothing has changed', async () => {
  await change({ limits: { BTC: { house: { policy: 'fair', clampE6: 40_000 } } } });
  const { overrides } = await shown();
  await sandbox.server.stop();
  writeRules({ ...FILE, feeBps: 300 });
  const { dataDir } = sandbox.server;
  const refusal = await startRefused({ dataDir, env: { TOTE_RULES_FILE: file } });
  assert.match(
    refusal.logText,
    /with what operators have changed \(.*limits\.BTC\.house\.clampE6.*\): BTC_ONE_MINUTE: house\.clampE6/,
  );
  sandbox = await Sandbox.start({ dataDir });
  assert.deepEqual((await shown()).overrides, overrides);
});

test('news stops the orders of its rounds at once, and it is over after its minutes', async () => {
  const { overrides } = await shown();
  const api = sandbox.api(trader.secret);
  const ordered = () => api.order({ marketId: BTC, prediction: 'UP', amount: 10 });
  const isOpen = async (): Promise<unknown> => (await api.market(BTC)).acceptsOrders;
  await sandbox.openRounds({ BTC: 100 });
  assert.deepEqual([(await ordered()).status, await isOpen()], [201, true]);
  const at = `${new Date(sandbox.boundaryMs).toISOString().slice(0, 16)}Z`;
  await change({ ...overrides, news: { cpi: { at, minutes: 2, assets: ['BTC'] } } });
  const suspended = async (): Promise<void> => {
    const answered = await ordered();
    assert.equal(answered.status, 503, answered.text);
    assert.ok(answered.error.startsWith('market_suspended'), answered.text);
    assert.equal(answered.headers.get('Retry-After'), '60');
    assert.equal(await isOpen(), false);
  };
  await suspended();
  await sandbox.openRounds({ BTC: 100 });
  await suspended();
  await sandbox.openRounds({ BTC: 100 });
  assert.deepEqual([(await ordered()).status, await isOpen()], [201, true]);
  await sandbox.checkConservation();
});
