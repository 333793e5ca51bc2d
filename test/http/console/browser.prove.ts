/** The console in a real browser: an operator's actions there reach the market, and the market's events are seen. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import type { SessionResource } from '../../../http/console/sessions.js';
import { WATCHERS_MAX } from '../../../http/console/watchers.js';
import { addOperatorToken } from '../../../persistence/data-dir/operator-tokens.js';
import { consoleTests, figure, flaws, logIn, newPage } from '../../support/console/browser.js';
import { ConsoleClient, ConsoleStream } from '../../support/console/console-client.js';
import { freePort } from '../../support/processes/nginx.js';
import { newDataDir, Server } from '../../support/processes/server.js';

const REASON = 'a test of the console';
const SET_CLOCK_BACK = '((now, hours = 0) => { Date.now = () => now() - ++hours * 3_600_000 })(Date.now)';
const CREATED_AT = '2026-11-22T12:00:00.000Z';

let betRound = '';
const secrets = { read: '', support: '' };
const test = consoleTests(async () => {
  const dataDir = newDataDir();
  for (const role of ['read', 'support'] as const)
    secrets[role] = addOperatorToken(join(dataDir, 'operator-tokens'), role, role, CREATED_AT);
  const TOTE_RULES_FILE = join(dataDir, 'rules.json');
  const news = { 'US CPI.core': { at: '2099-01-01T13:30Z', minutes: 30 } };
  writeFileSync(TOTE_RULES_FILE, JSON.stringify({ news }));
  const server = await Server.start({ dataDir, env: { TOTE_RULES_FILE } });
  await server.toNextDay({ BTC: 60_000 });
  return server;
});

async function confirm(page: Page, button: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(REASON);
  await dialog.getByRole('button', { name: button }).click();
}

test('an account, its key, a bet with it, the round voided, the stake back', async (page, server) => {
  await logIn(page, server);

  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByRole('button', { name: 'Create account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Ann');
  await dialog.getByLabel('Tier').selectOption('GOLD');
  await dialog.getByLabel('Initial balance').fill('1000');
  await dialog.getByText('$1,000.00').waitFor();
  const [sent] = await Promise.all([page.waitForRequest('**/accounts'), confirm(page, 'Create account')]);
  const { reference, ...body } = sent.postDataJSON();
  assert.deepEqual(body, { tier: 'GOLD', name: 'Ann', balance: 1000, reason: REASON });
  assert.match(reference, /^console-/);
  await page.getByRole('heading', { name: 'acc_1', exact: true }).waitFor();
  assert.equal(await figure(page, 'Balance').textContent(), '$1,000.00');

  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByLabel('Expires').pressSequentially('12242099');
  await confirm(page, 'Create key');
  await dialog.getByText('Complete the time.').waitFor();
  await dialog.getByLabel('Expires').pressSequentially('122420991200A');
  await confirm(page, 'Create key');
  const secret = (await dialog.locator('code').textContent()) ?? '';
  assert.match(secret, /^tote_[\w-]{43}$/);
  await dialog.getByRole('status').locator('button:focus').press('Enter');
  await dialog.getByText('Secret copied').waitFor();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), secret);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.getByRole('rowheader', { name: 'key_1' }).waitFor();
  assert.ok(!(await page.content()).includes(secret), 'the secret is shown once');

  await page.getByRole('link', { name: 'Markets' }).click();
  await page.getByRole('link', { name: 'BTC 5 min' }).click();
  await page.getByRole('heading', { name: 'BTC 5 min' }).waitFor();
  assert.equal(await figure(page, 'Bets').textContent(), '0');
  await page.getByRole('button', { name: 'Void round' }).click();
  await dialog.getByText('$0.00').waitFor();
  const order = { marketId: 'BTC_FIVE_MINUTES', prediction: 'DOWN', amount: 250 };
  const placed = await server.api(secret).post('/orders', order);
  assert.equal(placed.status, 201, placed.text);
  betRound = (await server.operator.get<{ roundId: string }>('/bets/bet_1')).data.roundId;
  await figure(page, 'Bets').getByText('1', { exact: true }).waitFor();
  assert.equal(await figure(page, 'Stakes').textContent(), '$250.00');
  await dialog.getByText('$250.00').waitFor();
  await dialog.getByRole('button', { name: 'Void round' }).click();
  await dialog.getByText('Give a reason.').waitFor();
  await confirm(page, 'Void round');
  await page.getByText('no round').first().waitFor();
  await page.locator('main:focus').waitFor();
  await page.goto(`${server.operatorUrl}/console#/accounts/acc_1`);
  await figure(page, 'Balance').getByText('$1,000.00').waitFor();
  await page.getByRole('cell', { name: 'refunded' }).waitFor();
  assert.equal((await server.api(secret).get<{ result: string }[]>('/orders')).data[0]?.result, 'REFUNDED');
});

