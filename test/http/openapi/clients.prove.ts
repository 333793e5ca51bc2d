/** Clients that public generators make from the served document: a small bot for each, both compiled strictly. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Harness } from '../api/harness.js';

const require = createRequire(import.meta.url);
/** Beside the compiled tests, from where the bots find the packages that they import. */
const folder = mkdtempSync(join(dirname(fileURLToPath(import.meta.url)), 'clients-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'openapi.json'), new Harness().get('/v1/openapi.json', '').text);
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

function run(packageName: string, program: string, ...args: readonly string[]): void {
  const packageFile = join(nodeModules(packageName), 'package.json');
  const { bin } = require(packageFile) as { bin: Record<string, string> };
  const command = join(dirname(packageFile), bin[program] ?? '');
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`);
}

/** Some packages do not export their package.json. */
const nodeModules = (name: string): string =>
  fileURLToPath(new URL(`../../../../node_modules/${name}`, import.meta.url));

const COMPILER_OPTIONS = [
  ...['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--skipLibCheck'],
  ...['--target', 'ES2023', '--module', 'NodeNext', '--lib', 'ES2023,DOM,DOM.Iterable', '--types', 'node'],
];

/** Uses of the types alone, whoever made them; `BetResult` and the others are imported before it. */
const TYPED = `
// One Prediction: what a position has can be bet again. Each of these fails where null or a word is lost.
const again = ({ prediction, marketId }: Position): OrderRequest | null =>
  marketId === null ? null : { marketId, prediction, amount: 10 };
const result: Position['result'] = null;
const crypto: Position['crypto'] = null;
const timeFrame: Position['timeFrame'] = null;
const currentRound: Market['currentRound'] = null;
const known = (position: Position): BetResult | 'open' => position.result ?? 'open';
const sameRound = (market: Market, position: Position): boolean =>
  market.currentRound?.status === position.round.status;
const results: Record<BetResult, boolean> = { WIN: true, LOSS: false, DRAW: false, REFUNDED: false, CASHOUT: true };
const tiers: Tier[] = ['BRONZE', 'SILVER', 'GOLD', 'PLATINUM', 'VIP'];
const scopes: Scope[] = ['markets:read', 'positions:read', 'orders:write', 'orders:cancel'];
function isWorthAnotherTry(failure: Failure): boolean {
  switch (failure.error.split(':')[0] as ErrorCode) {
    case 'idempotency_in_progress':
    case 'journal_backlog':
    case 'rate_limited':
      return true;
    default:
      return false;
  }
}
export { again, crypto, currentRound, known, result, results, sameRound, scopes, tiers, timeFrame };
`;

test('openapi-typescript generates types for a bot that uses openapi-fetch', () => {
  run('openapi-typescript', 'openapi-typescript', 'openapi.json', '--output', 'api.d.ts');
  writeFileSync(
    join(folder, 'fetch-bot.ts'),
    `import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';
type Schemas = components['schemas'];
type Market = Schemas['Market'];
type Position = Schemas['Position'];
type OrderRequest = Schemas['OrderRequest'];
type BetResult = Schemas['BetResult'];
type Tier = Schemas['Tier'];
type Scope = Schemas['Scope'];
type Failure = Schemas['Failure'];
type ErrorCode = Schemas['ErrorCode'];
${TYPED}
const api = createClient<paths>({ baseUrl: 'http://127.0.0.1:8080/v1', headers: { 'X-API-Key': 'tote_' } });
export async function bet(key: string): Promise<number> {
  const { data: market, error: missing } = await api.GET('/markets/{id}', { params: { path: { id: 'BTC_ONE_DAY' } } });
  if (missing !== undefined) throw new Error(missing.error);
  const { id, percentUp } = market.data;
  const { data, error } = await api.POST('/orders', {
    params: { header: { 'Idempotency-Key': key } },
    body: { marketId: id, prediction: 'UP', amount: 10, expectedPercent: percentUp },
  });
  if (error !== undefined) return isWorthAnotherTry(error) ? bet(key) : 0;
  const { data: positions } = await api.GET('/positions', { params: { query: { status: 'all', limit: 10 } } });
  return (positions?.data.length ?? 0) + data.data.bet.potentialPayout;
}
`,
  );
});

test('@hey-api/openapi-ts generates the client of a bot', () => {
  run('@hey-api/openapi-ts', 'openapi-ts', '--input', 'openapi.json', '--output', 'client', '--silent');
  writeFileSync(
    join(folder, 'client-bot.ts'),
    `import { getMarket, listPositions, placeOrder } from './client/index.js';
import type {
  BetResult, ErrorCode, Failure, Market, OrderRequest, Position, Scope, Tier,
} from './client/index.js';
${TYPED}
export async function bet(key: string): Promise<number> {
  const { data: market, error: missing } = await getMarket({ path: { id: 'BTC_ONE_DAY' } });
  if (missing !== undefined) throw new Error(missing.error);
  if (market === undefined) return 0;
  const { data, error } = await placeOrder({
    headers: { 'Idempotency-Key': key },
    body: { marketId: market.data.id, prediction: 'UP', amount: 10, expectedPercent: market.data.percentUp },
  });
  if (error !== undefined) return isWorthAnotherTry(error) ? bet(key) : 0;
  const { data: positions } = await listPositions({ query: { status: 'all', limit: 10 } });
  return (positions?.data.length ?? 0) + (data?.data.bet.potentialPayout ?? 0);
}
`,
  );
});

// In one run: most of its time goes into the libraries' types, which both bots need.
test('both bots compile', () => {
  run('typescript', 'tsc', ...COMPILER_OPTIONS, 'fetch-bot.ts', 'client-bot.ts');
});
