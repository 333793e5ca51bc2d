/**
 * Rules that operators change at run time, through a real server: what a preview says is what is done, for the rounds that
 * open from then on, and no later start undoes it unasked.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Sandbox, type Trader } from '../../support/api/api-client-sandbox.js';
import { startRefused } from '../../support/processes/server.js';

interface Difference {
  readonly name: string;
  readonly before: string | number | null;
  readonly after: string | number | null;
}
interface Patched {
  readonly applied: boolean;
  readonly tag: string;
  readonly changes: readonly Difference[];
  readonly markets: readonly {
    readonly marketId: string;
    readonly becomes: string;
    readonly changes: readonly Difference[];
  }[];
}
interface Shown {
  readonly value: unknown;
  readonly from: string;
  readonly since: string | null;
}
interface Shows {
  readonly rules: {
    readonly markets: Shown;
    readonly feeBps: Shown;
    readonly tiers: Readonly<Record<string, Readonly<Record<string, Shown>>>>;
    readonly limits: Readonly<
      Record<
        string,
        {
          readonly minStakeCents: Shown;
          readonly maxStakeCents: Shown;
          readonly house: Readonly<Record<string, Shown>>;
        }
      >
    >;
  };
  readonly file: object;
  readonly changes: object;
}

const BTC = 'BTC_ONE_MINUTE';
const folder = mkdtempSync(join(tmpdir(), 'tote-rules-'));
const file = join(folder, 'rules.json');
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
  sandbox = await Sandbox.start({ env: { TOTE_RULES_FILE: file } });
  trader = await sandbox.trader({ balance: 10_000, tier: 'SILVER' });
});
after(async () => {
  await sandbox.remove();
  rmSync(folder, { recursive: true });
});

const shown = async (): Promise<Shows> => (await sandbox.operator.get<Shows>('/rules')).data;
async function patch(body: object): Promise<Patched> {
  const answered = await sandbox.operator.patch<Patched>('/rules', body);
  assert.equal(answered.status, 200, answered.text);
  return answered.data;
}
async function refused(body: object, status: number, error: string): Promise<void> {
  const answered = await sandbox.operator.patch('/rules', body);
  assert.equal(answered.status, status, answered.text);
  assert.ok(answered.error.startsWith(error), answered.error);
}
/** Previews, then applies what was previewed. */
async function change(changes: object): Promise<Patched> {
  const { tag } = await patch({ changes, dryRun: true });
  return patch({ changes, tag });
}
/** The status of a bet of so many dollars in BTC's current round. */
const bets = async (amount: number): Promise<number> =>
  (await trader.api.order({ marketId: BTC, prediction: 'UP', amount })).status;

test('each value is shown with where it is from', async () => {
  const { rules, file: said, changes } = await shown();
  assert.deepEqual([rules.feeBps.value, rules.feeBps.from], [400, 'file']);
  assert.ok(rules.feeBps.since !== null);
  assert.deepEqual(rules.markets.value, FILE.markets);
  assert.deepEqual(
    [rules.limits[BTC]?.minStakeCents.value, rules.limits[BTC]?.minStakeCents.from],
    [500, 'file'],
  );
  assert.deepEqual(rules.limits['ETH_ONE_MINUTE']?.minStakeCents, {
    value: 100,
    from: 'default',
    since: null,
  });
  assert.equal(rules.limits['ETH_ONE_MINUTE']?.house['policy']?.from, 'file');
  assert.deepEqual(rules.tiers['GOLD']?.['maxStakeCents'], { value: 500_000, from: 'default', since: null });
  assert.deepEqual([said, changes], [FILE, {}]);
});

test('a preview says what changes in each market, and changes nothing; what it says is then done from the next round on', async () => {
  await sandbox.openRounds({ BTC: 100, ETH: 10 });
  const before = await shown();
  const changes = {
    feeBps: 350,
    limits: { '*': { minStakeCents: 200 }, BTC: { house: { seedCents: 5_000 } } },
  };
  const preview = await patch({ changes, dryRun: true });
  assert.deepEqual(
    { ...preview, tag: '' },
    {
      applied: false,
      tag: '',
      changes: [{ name: 'feeBps', before: 400, after: 350 }],
      markets: [
        {
          marketId: BTC,
          becomes: 'changed',
          changes: [
            { name: 'minStakeCents', before: 500, after: 200 },
            { name: 'house.seedCents', before: 100_000, after: 5_000 },
          ],
        },
        {
          marketId: 'ETH_ONE_MINUTE',
          becomes: 'changed',
          changes: [{ name: 'minStakeCents', before: 100, after: 200 }],
        },
      ],
    },
  );
  assert.deepEqual(await shown(), before);
  assert.deepEqual(await patch({ changes, tag: preview.tag }), { ...preview, applied: true });
  assert.equal(await bets(3), 400, 'the open round keeps its rules');
  await sandbox.closeMinute({ BTC: 100, ETH: 10 });
  await sandbox.openRounds({ BTC: 100, ETH: 10 });
  assert.equal(await bets(3), 201);
  const now = await shown();
  assert.deepEqual([now.rules.feeBps.value, now.rules.feeBps.from], [350, 'operator']);
  assert.equal(
    now.rules.limits[BTC]?.minStakeCents.from,
    'operator',
    'what operators change wins over the file',
  );
  assert.deepEqual(now.changes, changes);
  await sandbox.checkConservation();
});