test('the keyboard alone is enough: skip link, dialog, Escape, and back to where one was', async (page, server) => {
  await logIn(page, server);
  const focused = (): Promise<string> => page.evaluate(`document.activeElement?.textContent?.trim() ?? ''`);
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to the content');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.activeElement?.id'), 'main');
  await page.getByRole('button', { name: 'Stop trading' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  for (let n = 0; n < 8; n++) {
    await page.keyboard.press('Tab');
    const isOutside = await page.evaluate(
      `document.activeElement !== document.body && document.activeElement?.closest('dialog') === null`,
    );
    assert.equal(isOutside, false, 'the keyboard stays in the dialog');
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await focused(), 'Stop trading');
});

test('trading is stopped and resumed, and the session is renewed at once, and ends with the logout', async (page, server) => {
  await logIn(page, server);
  await Promise.all([page.waitForRequest((request) => request.method() === 'PUT'), page.reload()]);
  await page.getByRole('button', { name: 'Stop trading' }).click();
  await confirm(page, 'Stop trading');
  await page.getByText('orders are refused: trading_disabled').waitFor();
  await page.getByRole('link', { name: 'Markets' }).click();
  await page.getByText('takes no bets').first().waitFor();
  await page.getByRole('button', { name: 'Resume trading' }).click();
  await confirm(page, 'Resume trading');
  await page.getByText('orders are taken').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByLabel('Operator token').waitFor();
});

test('a page beyond the limit says why it waits, goes on once another is closed, and tells of a newer one', async (page, server) => {
  const client = new ConsoleClient(server.operatorUrl);
  const { writes } = await client.loggedIn(server.token);
  const streams = await Promise.all(Array.from({ length: WATCHERS_MAX }, () => client.stream(writes)));
  let isPassed = false;
  let script = '"script":"';
  await page.routeWebSocket('**', (socket) => {
    if (!isPassed) return void socket.close();
    const upstream = socket.connectToServer();
    upstream.onMessage((text) => socket.send(String(text).replace('"script":"', script)));
  });
  const loggedIn = logIn(page, server);
  await page.getByText('does not pass on WebSocket upgrades').waitFor();
  isPassed = true;
  await page.getByText('no more may be: close one').waitFor();
  for (const stream of streams) if (stream instanceof ConsoleStream) stream.close();
  await loggedIn;
  assert.equal(await page.getByText('reload it').count(), 0);
  script += 'newer';
  await page.getByText('reload it').waitFor();
});

