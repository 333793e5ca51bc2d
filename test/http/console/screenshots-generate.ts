/**
 * Takes the pictures of docs/console/: `node dist/test/http/console/screenshots-generate.js [minutes]`. A server of
 * its own has simulated prices and bettors for so many minutes (five by default), so that its plots have something to
 * show. The picture of replication is of two machines, with NATS servers of their own.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { logIn, openBrowser } from '../../support/console/browser.js';
import { buildPage } from '../../support/console/console-page.js';
import { type Bettor, newDataDir, removeDataDir, Server } from '../../support/processes/server.js';
import { NatsCluster } from '../../support/replication/nats.js';
import { event, shareSecrets, startMachine } from '../../support/replication/replicated.js';

const FOLDER = new URL('../../../../docs/console/', import.meta.url);
const MINUTE_MS = 60_000;
const MARKETS = ['BTC', 'ETH', 'SOL', 'GOLD', 'EURUSD'].flatMap((asset) =>
  ['ONE_MINUTE', 'FIVE_MINUTES', 'FIFTEEN_MINUTES', 'FOUR_HOURS'].map((frame) => `${asset}_${frame}`),
);
const BETTORS = 6;

const minutes = Number(process.argv[2] ?? 5);
buildPage();
const LIVE = { TOTE_CLOCK: 'system', TOTE_FEED: 'simulated' };
const server = await Server.start({ env: LIVE });
const browser = await openBrowser();
try {
  const bettors: Bettor[] = [];
  for (let n = 0; n < BETTORS; n++) {
    bettors.push(await server.createBettor({ tier: n === 0 ? 'VIP' : 'GOLD', balance: 25_000 }));
  }
  await server.operator.post('/accounts', { tier: 'PLATINUM', name: 'Meridian Trading', balance: 50_000 });
  await server.operator.post('/accounts', { tier: 'BRONZE', name: 'Onlookers' });
  await server.operator.patch('/accounts/acc_2', { frozen: true, reason: 'asked for it on the telephone' });
  await server.operator.patch('/accounts/acc_2', { frozen: false, reason: 'signed the form' });
  const untilMs = Date.now() + minutes * MINUTE_MS;
  for (let n = 0; Date.now() < untilMs; n++) await bet(bettors, n);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await takeAll(await context.newPage());
  await takeReplication(await context.newPage());
} finally {
  await browser.close();
  await server.remove();
}

/** Some are refused: bets have closed, or the round can bear no more. */
async function bet(bettors: readonly Bettor[], n: number): Promise<void> {
  const bettor = bettors[n % bettors.length];
  const marketId = MARKETS[(n * 7) % MARKETS.length];
  const prediction = (n * 13) % 5 < 3 ? 'UP' : 'DOWN';
  await bettor?.api.post('/orders', { marketId, prediction, amount: 5 + ((n * 37) % 120) });
  await pause(60);
}

async function takeAll(page: Page): Promise<void> {
  await logIn(page, server);
  await take(page, 'overview', '#/overview', 'This exchange runs');
  await take(page, 'markets', '#/markets', 'BTC 5 min');
  await take(page, 'market', '#/markets/BTC_FIFTEEN_MINUTES', 'Odds DOWN');
  await page.getByRole('button', { name: 'Void round' }).first().click();
  await page.getByRole('dialog').getByLabel('Reason').fill('the price service sent a wrong price');
  await save(page, 'void');
  await page.keyboard.press('Escape');
  await take(page, 'house', '#/house', 'the books balance');
  await take(page, 'account', '#/accounts/acc_1', 'Ledger');
  await take(page, 'audit', '#/audit', 'Meridian Trading');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 1440, height: 1500 });
  await take(page, 'system', '#/system', 'Commands behind');
  await page.setViewportSize({ width: 390, height: 844 });
  await take(page, 'narrow', '#/overview', 'This exchange runs');
}

async function takeReplication(page: Page): Promise<void> {
  const nats = await NatsCluster.start();
  const one = startMachine({ nats, node: 'one', env: LIVE });
  const dataDir = newDataDir();
  try {
    const leader = await one.leading;
    shareSecrets(leader.dataDir, dataDir);
    const two = startMachine({ nats, node: 'two', dataDir, env: LIVE });
    await event(two.run, 'following');
    await logIn(page, leader);
    await take(page, 'replication', '#/overview', 'follows', leader);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await save(page, 'replication');
    two.run.signal('SIGKILL');
    await two.run.ended;
    await leader.remove();
  } finally {
    await nats.remove();
    removeDataDir(dataDir);
  }
}

async function take(page: Page, name: string, hash: string, loaded: string, of = server): Promise<void> {
  await page.goto(`${of.operatorUrl}/console${hash}`);
  await page.getByText(loaded).first().waitFor();
  // The plots are drawn with the message that follows.
  await pause(2_500);
  await save(page, name);
}

async function save(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: fileURLToPath(new URL(`${name}.png`, FOLDER)) });
}