test('limits of tiers apply at once', async () => {
  assert.equal(await bets(60), 201);
  await change({ tiers: { SILVER: { maxStakeCents: 5_000 } } });
  assert.equal(await bets(60), 400);
  await change({ tiers: { SILVER: null } });
  assert.equal(await bets(60), 201);
});

test('nothing is done without a preview, with another one, or with one that something has overtaken', async () => {
  await refused({ changes: { feeBps: 310 } }, 400, 'invalid_request: dryRun or the tag');
  await refused(
    { changes: { feeBps: 310 }, tag: 'x', dryRun: true },
    400,
    'invalid_request: dryRun or the tag',
  );
  await refused({ changes: { feeBps: 310 }, tag: 'x' }, 409, 'preview_outdated');
  const { tag } = await patch({ changes: { feeBps: 310 }, dryRun: true });
  await refused({ changes: { feeBps: 311 }, tag }, 409, 'preview_outdated');
  await change({ cutoffMs: 21_000 });
  await refused({ changes: { feeBps: 310 }, tag }, 409, 'preview_outdated');
  await change({ cutoffMs: null });
});

test('a mistake is named, and changes nothing', async () => {
  const before = await shown();
  for (const [changes, error] of [
    [{ feBps: 1 }, 'feBps is not a known field'],
    [{ feeBps: 10_000 }, 'feeBps must be'],
    [{ limits: { DOGE: { minStakeCents: 1 } } }, 'limits: "DOGE" does not exist'],
    [{ limits: { BTC: { minStakeCents: 2_000_000 } } }, `${BTC}: minStakeCents 2000000 is above`],
    [
      { limits: { ONE_MINUTE: { lockLeadMs: 50_000 } } },
      `${BTC}: lockLeadMs 50000 and cutoffMs 20000 leave no time`,
    ],
    [{ cutoffMs: null }, 'cutoffMs: nothing has been changed there'],
    [{ limits: { ETH: null } }, 'limits.ETH: nothing has been changed there'],
    [{ feeBps: 350 }, 'nothing would change'],
    [{}, 'nothing would change'],
  ] as const)
    await refused({ changes, dryRun: true }, 400, `invalid_request: ${error}`);
  const deep = `${'{"a":'.repeat(2_500)}1${'}'.repeat(2_500)}`;
  const nested = await sandbox.operator.send('PATCH', '/rules', `{"changes": ${deep}, "dryRun": true}`);
  assert.equal(nested.status, 400, nested.text);
  await refused(
    { changes: JSON.parse('{"__proto__": {"feeBps": 1}}'), dryRun: true },
    400,
    'invalid_request',
  );
  assert.deepEqual(await shown(), before);
});

test('a market may be taken out and put back in', async () => {
  const { markets } = await change({ markets: [BTC] });
  assert.deepEqual(
    markets.map(({ marketId, becomes }) => [marketId, becomes]),
    [['ETH_ONE_MINUTE', 'inactive']],
  );
  const back = await change({ markets: [BTC, 'ETH_ONE_MINUTE', 'ETH_ONE_DAY'] });
  assert.deepEqual(
    back.markets.map(({ marketId, becomes }) => [marketId, becomes]),
    [
      ['ETH_ONE_DAY', 'active'],
      ['ETH_ONE_MINUTE', 'active'],
    ],
  );
});

test('later starts keep what operators have changed, with the file, without it, and with another', async () => {
  const before = await shown();
  sandbox = await sandbox.restart('kill', { TOTE_RULES_FILE: file });
  assert.deepEqual(await shown(), before);
  sandbox = await sandbox.restart('stop');
  assert.deepEqual(await shown(), before);
  writeRules({ ...FILE, feeBps: 500, cutoffMs: 25_000 });
  sandbox = await sandbox.restart('stop', { TOTE_RULES_FILE: file, TOTE_LOG_LEVEL: 'info' });
  const now = await shown();
  assert.deepEqual(now.rules.feeBps, before.rules.feeBps);
  assert.deepEqual(now.changes, before.changes);
  const line = await sandbox.server.run.findInErrors((stderr) =>
    stderr.split('\n').find((one) => one.includes('rules_changed_at_run_time')),
  );
  assert.deepEqual(JSON.parse(line).overruled, ['feeBps', 'markets']);
  await change({ feeBps: null });
  assert.equal(
    (await shown()).rules.feeBps.value,
    500,
    "a value that is given back is the file's as it is now",
  );
});

test('a file that makes no sense with what operators have changed is refused, and nothing has changed', async () => {
  await change({ limits: { BTC: { house: { policy: 'fair', clampE6: 40_000 } } } });
  const before = await shown();
  await sandbox.server.stop();
  writeRules({ ...FILE, feeBps: 300 });
  const { dataDir } = sandbox.server;
  const env = { TOTE_RULES_FILE: file };
  const refusal = await startRefused({ dataDir, env });
  assert.match(
    refusal.logText,
    /with what operators have changed \(.*limits\.BTC\.house\.clampE6.*\): BTC_ONE_MINUTE: house\.clampE6/,
  );
  sandbox = await Sandbox.start({ dataDir });
  assert.deepEqual(await shown(), before);
});