test('rules are changed, lists too: what that changes is shown first, and their origin afterwards', async (page, server) => {
  await logIn(page, server);
  await page.getByRole('link', { name: 'Rules' }).click();
  await page.getByLabel('Part of the name').fill('limits');
  await page.getByText('more rules are like that').waitFor();
  for (const [name, typed, value] of [
    ['feeBps', '2.5', '2.5 %'],
    ['limits.BTC_ONE_DAY.house.clampE6', '0.0029', '0.0029 %'],
    ['news.US CPI.core.minutes', '45', '45'],
    ['news.US CPI.core.at', '2099-01-02T13:30Z', '2099-01-02 13:30:00'],
    ['news.US CPI.core.assets', 'BTC,ETH', 'BTC, ETH'],
  ] as const) {
    await page.getByLabel('Part of the name').fill(name);
    await page.getByRole('button', { name: `Change ${name}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('New value').clear();
    await dialog.getByLabel('New value').pressSequentially(typed);
    await dialog.getByRole('button', { name: 'Show what changes' }).click();
    await dialog.getByText(value, { exact: true }).waitFor();
    if (name === 'feeBps') {
      const { sequence } = (await server.operator.get<{ sequence: number }>('/rules')).data;
      const overrides = JSON.stringify({ overrides: { feeBps: 400 } });
      await server.operator.send('PUT', '/rules', overrides, { 'If-Match': `"${sequence}"` });
      await confirm(page, 'Put in force');
      await dialog.getByText('4 %').waitFor();
      await dialog.getByRole('button', { name: 'Show what changes' }).click();
    }
    await confirm(page, 'Put in force');
    await page.locator(`[aria-label="Change ${name}"]:focus`).waitFor();
    const row = page.getByRole('row', { name });
    await row.getByText('operator').waitFor();
    await row.getByRole('cell', { name: value, exact: true }).waitFor();
  }
});

test('a key is rotated: its secret is shown once, and the old one has an end', async (page, server) => {
  await logIn(page, server);
  await page.goto(`${server.operatorUrl}/console#/accounts/acc_1`);
  await page.route('**/rotate', async (route) => {
    for (let n = 0; n < 4; n++) await page.keyboard.press('Escape');
    await route.continue();
  });
  await page.getByRole('button', { name: 'Rotate key_1' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('The old key stays good for').selectOption('an hour');
  const endsAt = new Date((await server.nowMs()) + 3_600_000).toISOString();
  await dialog.getByText(endsAt.slice(0, 19).replace('T', ' ')).waitFor();
  await confirm(page, 'Rotate');
  const secret = (await dialog.locator('code').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('rowheader', { name: 'key_2' }).waitFor();
  assert.equal((await server.api(secret).get('/markets')).status, 200);
  for (const verb of ['Freeze', 'Unfreeze', 'Disable', 'Enable']) {
    await page.locator(`button[aria-label^="${verb} "]`).first().click();
    await confirm(page, verb);
    await page.locator(`main button:focus:not([aria-label^="${verb} "])`).waitFor();
  }
  await server.operator.post('/keys/key_2/rotate', { overlapSeconds: 0 });
  await page.getByRole('row', { name: 'key_2' }).getByText('expired').waitFor();
});

test('a limit order that waits, a key that gets an expiry, and both in the audit', async (page, server) => {
  const key = await server.operator.post<{ secret: string }>('/accounts/acc_1/keys', {
    scopes: ['markets:read', 'positions:read', 'orders:write', 'orders:cancel'],
    reason: 'for limit orders',
  });
  const bettor = server.api(key.data.secret);
  const order = { marketId: 'BTC_FIFTEEN_MINUTES', prediction: 'UP', amount: 20, limitOdds: 50 };
  const placed = await bettor.post<{ bet: { id: string } }>('/orders', order);
  assert.equal(placed.status, 201, placed.text);
  await logIn(page, server);
  await page.goto(`${server.operatorUrl}/console#/accounts/acc_1`);
  const row = page.getByRole('row', { name: placed.data.bet.id });
  await row.getByText('pending').waitFor();
  await row.getByText('limit 50.00').waitFor();
  await page.getByRole('link', { name: 'House' }).click();
  await page.getByText('the books balance').waitFor();
  await figure(page, 'Stakes of waiting limit orders').filter({ hasText: '$20.00' }).waitFor();
  await page.goBack();
  assert.equal((await bettor.send('DELETE', `/orders/${placed.data.bet.id}`)).status, 200);
  await page.getByRole('button', { name: 'Refresh of Bets' }).click();
  await row.getByText('cancelled').waitFor();
  for (const said of ['done.', 'not again']) {
    await page.getByRole('button', { name: 'Deposit' }).click();
    await page.getByLabel('Amount').fill('10,50');
    await page.getByText('Enter an amount').waitFor();
    await page.getByLabel('Amount').fill('5');
    await page.getByLabel('Reference').fill('wire 77');
    await confirm(page, 'Deposit');
    await page.getByRole('status').getByText(said).waitFor();
    await page.getByRole('row', { name: 'wire 77' }).waitFor();
  }

  await page.getByRole('button', { name: 'Expire key_3' }).click();
  await page.getByRole('dialog').getByLabel('Expires').pressSequentially('010120991200A');
  await confirm(page, 'Expire');
  await page.getByRole('row', { name: 'key_3' }).getByText('2099-01-01 00:00:00').waitFor();

  await row.getByRole('link', { name: placed.data.bet.id }).first().click();
  assert.equal(await figure(page, 'Profit').textContent(), '–');
  await page.getByRole('row', { name: 'Stake given back' }).getByText('$20.00').waitFor();

  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('combobox', { name: 'Action' }).selectOption('expireKey');
  const entry = page.getByRole('row', { name: 'expireKey' });
  await entry.getByText(REASON).waitFor();
  await entry.getByText('key_3').waitFor();
  await page.getByRole('textbox', { name: 'Operator' }).fill('nobody');
  await page.getByText('Nobody has done anything like that.').waitFor();
  assert.ok(!(await page.content()).includes(key.data.secret));

  await page.goto(`${server.operatorUrl}/docs`);
  await page.getByText('Open an account').waitFor();
});

async function offered(page: Page, server: Server): Promise<string[]> {
  const found = new Set<string>();
  for (const [hash, loaded] of views()) {
    await page.goto(`${server.operatorUrl}/console${hash}`);
    await page.getByText(loaded).first().waitFor();
    for (const text of await page.getByRole('button').allTextContents()) found.add(text.trim());
  }
  return [...found].filter((text) => !/^(Refresh|(First|Next) page|Log out|Skip)/.test(text)).sort();
}

test('role read is offered nothing to do, and cannot do it without the page either', async (page, server) => {
  await logIn(page, { ...server, token: secrets.read });
  await page.getByText('(read)').waitFor();
  assert.deepEqual(await offered(page, server), []);
  const [cookie] = await page.context().cookies();
  const client = new ConsoleClient(server.operatorUrl);
  const reads = { Cookie: `${cookie?.name}=${cookie?.value}` };
  const { data } = await client.get<SessionResource>('/console/session', reads);
  const writes = { ...reads, Origin: server.operatorUrl, 'X-CSRF-Token': data.csrfToken };
  const refused = await client.send('POST', '/operator/v1/accounts', { tier: 'GOLD' }, writes);
  assert.match(refused.error, /^insufficient_role/);
});

test('role support helps with accounts and keys, and moves no money', async (page, server) => {
  await logIn(page, { ...server, token: secrets.support });
  const helps = ['Change tier', 'Create account', 'Create key', 'Disable', 'Expire', 'Freeze', 'Rotate'];
  assert.deepEqual(await offered(page, server), helps);
  await page.goto(`${server.operatorUrl}/console#/accounts`);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('dialog').getByLabel('Tier').waitFor();
  assert.equal(await page.getByRole('dialog').getByLabel('Initial balance').count(), 0);
});

test('one search box finds what an id or a name is of, and ids are links', async (page, server) => {
  const nothing = { success: true, data: [], nextCursor: 'x' };
  await page.route(/name=an/, (route) => {
    const [rest = '', cursor] = route.request().url().split('&cursor=');
    return cursor === undefined ? route.fulfill({ json: nothing }) : route.continue({ url: rest });
  });
  await logIn(page, server);
  for (const [text, heading] of [
    ['1', 'acc_1'],
    ['bet_1', 'bet_1'],
    ['KEY_2', 'key_2'],
    ['btc 5 min', 'BTC 5 min'],
    [betRound, betRound.replace('BTC_FIVE_MINUTES_', 'BTC 5 min ')],
    ['an', 'Accounts'],
  ] as const) {
    await page.getByRole('textbox', { name: 'Search' }).fill(text);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: heading, level: 1, exact: true }).waitFor();
  }
  await page.getByRole('link', { name: 'acc_1' }).click();
  await page.getByRole('link', { name: 'bet_1' }).first().click();
  assert.equal(await figure(page, 'Stake').textContent(), '$250.00');
  assert.match((await figure(page, "Its side's share of the pool").textContent()) ?? '', /^5[1-9]/);
  await figure(page, 'Round').getByRole('link').click();
  await page.getByRole('link', { name: 'acc_1' }).click();
  await page.getByRole('link', { name: 'key_2' }).click();
  await page.getByText('It is a key of acc_1').waitFor();
  let id = 'key_3';
  for (let n = 0; n < 22; n++)
    id = (await server.operator.post<{ id: string }>(`/keys/${id}/rotate`, { overlapSeconds: 0 })).data.id;
  await page.getByRole('link', { name: 'acc_1' }).click();
  await page.getByRole('button', { name: 'Next page of Keys' }).press('Enter');
  await page.locator('h2:focus', { hasText: 'Keys' }).waitFor();
  await page.getByRole('link', { name: id }).click();
  const refuse = (route: Route): Promise<void> => route.fulfill({ json: { error: 'overloaded' } });
  await page.route(RegExp(id), (route) => sleep(5_500).then(() => refuse(route)));
  await page.getByRole('alert').getByText('overloaded').waitFor();
});

test('the overview names what needs attention, and goes on by itself after a restart', async (_page, _server, browser) => {
  const dataDir = newDataDir();
  const env = { TOTE_OPERATOR_PORT: String(await freePort()) };
  const first = await Server.start({ dataDir, env });
  const { page } = await newPage(browser, first.operatorUrl);
  const opened = page.waitForEvent('websocket');
  await logIn(page, first);
  await page.getByText('Nothing needs your attention').waitFor();
  await first.operator.patch('/markets/BTC_FIVE_MINUTES', { suspended: true });
  const attention = page.getByRole('region', { name: 'What needs attention' });
  await attention.getByText('BTC 5 min is suspended.').waitFor();
  await page.evaluate(SET_CLOCK_BACK);
  for (let n = 0; n < 3; n++) await (await opened).waitForEvent('framereceived');
  first.run.signal('SIGSTOP');
  await page.getByRole('alert').getByText('The server has sent nothing').waitFor();
  await first.kill();
  assert.equal(await page.getByRole('button', { name: 'Stop trading' }).isDisabled(), true);
  await page.locator('main[inert]').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByText('You are still logged in').waitFor();
  const second = await Server.start({ dataDir, env });
  try {
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await attention.getByRole('button', { name: 'Resume' }).click();
    await confirm(page, 'Resume market');
    await page.getByText('Nothing needs your attention').waitFor();
    const other = await page.context().newPage();
    const endSession = async (): Promise<void> => {
      await other.goto(`${second.operatorUrl}/console`);
      await other.getByRole('button', { name: 'Log out' }).click();
      await page.getByLabel('Operator token').fill(second.token);
    };
    await page.route('**/trading', (route) => endSession().then(() => route.continue()));
    await page.getByRole('button', { name: 'Stop trading' }).click();
    await confirm(page, 'Stop trading');
    await page.getByText('nothing was changed').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'Change feeBps', exact: true }).click();
    await page.route('**/rules', async (route) => {
      if (route.request().method() === 'GET') return route.continue();
      const response = await route.fetch();
      await endSession();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Change feeBps', exact: true }).waitFor();
      await route.fulfill({ response });
    });
    await page.getByLabel('New value').fill('2');
    const answered = page.waitForEvent('requestfinished', (sent) => /dryRun/.test(sent.postData() ?? ''));
    await page.getByRole('button', { name: 'Show what changes' }).click();
    await answered;
    await page.getByRole('link', { name: 'Overview' }).click();
    await attention.waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0, 'what the one before had begun is over');
    await page.route('**/trading', async (route) => {
      const response = await route.fetch();
      await endSession();
      await route.fulfill({ response });
    });
    await page.getByRole('button', { name: 'Stop trading' }).click();
    await confirm(page, 'Stop trading');
    await page.getByText('Its last request, Stop trading: done.').waitFor();
  } finally {
    await page.close();
    await second.remove();
  }
});

test('the overview does without the archive, and says why a feed has no connection; a clock set back ends no session', async (_page, _server, browser) => {
  const env = { TOTE_CLOCK: 'system', TOTE_FEED: 'coinbase', TOTE_COINBASE_URL: 'ws://127.0.0.1:1' };
  const server = await Server.start({ env });
  const { page } = await newPage(browser, server.operatorUrl);
  await page.route(/profit/, (route) => route.fulfill({ json: { error: 'archive_behind' } }));
  const renewed = () => page.waitForRequest((request) => request.method() === 'PUT');
  await Promise.all([renewed(), logIn(page, server)]);
  await page.getByText('coinbase: ').waitFor();
  await figure(page, 'Orders a second').waitFor();
  await Promise.all([renewed(), page.evaluate(SET_CLOCK_BACK)]);
  await page.close();
  await server.remove();
});

const views = (): readonly (readonly [hash: string, loaded: string])[] => [
  ['#/overview', 'This exchange runs on one machine'],
  ['#/markets', 'BTC 5 min'],
  ['#/markets/BTC_FOUR_HOURS', 'Odds DOWN'],
  ['#/markets/GOLD_ONE_DAY', 'No price has come'],
  [`#/rounds/${betRound}`, 'bet_1'],
  ['#/house', 'Earned, added up'],
  ['#/rules', 'feeBps'],
  ['#/audit', 'key_3'],
  ['#/accounts', 'acc_1'],
  ['#/accounts/acc_1', 'key_3'],
  ['#/bets/bet_1', 'verify-bet'],
  ['#/keys/key_1', 'It is a key of'],
  ['#/search/ann', 'Ann'],
  ['#/system', 'Commands behind'],
];

test('no view breaks a rule of WCAG level AA: in light, in dark, and at 390 px', async (page, server) => {
  await page.goto(`${server.operatorUrl}/console`);
  await page.getByLabel('Operator token').waitFor();
  const found: string[] = [];
  found.push(...(await flaws(page, 'login')));
  await logIn(page, server);
  for (const [hash, loaded] of views()) {
    await page.goto(`${server.operatorUrl}/console${hash}`);
    await page.getByText(loaded).first().waitFor();
    found.push(...(await flaws(page, hash)));
  }
  await page.getByRole('button', { name: 'Stop trading' }).click();
  await page.getByRole('dialog').waitFor();
  found.push(...(await flaws(page, 'a dialog')));
  assert.deepEqual(found, []);
});
